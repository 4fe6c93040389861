"""Gates: what a quick look settles by itself comes out as the full check would have it."""

from __future__ import annotations

import random
from collections import Counter
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_properties import ALWAYS, CASES, Case, comes_to

from foreword import Edit, MarkdownFile, Section, _decided
from foreword._decided import folded
from foreword._diagnostics import Diagnostic, Place
from foreword._draft import Draft
from foreword._file_edit import file_edit
from foreword._layers import LAYERS
from foreword._model import TEXT_ONLY, made
from foreword._names import id_key
from foreword._origin import Origin
from foreword._plain_edit import plain_edits
from foreword._policy import LayerRule, Policy, SectionRule
from foreword._prepare import is_clean  # pyright: ignore[reportPrivateUsage]
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import folded_all
from foreword._screen import Screen
from foreword._stack import Lone, Stacked, stacked
from foreword._titles import RESERVED
from foreword.files._markdown_file import Directory
from foreword.files._roots import Root
from foreword.markdown._front_matter import Document, FrontMatter, When
from foreword.scan._suspects import suspected

PLACE = Place("code", 1)
WHEN = {"agents": ["ada"], "variables": {"x": "1"}}

# -- a section of one edit -------------------------------------------------------------------------


def test_a_stack_of_edits_comes_to_what_the_fold_of_it_comes_to() -> None:
    """Wherever edits are seen to have nothing to decide, their fold is the same, and has nothing to say."""
    seen: Counter[str] = Counter()

    @given(CASES, st.integers(0, 3))
    @settings(ALWAYS, max_examples=2000)
    def check(case: Case, kind: int) -> None:
        edits, policy, chance = case
        limits = {layer: LayerRule(layer=9) for layer in LAYERS if chance.random() < 0.1}
        policy = Policy(policy.sections, policy.windows, {}, limits, 10 if chance.random() < 0.1 else None)
        reserved = RESERVED | {"derived", "t"} if chance.random() < 0.5 else RESERVED
        groups: dict[str, list[PreparedEdit]] = {}
        for edit in edits:
            groups.setdefault(id_key(edit.id), []).append(ordinary(edit, chance) if kind else edit)
        for key, group in groups.items():
            group = group[: chance.randint(1, 4)]
            quick = folded_all(group, policy)[0].get(key)
            for edit in group:
                seen[f"{edit.layer} {quick is not None}"] += 1
            seen[f"{len(group)} edits {quick is not None}"] += 1
            if quick is not None:
                seen["titled"] += any(edit.title is not None for edit in group)
                seen["placed"] += any(edit.priority is not None for edit in group[1:])
                assert comes_to(quick) == comes_to(folded(key, group, policy, reserved))
                grown: Stacked | None = None
                for count in range(len(quick.edits)):
                    grown = stacked(tuple(quick.edits[: count + 1]), grown)
                assert grown is not None
                assert comes_to(grown) == comes_to(quick)
                assert (grown.over, grown.place_key) == (quick.over, quick.place_key)

    check()
    for layer in ("builtin", "project", "agent", "session"):
        assert seen[f"{layer} True"] > 200
        assert seen[f"{layer} False"] > 200
    assert sum(seen[f"{layer} True"] for layer in ("extension", "memory", "override")) == 0
    for count in (1, 2, 3):
        assert seen[f"{count} edits True"] > 50
        assert seen[f"{count} edits False"] > 50
    assert min(seen["titled"], seen["placed"]) > 50


