"""The scanner: what it must find, what it must leave alone, and what it may cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

import emoji
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from foreword._diagnostics import printable
from foreword.scan import _classes as classes
from foreword.scan._code import Code
from foreword.scan._every_rule import apply_rules, apply_to_name
from foreword.scan._findings import Findings
from foreword.scan._scan import LIMIT, RULES, Finding, scan, scan_all, scan_name
from foreword.scan._suspects import CHARACTERS, EVERYTHING, MARKUP, SHAPE, WORDS, suspected

CORPUS = Path(__file__).parent / "corpus"
SIZE = 10_000_000
MOST_SECONDS = 1.0


class _Required(TypedDict):
    name: str
    text: str
    rules: list[str]


class Case(_Required, total=False):
    decoded: str


def cases(file: str) -> list[Case]:
    """The cases of one file of the corpus."""
    read: list[Case] = json.loads((CORPUS / file).read_text("ascii"))
    return read


HOSTILE, INNOCENT = cases("hostile.json"), cases("innocent.json")


def found(text: str) -> list[str]:
    """The rules that find something, without repetition."""
    return sorted({finding.rule for finding in scan(text)})


def errors(findings: tuple[Finding, ...]) -> list[Finding]:
    """The findings that are errors."""
    return [finding for finding in findings if finding.severity == "error"]


def test_rules_are_told_in_one_sentence() -> None:
    """Every rule has a description that documentation can take over."""
    for name, rule in RULES.items():
        assert name == name.lower().replace(" ", "-")
        assert rule.severity in {"error", "warning", "info"}
        assert rule.description[0].isupper()
        assert rule.description.endswith(".")


@pytest.mark.parametrize("case", HOSTILE, ids=[case["name"] for case in HOSTILE])
def test_hostile(case: Case) -> None:
    """Each hostile text is found by exactly the rules that it breaks, and what it hides is told."""
    assert found(case["text"]) == case["rules"]
    if "decoded" in case:
        assert case["decoded"] in [finding.decoded for finding in scan(case["text"])]


@pytest.mark.parametrize("case", INNOCENT, ids=[case["name"] for case in INNOCENT])
def test_innocent(case: Case) -> None:
    """No innocent text has an error, and most have no finding at all."""
    assert found(case["text"]) == case["rules"]
    assert errors(scan(case["text"])) == []


def test_corpus_reaches_every_rule() -> None:
    """Every rule for texts has a hostile text that breaks it."""
    reached = {rule for case in HOSTILE for rule in case["rules"]}
    assert reached == RULES.keys() - {"confusable", "too-many"}


def test_every_emoji_is_left_alone() -> None:
    """No emoji has a finding, alone, in a sentence or next to itself."""
    every = list(emoji.EMOJI_DATA)
    assert len(every) > 5_000
    flagged = [one for one in every if scan(one) or scan(f"Well done {one}, a{one}b.") or scan(one + one)]
    assert flagged == []
    assert [one for one in every if scan_name(one)] == []


# Payloads.


def tags(text: str) -> str:
    """Text as tag characters."""
    return "".join(chr(0xE0000 + ord(char)) for char in text)


def selectors(text: str) -> str:
    """Text as variation selectors, a byte each."""
    return "".join(chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16) for byte in text.encode())


def zero_width(text: str, zero: str = "\u200b", one: str = "\u200c") -> str:
    """Text as zero-width bits."""
    return "".join(one if bit == "1" else zero for char in text for bit in f"{ord(char):08b}")


def interleaved(text: str) -> str:
    """Text as zero-width bits, one behind each letter of an innocent text."""
    return "".join(f"x{bit}" for bit in zero_width(text))


def overridden(text: str) -> str:
    """Text that is shown as asked and stored backwards."""
    return f"\u202e{text[::-1]}\u202c"


def concealed(text: str) -> str:
    """Text that a terminal does not show."""
    return f"\x1b[8m{text}\x1b[0m"


ENCODERS = [
    tags,
    selectors,
    zero_width,
    lambda text: zero_width(text, "\u200c", "\u200d"),
    lambda text: zero_width(text, "\u200c", "\u200b"),
    lambda text: zero_width(text, "\u2060", "\ufeff"),
    interleaved,
    overridden,
    concealed,
]
PAYLOADS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=4, max_size=200)
AROUND = ["", "Hello", "\U0001f600", "\u845b", "\u0628", "\u0915\u094d", "\u0e01", "a\n"]


@given(st.sampled_from(ENCODERS), PAYLOADS, st.sampled_from([*AROUND, "\ufeff"]), st.sampled_from(AROUND))
@example(selectors, "0000", "\u845b", "")
@example(zero_width, "aaaa", "\u0628", "\u0628")
@example(zero_width, "    ", "", "")
def test_every_payload_is_an_error(encode: Callable[[str], str], payload: str, before: str, after: str) -> None:
    """Hidden text of four characters or more is an error that tells it, whatever stands around it."""
    told = errors(scan(before + encode(payload) + after))
    assert payload in [finding.decoded for finding in told]
    assert errors(scan_name(before + encode(payload) + after))


@given(PAYLOADS, st.integers(0, 15), st.integers(51, 200))
def test_a_payload_is_found_in_the_midst_of_findings(payload: str, few: int, many: int) -> None:
    """Harmless findings in any number do not take the place of an error."""
    text = "a\u00adb " * many + tags(payload) + " a\u200bb" * few
    (error,) = errors(scan(text))
    assert error.decoded == payload


# Density of zero-width characters.


def test_seven_in_a_row_are_a_warning_and_eight_an_error() -> None:
    """The length of a run of invisible characters decides."""
    assert found("a" + "\u200b" * 7 + "b") == ["zero-width"]
    assert found("a" + "\u200b" * 8 + "b") == ["zero-width-run"]


def test_sixteen_within_a_thousand_characters_are_an_error() -> None:
    """Zero-width characters far from each other are warnings, close together an error."""
    near, far = ("\u200b" + "a" * 65) * 15, ("\u200b" + "a" * 66) * 15
    assert found(near + "\u200b") == ["zero-width-run"]
    assert found(far + "\u200b") == ["zero-width"]
    assert found(("\u200b" + "a" * 10) * 15) == ["zero-width"]


def test_an_error_of_density_is_told_once() -> None:
    """A stretch of zero-width characters is one finding, and what stands far from it another."""
    text = "a\u200b" * 100 + "b" * 1_500 + "\u200b"
    assert [(finding.rule, finding.column) for finding in scan(text)] == [("zero-width-run", 1), ("zero-width", 1_700)]


# Places, messages, limits, settings.

SUSPICIOUS = st.one_of(
    st.sampled_from([chr(code) for low, high, _ in classes.KINDS for code in {low, high, (low + high) // 2}]),
    st.sampled_from(list("ab \n\t`<>!-[]()~|{}.\u0430\u0628\u05d0\u0e01\u845b\u2764\U0001f468\uff41")),
    st.sampled_from(["<!--", "-->", "```\n", "](https://e.org/", "![", "<|im_end|>", "[INST]", " " * 90, "\n" * 30]),
    st.characters(),
)
TEXTS = st.lists(SUSPICIOUS, max_size=40).map("".join)


@given(TEXTS)
def test_findings_stand_where_they_say(text: str) -> None:
    """A finding's line and column lead to the character that it names."""
    lines = text.split("\n")
    told = scan(text)
    assert [finding[3:5] for finding in told] == sorted(finding[3:5] for finding in told)
    for finding in told:
        if finding.codepoint is not None and finding.rule != "mixed-script":
            assert finding.codepoint == f"U+{ord(lines[finding.line][finding.column]):04X}"


