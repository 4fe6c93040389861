"""Plain front matter: what is read without YAML is what YAML would have it."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_properties import ALWAYS

from foreword._model import MODES
from foreword.markdown import _yaml
from foreword.markdown._front_matter import KEYS, Document, parse
from foreword.markdown._front_matter_parser import Parser
from foreword.markdown._plain_front_matter import plain_document

KNOWN = sorted(KEYS)
PLAIN = (
    "x", "What it holds", "use it, when asked", "5", "905", "-7", "10000", "-", "a - b", "it's", 'a "b"', "(a) & b!",
    "acme.style", "tools/x", "true", "No", "define", "patch", "names", "jinja", "skill-01", "règle", "写作", "می‌شود",
    "\U0001f600", "a\u3000b", "e\u0301", "\u00df", "a {{ b }} c", "word " * 300 + "end",
)  # fmt: skip
LISTS = ("[team, style]", "[a]", "[code review, b.c, d/e-f]", "[1, 2]", "[a, null]", "[null]", "[Nullable, nulls]")
NASTY = (
    "yes", "no", "on", "off", "null", "Null", "NULL", "nUll", "nullable", "null x", "~", "~x", "", "1_000", "0o7",
    "0x1f", "1e3", ".5", ".inf", ".nan", "1:30", "190:20:30", "2020-01-01", "2020-01-01T00:00:00Z", "=", "<<", "!",
    "!!str", "!!int 3", "&a", "&a x", "*a", "'", "''", "'a'", '"', '"a"', '"a', "#", "# a", "a #", "a # b", "a#b", ":",
    ": ", "a:", "a: b", "a:b", "a : b", "http://x", ",", ",a", "a,", "[", "]", "[]", "[a", "[a,]", "[ a ]", "[a,b]",
    "[a, , b]", "[a b , c]", "[a: b]", "[-, a]", "[~]", "[a, [b]]", "[a, 'b']", "[a] b", "[écrit]", "{", "}", "{}",
    "{a: b}", "{{ a }}", "a]", "a}", "|", "|\n  a", ">-\n  a", "a\n  b", "a\n\n  b", "a\n b: c", "-a", "- a", "-\n- a",
    "--", "---", "...", "?", "? a", "?a", "%a", "@a", "`a`", " a", "a ", "a  ", "a\t", "\ta", "a\tb", "a\x0cb", "a\x01",
    "a\x7f", "\x85", "a\x85b", "\xa0", "a\xa0", "\xa0a", "a\u2028b", "a\u2029", "a\ufeff", "\ufeffa", "a\ufffe",
    "\ufffd", "\ud800", "\u3000a", "a\u3000", "\u200ba", "\U0010ffff", "\U0001fffe", "a\r", "a\rb", "9999999999",
    "9999", "-9999", "+5", "00", "٣", "operator", "//", "a//b", "..", "\\", "a\\", "x" * 1100, "x" * 70_000,
)  # fmt: skip
NASTY_KEYS = (
    "", " title", "title ", "Title", "TITLE", "titel", "allowed_tools", "read-only", "author", "<<", "=", "null", "~",
    "'title'", '"title"', "? title", "- title", "&a title", "*a", "!!str title", "[a]", "{title", "#title", "title#",
    "\ttitle", "\ufefftitle", "título", "%YAML 1.2\n", "...\ntitle", "---\ntitle", "k" * 1100,
)  # fmt: skip
KEYS_MOSTLY = st.sampled_from(KNOWN) | st.sampled_from(KNOWN) | st.sampled_from(NASTY_KEYS)
VALUES_MOSTLY = st.sampled_from(PLAIN) | st.sampled_from(LISTS) | st.sampled_from(NASTY) | st.text(max_size=12)
SEPARATORS = st.sampled_from((": ",) * 12 + (":", ":  ", " : ", ":\t", "", " ", "="))
MIXED = st.tuples(KEYS_MOSTLY, SEPARATORS, VALUES_MOSTLY).map("".join)
FITTING = {
    "id": ("x", "Acme.Style", "tools/Read", "a b", "-7"),
    "priority": ("5", "-7", "0", "9999", "-9999", "00"),
    "mode": MODES,
    "template": ("names", "jinja"),
    "read_only": ("true", "No", "ON", "0"),
    "limit": ("5000", "-7", "x", "1_000"),
    "tags": PLAIN + LISTS,
    "tools": PLAIN + LISTS,
    "allowed-tools": PLAIN + LISTS,
}
FITTING_LINES = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from(FITTING.get(key, PLAIN)) for key in KNOWN if key not in ("when", "metadata")}
).flatmap(lambda values: st.permutations([f"{key}: {value}" for key, value in values.items()]))
ODD_LINES = st.sampled_from(("", " ", "# a", "...", "---x", "- a", "a", "  a: b", "\t", "\x0c"))
FENCES = st.sampled_from(("---",) * 40 + ("--- ", "---\t", "----", "...", "---x", "--- # a", " ---", ""))
BODIES = st.sampled_from(
    (
        "text\n", "", "\n", "\n\n text \n", "---\ntitle: x\n---\ntext", "--- a\n", "---", "\x0ctext", "\ufefftext",
        "\u3000", "\u2028text",
    )
)  # fmt: skip


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Files that begin with a front matter, or nearly: from the plainest to what no parser can read."""
    lines = draw(FITTING_LINES)
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(MIXED | MIXED | ODD_LINES))
    end = "\n" if draw(st.integers(0, 9)) else ""
    return "\n".join((draw(FENCES), *lines, draw(FENCES) + end + draw(BODIES)))