def test_a_lone_text_of_a_memory_comes_to_what_the_fold_of_it_comes_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever an edit of a memory is seen to have nothing to decide, its fold is the same, and has nothing to say."""
    seen: Counter[bool] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=1500)
    def check(case: Case) -> None:
        edits, policy, chance = case
        limits = {"memory": LayerRule(layer=9)} if chance.random() < 0.5 else {}
        patterns = ("a", "memory/*") if chance.random() < 0.2 else ()
        policy = replace(policy, layers=limits, reserved=patterns, prompt=10 if chance.random() < 0.1 else None)
        reserved = RESERVED | {"derived", "t"} if chance.random() < 0.5 else RESERVED
        for given_edit in edits:
            edit = ordinary(given_edit, chance)
            if chance.random() < 0.8:
                edit = edit._replace(layer="memory", trusted=False)
            if chance.random() < 0.8:
                edit = edit._replace(default_priority=chance.choice((499, 500, 999, 1000)), default_title="Mine")
            key = id_key(edit.id)
            quick = folded(key, [edit], policy, reserved)
            is_quick = isinstance(quick, Lone)
            seen[is_quick] += 1
            if is_quick:
                with monkeypatch.context() as closed:
                    closed.setattr(_decided, "is_lone_memory", lambda *_: False)
                    slow = folded(key, [edit], policy, reserved)
                assert not isinstance(slow, Lone)
                assert comes_to(quick) == comes_to(slow)
                assert (quick.asked, quick.reserved) == (slow.asked, slow.reserved)

    check()
    assert min(seen[True], seen[False]) > 1000


def ordinary(edit: PreparedEdit, chance: random.Random) -> PreparedEdit:
    """The edit with most of what makes it need a decision taken away, but not all."""
    plain = PreparedEdit(edit.id, edit.layer, "plain", edit.provider, edit.place)
    names = ("mode", "verdict", "trusted", "copy_of_below", "base", "exclusive")
    usual = {name: getattr(plain, name) for name in names if chance.random() < 0.96}
    usual |= {name: None for name in ("title", "priority") if chance.random() < 0.6}
    if chance.random() < 0.5:
        usual["layer"] = chance.choice(("builtin", "project", "agent", "session"))
    return edit._replace(**usual)


ORDINARY = PreparedEdit("a", "project", "plain", Provider("acme", "1.0", "main"), PLACE, text="x", raw="x")


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({}, True),
        ({"priority": 7}, True),
        ({"default_title": "T", "default_priority": 7}, True),
        ({"own": False, "jinja": True, "rank": 1}, True),
        ({"id": "tools/T"}, True),
        ({"layer": "agent"}, False),
        ({"id": "required"}, True),
        ({"layer": "session", "default_priority": 300}, True),
        ({"layer": "session", "default_priority": 999}, True),
        ({"layer": "session", "default_priority": 299}, False),
        ({"layer": "session", "default_priority": 1000}, False),
        ({"layer": "session", "priority": 400}, False),
        ({"id": "tools/Listed"}, False),
        ({"layer": "memory"}, False),
        ({"trusted": False}, False),
        ({"verdict": "failed"}, False),
        ({"mode": "define"}, False),
        ({"title": ""}, True),
        ({"title": "T"}, True),
        ({"id": "tools/Open"}, True),
        ({"base": ""}, False),
        ({"copy_of_below": True}, False),
        ({"exclusive": True}, False),
    ],
)
def test_which_edits_have_nothing_to_decide(changes: dict[str, Any], is_open: bool) -> None:
    """An operator's ordinary text is seen to have nothing to decide, and whatever needs a decision is not."""
    rules = {
        "tools/listed": SectionRule(editable_by=frozenset(LAYERS) - {"project"}),
        "tools/open": SectionRule(editable_by=frozenset({"project"})),
        "required": SectionRule(required=True),
    }
    policy = Policy(rules, {"session": (300, 999), "memory": (0, 1)}, {"a": "b"}, {"agent": LayerRule(layer=1)})
    edit = ORDINARY._replace(**changes)
    assert (id_key(edit.id) in folded_all([edit], policy)[0]) is is_open
    assert not folded_all([edit], replace(policy, prompt=1))[0]


def test_a_draft_of_a_text_that_was_looked_at_is_the_same() -> None:
    """Where many texts together have nothing to look at, each comes out as it would by itself."""
    seen: Counter[bool] = Counter()

    @given(st.integers(0, 2**64 - 1).map(given_file))
    @settings(ALWAYS, max_examples=1500)
    def check(case: Given) -> None:
        edit, origin, screen, neighbours = case
        provider, layers = random.Random(len(edit.text)).choice(ORIGINS)
        origin = Origin(provider, layers, Policy())
        if is_clean([edit.text, *neighbours]):
            drafts = [Draft(edit, origin, 3, 0, screen, clean) for clean in (False, True)]
            assert drafts[0].prepared == drafts[1].prepared
            assert drafts[0].said == drafts[1].said
            assert drafts[0].waits == drafts[1].waits
            seen[bool(drafts[0].said)] += 1

    check()
    assert min(seen.values()) > 100
    assert len(seen) == 2


# -- a file of which there is nothing to say -------------------------------------------------------