@given(TEXTS)
def test_nothing_hidden_comes_out_raw(text: str) -> None:
    """Messages and payloads hold no control, format or blank character, only escapes."""
    for finding in (*scan(text), *scan_name(text)):
        for said in (finding.message, finding.decoded or ""):
            assert said == printable(said)
            assert not set(said) & set("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")


# What the first look at a text must not miss: the edges of every kind, of every context and of every limit.
EDGES = [
    [chr(code) for low, high, _ in classes.KINDS for code in (max(low - 1, 0), low, high, min(high + 1, 0x10FFFF))],
    [
        *"abzAZ.\u00c0\u024f\u0250\u1eff\u0300\u036f\u0370",
        *"\u0400\u0482\u0483\u052f\u0531\u0588\u13a0\u1c80\uab70\uff21\uff5a\U0001d400\U0001d7cb",
    ],
    list(
        "\u200c\u200d\ufe0e\ufe0f\u200b\u200f0#9\u0628\u0915\u094d\u0e01\u05d0\u845b\u2764\u2190\u00a9\U0001f468\U0001f469"
    ),
    ["<!--", "-->", "<!-", "<|", "<|a|>", "INST]", "[/INST]", "<SYS>>", "<</SYS>>", "<end_of_turn>", "<\uff5ca\uff5c>"],
    ["![", "](", "//", "![a](//b.c)", "<img src=//b.c>", "<iMG", "<b>", "`", "```\n", "!", "[a](https://b.c)"],
    [" " * 26, " " * 79, " " * 80, "\t" * 80, "\n" * 20, "\n" * 21, " \n" * 20, "\n\t " * 21, "\u00a0", "\u3000"],
    [
        "aB3cD4eF5g" * 20,
        "aB3cD4eF5g" * 19 + "aB3cD4eF5",
        "x" * 199,
        "word " * 400,
        "word " * 401,
        "x" * 2_000,
        "-" * 300,
    ],
]
ON_THE_EDGE = st.one_of(
    *(st.lists(st.sampled_from([*edges, "a", " ", "\n"]), max_size=12).map("".join) for edges in EDGES),
    st.lists(st.one_of(*map(st.sampled_from, EDGES)), max_size=12).map("".join),
    st.text(st.sampled_from("ab1 \n<!->[](`/IMGimg"), max_size=60),
    TEXTS,
)