def assert_alike(quick: Document, full: Document) -> None:
    """Fail unless two documents are the same in everything that can be seen of them."""
    assert quick == full
    one, other = quick.front_matter, full.front_matter
    assert type(one) is type(other)
    assert one.model_fields_set == other.model_fields_set
    assert one.given == other.given
    assert list(vars(one).items()) == list(vars(other).items())
    assert [type(value) for value in vars(one).values()] == [type(value) for value in vars(other).values()]
    assert repr(one) == repr(other)


def held(source: str) -> bool:
    """Return whether a file was read without YAML, once it is seen that nothing is different."""
    normal = source.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    full = Parser(normal, "a.md").document()
    quick = plain_document(normal, normal.strip())
    if quick is not None:
        assert_alike(quick, full)
    if normal.strip().startswith("---"):
        assert_alike(parse(source, "a.md"), full)
    return quick is not None


@pytest.mark.parametrize("loader", ["libyaml", "pure"])
def test_plain_front_matter_is_read_as_yaml_reads_it(loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever front matter is read without YAML, everything comes out as the YAML parser has it."""
    if loader == "pure":
        monkeypatch.setattr(_yaml, "_LOADER", _yaml.text_loader(yaml.SafeLoader))
    seen: Counter[bool] = Counter()

    @given(sources())
    @settings(ALWAYS, max_examples=600)
    def check(source: str) -> None:
        seen[held(source)] += 1

    check()
    assert seen[True] > 60
    assert seen[False] > 60


@pytest.mark.parametrize("loader", ["libyaml", "pure"])
def test_every_value_of_every_key_is_read_as_yaml_reads_it(loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each odd value, under each known key, is read as the YAML parser reads it or left to it."""
    if loader == "pure":
        monkeypatch.setattr(_yaml, "_LOADER", _yaml.text_loader(yaml.SafeLoader))
    plain = sum(held(f"---\n{key}: {value}\n---\ntext") for key in KNOWN for value in PLAIN + LISTS + NASTY)
    assert plain > len(KNOWN) * len(PLAIN) // 2


def test_front_matters_share_nothing_that_can_be_changed() -> None:
    """What is changed in the mapping or the set of one front matter shows in no other."""
    one, other = (parse("---\ntitle: x\n---\ntext", "a.md").front_matter for _ in range(2))
    one.metadata["a"] = "b"
    one.model_fields_set.add("metadata")
    assert other == parse("---\ntitle: 'x'\n---\ntext", "a.md").front_matter
    assert other.given == {"title"}
    copy = other.model_copy(update={"name": "n"})
    assert (copy.name, copy.given, other.given) == ("n", {"title", "name"}, {"title"})
    assert other.model_dump(exclude_unset=True) == {"title": "x"}