SUSPICIOUS = (
    "\u202e",
    "\u200b",
    "<!-- x -->",
    "![a](//b.c)",
    "[/INST]",
    "\x00",
    "\x7f",
    "\ufeff",
    " " * 30,
    "p\u0430y",
    "",
)
TEXTS = (
    "Be brief.",
    "# H\n\nunder",
    "{{ name }}",
    "\\{{ x }}",
    "{ one }",
    "{{{",
    "Überschrift",
    "سلام",
    "A\n---\nb",
    "",
)
NAMES = ("RULES.md", "my rules.md", "a/B.md", "tools/t.md", "p\u0430y.md", "a\u202eb.md", "x" * 210 + ".md", "![.md")
FILE_IDS = ("custom_rules", "safety", "acme.x", "My Rules", "a//b", "tools/T", "p\u0430y", "a<!--b", "x" * 201, "ä", "")
LIMITS = (
    LayerRule(),
    LayerRule(),
    LayerRule(variables=frozenset()),
    LayerRule(layer=1),
    LayerRule(file=10),
    LayerRule(section=5),
    LayerRule(templates=frozenset({"jinja"})),
    LayerRule(templates=frozenset()),
)
ORIGINS = (
    (Provider("foreword", "0.1", "directory"), ("project",)),
    (Provider("foreword", "0.1", "directory"), ("agent", "session")),
    (Provider("foreword", "0.1", "builtin"), ("builtin",)),
    (Provider("foreword", "0.1", "skills"), ("project",)),
    (Provider("foreword", "0.1", "memory"), ("memory", "override")),
    (Provider("acme", "1.0", "main"), ("extension",)),
    (Provider("acme", "1.0", "main"), ("project", "extension")),
    (Provider("", "", "edits="), ("session",)),
)
SCREENS = (
    Screen(),
    Screen("xml"),
    Screen(severities={"bidi-override": "info", "html-comment": "error"}),
    Screen(severities={"nul": "off"}, refuse=frozenset({"zero-width"})),
)
FINDINGS = (Diagnostic("FW009", "warning", "why", PLACE), Diagnostic("FW007", "error", "why", PLACE))
DOCUMENTS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"line": 4},
    {"front_matter": FrontMatter(description="a\u202eb")},
    {"front_matter": FrontMatter(description="What it is for.", title="T")},
    {"front_matter": FrontMatter(description="a <!-- b -->")},
    {"front_matter": FrontMatter(description="one\ntwo")},
    {"front_matter": FrontMatter(description="x" * 250)},
    {"front_matter": FrontMatter()},
    {"failed": True},
    {"failed": True, "diagnostics": FINDINGS},
)
SAID: tuple[dict[str, Any], ...] = (
    {"title": "T"},
    {"title": ""},
    {"title": " Odd\ntitle "},
    {"title": "p\u0430y"},
    {"title": "a<!--b"},
    {"title": "T", "priority": 7},
    {"priority": 7},
    {"mode": "append"},
    {"mode": "remove"},
    {"heading": "H"},
    {"template": "jinja"},
    {"template": "names"},
    {"layer": "session"},
    {"layer": "builtin"},
    {"when": When.model_validate(WHEN)},
    {"base": "0" * 64},
    {"copy_of_below": True},
    {"literal": True},
    {"findings": FINDINGS[:1]},
    {"findings": FINDINGS},
)


class Given(NamedTuple):
    """An edit of a file, where it comes from, and what it is prepared with."""

    edit: Section
    origin: Origin
    screen: Screen
    neighbours: list[str]


def given_file(seed: int) -> Given:
    """An edit as a file gives it, most of the time with one thing about it that is not ordinary."""
    chance = random.Random(seed)
    pick = chance.choice
    odd = chance.randrange(9)
    text = pick(TEXTS)
    if odd == 0:
        text = pick(TEXTS) + pick(SUSPICIOUS) + pick(TEXTS)
    place = chance.randrange(len(NAMES))
    name = NAMES[place] if odd == 1 else NAMES[0]
    document = Document(text, **(pick(DOCUMENTS) if odd == 2 else {}))
    error = FINDINGS[1] if odd == 3 and pick((True, False)) else None
    file = MarkdownFile(
        Root("r", "/r"), name, f"r/{name}", None if odd == 3 and error is None else document, error, None, len(text)
    )
    fields: dict[str, Any] = {
        "id": pick(FILE_IDS) if odd == 4 else pick(FILE_IDS[:3]),
        "text": text if odd != 5 else pick((f" {text} ", "other", text + "x")),
        "file": None if odd == 6 and pick((True, False)) else file,
        "default_title": pick((None, "Derived", " Odd\ntitle ", "")),
        "default_priority": pick((None, 5)),
    }
    if odd == 7:
        fields |= pick(SAID)
    edit: Section
    if odd == 6 and pick((True, False)):
        edit = Section(**fields)
    else:
        usual = {one: Edit.model_fields[one].default for one in Edit.model_fields if one not in fields}
        edit = made({one: {**usual, **fields}[one] for one in Edit.model_fields})
    provider, layers = pick(ORIGINS) if odd == 8 else pick(ORIGINS[:3])
    policy = Policy(layers={layers[0]: pick(LIMITS) if chance.random() < 0.3 else LayerRule()})
    return Given(edit, Origin(provider, layers, policy), pick(SCREENS), [pick(TEXTS) for _ in range(3)])