def applied(text: str, groups: int) -> tuple[Finding, ...]:
    """What some groups of rules say of a text when they are all applied."""
    findings = Findings(text, {})
    apply_rules(text, groups, findings)
    return findings.finish()


@settings(max_examples=400)
@given(ON_THE_EDGE)
@example("<ImG src=//a.b>")
@example("x" * 2_001)
@example(" " * 80 + "x")
@example("a" + "\n" * 21 + "b")
@example("a" + " \n" * 21 + "b")
@example("aB3cD4eF5g" * 20)
@example("\u0430" + "aB3cD4eF5g" * 20)
@example("a\x0cb")
@example("a\U0001d42cb")
@example("\u0430\u0301a")
@example("a\u0301\u0430")
def test_the_first_look_hides_nothing(text: str) -> None:
    """A group of rules that is not applied to a text would find nothing in it."""
    groups = suspected(text)
    for group in (CHARACTERS, WORDS, MARKUP, SHAPE):
        if not groups & group:
            assert applied(text, group) == ()
    findings = Findings(text, {})
    scan_all(text, findings)
    assert scan(text) == findings.finish() == applied(text, EVERYTHING)


@settings(max_examples=400)
@given(ON_THE_EDGE.map(lambda text: text[:250]))
@example("a" * 199)
@example("aB3cD4eF5g" * 20)
@example("a\x7f")
@example("\u0455\u0441\u043e\u0440\u0435")
def test_the_first_look_at_a_name_hides_nothing(name: str) -> None:
    """A name that is seen to be plain is one in which no rule finds anything, and a second look finds the same."""
    findings = Findings(name, {})
    apply_to_name(name, findings)
    assert scan_name(name) == scan_name(name) == findings.finish()


def test_the_first_look_knows_every_character() -> None:
    """No character of any kind, and no letter that looks like a Latin one, is passed over by the first look."""
    for low, high, _ in classes.KINDS:
        for code in {*range(low, min(high, low + 300) + 1), (low + high) // 2, *range(max(low, high - 300), high + 1)}:
            assert suspected(f"a{chr(code)}b") & CHARACTERS, hex(code)
            assert suspected(f"\u05d0{chr(code)}") & CHARACTERS or not applied(f"\u05d0{chr(code)}", CHARACTERS), hex(
                code
            )
    foreign = re.compile(f"[{classes.FOREIGN}{classes.MATHEMATICAL}]")
    for code in range(0x20000):
        if foreign.match(chr(code)):
            for text in (f"a{chr(code)}", f"{chr(code)}a", f"{chr(code)}\u0301a", f"{chr(code)}{chr(code)}\u00e9"):
                assert suspected(text) & WORDS, hex(code)


LARGE = "word word\n" * 500
MOSTLY = "\u0633\u0644\u0627\u0645\n" * 40


@settings(max_examples=400)
@given(ON_THE_EDGE)
@example("\x7f")
@example("a\u0430")
@example("\u200ca")
@example("\u2764\ufe0f")
@example("\U0001d42c")
def test_what_a_text_is_among_changes_nothing_of_the_first_look(text: str) -> None:
    """In a large text, and among lines of another script, the same characters and words are seen as alone."""
    alone = suspected(f"\n{text}\n")
    for around in (LARGE, MOSTLY, LARGE + MOSTLY):
        among = suspected(f"{around}\n{text}\n{around}")
        assert (among ^ alone) & (CHARACTERS | WORDS) == 0
        assert among & MARKUP or not alone & MARKUP
        assert among & SHAPE or not applied(f"{around}\n{text}\n{around}", SHAPE)


def test_no_control_character_is_passed_over_in_a_large_text() -> None:
    """Of ASCII only line feed and tab, and what prints, is nothing to look at, in a text of any size."""
    for code in range(0x80):
        odd = chr(code) not in "\t\n" and not chr(code).isprintable()
        for text in (chr(code), LARGE + chr(code), chr(code) + LARGE, MOSTLY + chr(code)):
            assert suspected(text) == (CHARACTERS if odd else 0), (code, len(text))


def test_a_sign_among_letters_is_told_once() -> None:
    """A sign that stands among letters that look like Latin ones, and is no letter, is one finding."""
    for text, word in (("\u0482a", "\\u{482}"), ("b\u0482 c", "b\\u{482}"), ("a \U0001d455b", "\\u{1d455}")):
        (finding,) = scan(text)
        assert finding.rule == "mixed-script"
        assert f"'{word}'" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n- Be *kind*; see `code` & <b>tags</b>, https://example.org.\n" * 50,
        "See [the guide](https://example.org/a) and a[0]; done!\n\n\n| a | b | c |\n| - | - | - |\n" * 40,
        "It\u2019s \u201cquoted\u201d \u2014 caf\u00e9 \u20ac5, \u2713 \U0001f680 \u2764\ufe0f.\n"
        "\U0001f468\u200d\U0001f469\n" * 40,
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u062f \u06a9\u062a\u0627\u0628\u200c\u0647\u0627 API \u06f1.\n"
        * 40,
        "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440 API \u0438 \u0435\u0449\u0451.\n" * 40,
        "\u4f60\u597d\uff0c\u4e16\u754c\u3002GPT \u662f\u3002\n" * 40,
        "",
    ],
    ids=["english", "links and tables", "quotes and emoji", "persian", "russian", "chinese", "empty"],
)
def test_most_texts_are_seen_to_be_plain(text: str) -> None:
    """In ordinary text of any language the first look sees that there is nothing to look at."""
    assert suspected(text) == 0


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("a\x07", CHARACTERS),
        ("a\u200b", CHARACTERS),
        ("a\u0430", WORDS),
        ("<!-- a -->", MARKUP),
        ("[INST]", MARKUP),
        ("a " * 1_001, SHAPE),
        ("a" + "\n" * 30 + "b", SHAPE),
        ("a\u0430\u200b<|" + "\n" * 30, EVERYTHING),
    ],
)
def test_what_is_suspected(text: str, groups: int) -> None:
    """Only those rules are applied whose group has something to look at."""
    assert suspected(text) == groups