def test_a_file_of_which_there_is_nothing_to_say_comes_out_as_its_draft() -> None:
    """Wherever an edit is seen to be plain, its draft is the same, waits for nothing and says nothing."""
    seen: Counter[bool | str] = Counter()

    @given(st.integers(0, 2**64 - 1).map(given_file))
    @settings(ALWAYS, max_examples=4000)
    def check(case: Given) -> None:
        edit, origin, screen, neighbours = case
        for clean in (False, not suspected(edit.text), is_clean([edit.text, *neighbours])):
            (quick,) = plain_edits([edit] * 4, [3], origin, clean)
            seen[quick is not None] += 1
            seen["titled"] += quick is not None and bool(quick.title)
            if quick is not None and quick.layer != "builtin":
                seen["described"] += bool(vars(edit)["file"].front_matter.description)
            if quick is None:
                continue
            draft = Draft(edit, origin, 3, 0, screen)
            assert draft.prepared is not None
            assert quick == draft.prepared
            assert quick.leading_heading == draft.prepared.leading_heading
            assert quick.base is None
            assert not draft.waits
            assert draft.said == []
            assert vars(edit).get("when") is None

    check()
    assert seen[True] > 1500
    assert seen[False] > 3000
    assert min(seen["titled"], seen["described"]) > 30


FILE_NAMES = (
    *NAMES,
    "SAFETY.md",
    "Safety.md",
    "IDENTITY.md",
    "agents/ada/RULES.md",
    "agents/ada/tools/t.md",
    "agents/ada/safety.MD",
    "a.txt",
    ".md",
    "A\u0308.md",
)


def read_file(chance: random.Random, usual: float) -> MarkdownFile:
    """A file as it is read, the rarer with anything about it that is not ordinary the more is usual."""
    text = chance.choice(TEXTS[:2]) if chance.random() < usual else chance.choice(TEXTS) + chance.choice(SUSPICIOUS)
    name = chance.choice(FILE_NAMES)
    document: Document | None = Document(text, **(chance.choice(DOCUMENTS) if chance.random() > usual else {}))
    error = FINDINGS[1] if chance.random() > usual else None
    document = None if error is not None and chance.random() < 0.5 else document
    return MarkdownFile(Root("r", "/r"), name, f"r/{name}", document, error, None, len(text))


def test_the_edit_of_a_file_that_says_only_its_text_is_that_of_any_file() -> None:
    """What is made at once of a file that says nothing but its text is the edit that it stands for."""
    seen: Counter[bool | str] = Counter()

    @given(st.integers(0, 2**64 - 1).map(random.Random), st.sampled_from((0.9, 0.7)))
    @settings(ALWAYS, max_examples=3000)
    def check(chance: random.Random, usual: float) -> None:
        file = read_file(chance, usual)
        asked: dict[str, Any] = {} if chance.random() < 0.9 else {"layer": "session"}
        edit, expected = file.edit(**asked), file_edit(file, **asked)
        assert vars(edit) == vars(expected)
        assert list(vars(edit)) == list(vars(expected))
        assert edit == expected
        assert repr(edit) == repr(expected)
        assert edit.model_fields_set == expected.model_fields_set
        assert file.edit(**asked) is edit
        twin = copy(file)
        for one in (file, twin):
            (listed,) = Directory((one,), (), exists=True).edits()
            assert one.edit() is listed
            assert vars(listed) | {"file": file} == vars(file_edit(file))
        is_quick = edit.__pydantic_fields_set__ is TEXT_ONLY
        seen[is_quick] += 1
        seen[file.name] += is_quick
        assert expected.__pydantic_fields_set__ is not TEXT_ONLY
        assert edit.model_copy().__pydantic_fields_set__ is not TEXT_ONLY
        for provider, layers in ORIGINS:
            origin = Origin(provider, layers, Policy())
            found = [plain_edits([one], [0], origin, not suspected(edit.text)) for one in (edit, expected)]
            assert found[0] == found[1]
            if found[0] != [None]:
                assert found[0] == [Draft(expected, origin, 0, 0, Screen()).prepared]

    check()
    assert min(seen[True], seen[False]) > 500
    assert {name for name in FILE_NAMES if seen[name]} == {
        "RULES.md", "my rules.md", "a/B.md", "![.md", "SAFETY.md", "IDENTITY.md", "agents/ada/RULES.md", "A\u0308.md"
    }  # fmt: skip