def test_what_a_plain_text_does_not_load() -> None:
    """Scanning a plain text and a plain name loads none of the rules, and nothing that only they need."""
    code = (
        "import sys; from foreword.scan._scan import scan, scan_name;"
        "assert scan('# A\\n\\n- b <c>') == scan_name('Safety Guidelines') == ();"
        "print(sorted({'base64', 'foreword.scan._every_rule', 'foreword.scan._classes'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@given(st.integers(0, 300), st.integers(0, 100))
def test_of_too_many_the_worst_are_told(warnings: int, wrong: int) -> None:
    """Of more than 50 findings the errors come first, and a last one counts the rest and is as bad as they are."""
    text = "a\u200eb " * warnings + "a\x00b " * wrong
    told = scan(text)
    total = warnings + wrong
    assert len(told) == min(total, LIMIT + 1)
    if total > LIMIT:
        assert told[-1].message == f"and {total - LIMIT:,} more"
        assert told[-1].severity == ("error" if wrong > LIMIT else "info")
        assert len(errors(told[:-1])) == min(wrong, LIMIT)


def test_more_than_is_looked_at_is_an_error() -> None:
    """A text with more suspicious places than the scanner looks at is refused."""
    for piece in ("a\x01", "<|x|>", "![](//a.b) ", "<!---->", "\u0430a "):
        text = piece * 110_000
        severities = {rule: "off" for rule in RULES if rule != "too-many"}
        assert [finding.rule for finding in scan(text, severities=severities)] == ["too-many"]


def test_settings_change_a_rule() -> None:
    """The operator may give a rule another severity or switch it off."""
    text = "a\u200bb\x00"
    assert [finding.severity for finding in scan(text)] == ["warning", "error"]
    assert [finding.severity for finding in scan(text, severities={"zero-width": "error"})] == ["error", "error"]
    assert [finding.rule for finding in scan(text, severities={"nul": "off"})] == ["zero-width"]
    assert scan_name(text, severities=dict.fromkeys(RULES, "off")) == ()


@pytest.mark.parametrize("severities", [{"zero-with": "off"}, {"zero-width": "fatal"}, {"zero-width": ""}])
def test_a_wrong_setting_is_no_silence(severities: dict[str, str]) -> None:
    """A rule or severity that does not exist is an error, and not a rule that stays as it was."""
    with pytest.raises(ValueError, match="zero-wi"):
        scan("", severities=severities)


# Names.


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\r\nb", "\ufeffa"])
def test_a_name_is_one_line(name: str) -> None:
    """In a name a line break, a tab and a byte order mark are findings too."""
    assert scan(name) == ()
    assert {finding.rule for finding in scan_name(name)} <= {"control", "zero-width"}
    assert scan_name(name) != ()


@given(TEXTS)
def test_a_name_is_judged_at_least_as_a_text(text: str) -> None:
    """What is invisible in a text is found in a name as well."""
    name = " ".join(text.split())
    shape = {"long-line", "very-long-line", "push-off", "html-comment", "unterminated-comment"}
    in_name = {finding.rule for finding in scan_name(name)}
    assert {finding.rule for finding in scan(name)} - shape <= in_name


@pytest.mark.parametrize("name", ["s\u0430fety", "\u0405afety", "Saf\u0435ty_Rules", "\uff33afety"])
def test_a_name_that_mixes_scripts(name: str) -> None:
    """A word of Latin letters and letters that look like them is a warning in a name."""
    (finding,) = scan_name(name)
    assert (finding.rule, finding.severity) == ("mixed-script", "warning")
    assert (finding.decoded or "").lower().startswith("safety")


@pytest.mark.parametrize(
    ("name", "twin"),
    [("\u0455\u0441\u043e\u0440\u0435", "scope"), ("\U0001d42c\U0001d41a\U0001d41f\U0001d41e", "safe")],
)
def test_a_name_that_looks_latin(name: str, twin: str) -> None:
    """A name without a Latin letter that looks like a Latin one is told with what it looks like."""
    (finding,) = scan_name(name)
    assert (finding.rule, finding.decoded) == ("confusable", twin)


@pytest.mark.parametrize(
    "name", ["Safety Guidelines", "правила", "Правила_API", "قواعد\u200cها", "안전", "μSec", "été"]
)
def test_names_of_any_script(name: str) -> None:
    """A name in one script a word has no finding."""
    assert scan_name(name) == ()


# Characters.


def test_no_invisible_character_is_forgotten() -> None:
    """Every control and format character is of some kind, but for those that show or belong to one script."""
    shown = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    known = {code for low, high, _ in classes.KINDS for code in range(low, high + 1)}
    hidden = {
        code for code in range(0x110000) if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}
    }
    assert hidden - known - {9, 10} <= shown
    assert {0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x34F, 0x17B4, 0x17B5} <= known
    assert {*range(0xE0000, 0xF0000), *range(0xFE00, 0xFE10), *range(0x180B, 0x1810)} <= known


def test_no_character_vouches_for_another() -> None:
    """What makes a neighbour harmless is never a character that is looked at itself, but for an emoji style."""
    vouching = (classes._JOINING, classes._SPACELESS, classes._PICTOGRAPHS, classes._EMOJI_BASES, classes._VARIED)
    for inside in (
        *vouching,
        classes._IDEOGRAPHS,
        classes._MONGOLIAN.replace(r"\u180B", ""),
        classes.RTL.pattern[1:-1],
    ):
        pattern = re.compile(f"[{inside}]")
        for low, high, _ in classes.KINDS:
            for code in {low, high, (low + high) // 2}:
                assert pattern.match(chr(code)) is None, (inside, hex(code))


@given(st.sampled_from([chr(code) for low, high, _ in classes.KINDS for code in {low, high}]), st.integers(8, 40))
def test_a_row_of_any_invisible_character_is_found(char: str, times: int) -> None:
    """No character that is looked at is harmless next to itself."""
    assert scan(f"a{char * times}b") or char in "\n\t"


# Code in Markdown.

_COMMONMARK = MarkdownIt("commonmark")
_TICKS = ["`", "``", "```", "````", "~~~", "~~~~", "\\", "\n```\n", "\n~~~\n", "\n  ```\n"]
_HTML = ["<div>", "</div>", "<b>", "</b>", "<pre>", "</pre>", "<script>", "</script>", "<?", "?>", "<!X", ">", "<x`"]
_OPEN = ["<!--", "-->", "<!-->", "<![CDATA[", "]]>", "@b.c>", "<http://x", '<a href="', "<a b='", '">', "'>"]
_LINKS = ["[a]: ", "[a](", "](", ")", "(", '"', "'", "[", "---", "===", "*", "_", "x", "word"]
_SPACED = [
    "\n",
    "\n",
    "\n",
    "\n\n",
    "    ",
    "  ",
    " ",
    "\t",
    "> ",
    "- ",
    "* ",
    "1. ",
    "10) ",
    "# ",
    "\n   ",
    "\n- ",
    "\n> ",
]
MARKDOWN = st.lists(st.sampled_from(_TICKS * 2 + _HTML + _OPEN + _LINKS + _SPACED * 2), max_size=14).map("".join)


def html(tokens: list[Token]) -> Iterator[str]:
    """The raw HTML in a text that was parsed."""
    for token in tokens:
        if token.type in {"html_block", "html_inline"}:
            yield token.content
        yield from html(token.children or [])


@given(MARKDOWN, MARKDOWN)
@example("```\n", "\n```")
@example("> ```\n\n", "")
@example("- ```\n", "\n```")
@example("<div>\n```\n", "\n```")
@example("<!--\n```\n-->\n", "\n```")
@example('<a title="`">', "`")
@example("a ` b\n# c\n` ", " `")
@example("10) ~~~\n   <b>", "")
def test_no_comment_hides_as_code(before: str, after: str) -> None:
    """What is left alone as code is no raw HTML for CommonMark."""
    mark = "<!--7-->"
    if Code(before + mark + after).holds(len(before)):
        assert not any(mark in content for content in html(_COMMONMARK.parse(before + mark + after)))


# Cost.

PIECES = {
    "plain": "hello world of text, plain as can be.\n",
    "cyrillic": "привет мир как дела\n",
    "chinese": "漢字仮名交じり文\n",
    "tags": "\U000e0041",
    "tags between letters": "a\U000e0041",
    "flags": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "selectors": "\U000e0150",
    "selectors between letters": "a\ufe01",
    "emoji": "\u2764\ufe0f",
    "emoji in sequence": "\U0001f468\u200d\U0001f469",
    "zero width": "\u200b\u200c",
    "zero width between letters": "a\u200b",
    "runs of zero width": "a" + "\u200b" * 8,
    "persian": "می\u200cخواهم ",
    "marks": "\u05d0\u200f",
    "isolates": "\u2066\u2069\n",
    "isolates of one line": "a\u2066b\u2069",
    "open isolates": "\u2066",
    "overrides": "a\u202e\n",
    "escapes": "\x1b[8m",
    "control": "a\x01",
    "nul": "\x00",
    "windows": "\r\n",
    "mixed word": "a\u0430",
    "mixed words": "a\u0430 ",
    "mixed marks": "\u0430" + "\u0301" * 8,
    "open comments": "<!--",
    "comments": "<!---->",
    "backticks": "` ",
    "comments in code": "`<!--` ",
    "comments in paragraphs": "`<!--`\n\n",
    "fences": "```\n",
    "comments in fences": "```\n<!--\n```\n",
    "comments in lists": "- ```\n<!--",
    "tags in code": "`<a b='",
    "open images": "![",
    "image addresses": "![](//",
    "images": "![a](//x)",
    "image tags": "<img src src=",
    "tokens": "<|a|>",
    "open tokens": "<|",
    "spaces": " ",
    "rows of 79 spaces": " " * 79 + "x",
    "rows of 80 spaces": " " * 80 + "x",
    "newlines": "\n",
    "nineteen blank lines": "\n" * 20 + "x",
    "blank lines of spaces": "\n" + " " * 3_000,
    "base64": "aB3",
    "base64 almost": "abcdefghi0" * 19 + "abcdefghi ",
    "rows of base64": "abcdefghi0" * 20 + " ",
    "long lines": "x" * 2_001 + "\n",
}


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_ten_megabytes_take_less_than_a_second(piece: str) -> None:
    """Whatever a text repeats, the time to scan it is bounded by its length."""
    text = piece * (SIZE // len(piece.encode()))
    best = MOST_SECONDS
    for _ in range(3):
        started = time.process_time()
        scan(text)
        best = min(best, time.process_time() - started)
        if best < MOST_SECONDS:
            break
    assert best < MOST_SECONDS


def test_one_of_each_in_ten_megabytes() -> None:
    """A text that makes every rule look takes no longer than one that repeats itself."""
    hostile = "\u200b\u202e\u2066\U000e0041\x01\U000e0150<!--`<|a|>![](//x)"
    text = "a" * (SIZE // 2) + hostile + "a" * (SIZE // 2)
    seconds: list[float] = []
    for _ in range(3):
        started = time.process_time()
        scan(text)
        seconds.append(time.process_time() - started)
    assert min(seconds) < MOST_SECONDS
