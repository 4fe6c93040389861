"""The cheap gate before the models, held against the models."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from foreword import Builder, Diagnostic, Edit, Section, hookimpl
from foreword._context import asked
from foreword._discovery import Discovered
from foreword._manager import Manager
from foreword._plain_sections import plain_copy, same_section
from foreword._plugin_calls import Caller, Contribution, Gathered
from foreword._plugin_sections import third_party_sections
from foreword._provider import Provider
from foreword.config._settings import PluginSettings
from foreword.markdown._front_matter import When


class Sly(str):
    """A text that is equal to anything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Number(int):
    """A number of another kind."""


TEXTS = st.sampled_from(["acme.x", "", "text", "caf\u00e9", "\ud800", Sly("text"), "names", "define", "extension"])
FINDING = Diagnostic("FW001", "info", "said")
ODD = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -9999, 9999, 10000, -10000, Number(1), 1.0, float("nan")]),
    st.sampled_from([(), [], (FINDING,), (1,), When(), When(agents=("a",)), b"x"]),
)
RIGHT: dict[str, st.SearchStrategy[Any]] = {
    "id": st.sampled_from(["acme.x", "acme.y", "b\u00e4r"]),
    "text": st.sampled_from(["", "text", "caf\u00e9"]),
    "title": st.sampled_from([None, "T", "\u00dc"]),
    "priority": st.sampled_from([None, 0, 1, 9999]),
    "file": st.none(),
    "default_title": st.sampled_from([None, "T"]),
    "default_priority": st.sampled_from([None, 1, -9999]),
}
MORE: dict[str, st.SearchStrategy[Any]] = {
    "mode": st.sampled_from([None, "define", "append"]),
    "heading": st.sampled_from([None, "H"]),
    "template": st.sampled_from([None, "names", "jinja"]),
    "layer": st.sampled_from([None, "extension", "session"]),
    "when": st.none(),
    "base": st.sampled_from([None, "b"]),
    "copy_of_below": st.booleans(),
    "literal": st.booleans(),
    "findings": st.just(()),
}


@st.composite
def unchecked(draw: st.DrawFn) -> Section:
    """Draw a section or edit that was made without any check; mostly one field at most is odd."""
    kind: type[Section] = draw(st.sampled_from([Section, Edit]))
    right = RIGHT if kind is Section else {**RIGHT, **MORE}
    fields = {name: draw(value) for name, value in right.items()}
    for name in draw(st.sets(st.sampled_from(sorted(fields)), max_size=2)):
        fields[name] = draw(ODD)
    if draw(st.integers(0, 9)) == 0:
        del fields[draw(st.sampled_from(sorted(fields)))]
    if draw(st.integers(0, 9)) == 0:
        fields["more"] = 1
    made = kind.model_construct()
    object.__setattr__(made, "__dict__", fields)
    return made


def told(section: Section | None) -> object:
    """What a section says, so that kinds of values and absent fields are told apart."""
    return section and (type(section), [(name, type(value), repr(value)) for name, value in vars(section).items()])


@settings(max_examples=600)
@given(unchecked())
def test_what_the_gate_lets_through_its_model_takes_as_it_stands(given: Section) -> None:
    """Whatever passes the cheap gate passes the model as well, and comes out of both the same."""
    copied = plain_copy(given)
    if copied is None:
        return
    checked = type(given)(**vars(given))
    assert told(copied) == told(checked)
    assert copied == checked
    assert hash(copied) == hash(checked)
    assert repr(copied) == repr(checked)
    assert copied.model_copy(update={"title": "T"}) == checked.model_copy(update={"title": "T"})


@given(st.fixed_dictionaries(RIGHT), st.fixed_dictionaries(MORE), st.booleans())
def test_the_gate_lets_through_what_authors_write(fields: dict[str, Any], more: dict[str, Any], edit: bool) -> None:
    """A section in order that is all ASCII never needs its model a second time."""
    section = Edit(**fields, **more) if edit else Section(**fields)
    plain = all(value.isascii() for value in vars(section).values() if isinstance(value, str))
    assert (plain_copy(section) is not None) == plain


def test_what_happens_to_a_section_later_does_not_reach_its_copy() -> None:
    """A plugin that changes its section after it was looked at changes nothing."""
    section = Section("acme.x", "Mine.")
    copied = plain_copy(section)
    object.__setattr__(section, "text", 5)
    vars(section)["id"] = "other"
    assert copied is not None
    assert (copied.id, copied.text) == ("acme.x", "Mine.")


@settings(max_examples=600)
@given(unchecked(), unchecked(), st.booleans())
def test_a_section_that_is_the_same_as_a_checked_one_is_in_order(given: Section, known: Section, close: bool) -> None:
    """Whatever is the same as a checked section comes out of its model as that very section would."""
    if close:
        # Equal in every field but perhaps one.
        given = known.model_copy()
        object.__setattr__(given, "__dict__", {**vars(known), "priority": vars(known).get("default_priority")})
    try:
        checked = type(known)(**vars(known))
    except (ValidationError, TypeError):
        return
    if same_section(given, checked):
        assert told(type(given)(**vars(given))) == told(checked)
    elif close and told(given) == told(checked):
        assert vars(checked).get("when") is not None or vars(checked).get("findings")


@settings(max_examples=100)
@given(
    st.lists(
        st.lists(
            st.one_of(
                st.none(),
                st.lists(unchecked() | st.integers(0, 3), max_size=3),
                st.lists(unchecked(), max_size=2).map(tuple),
                st.just("text"),
            ),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=3,
    ),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
)
def test_what_was_returned_before_changes_nothing_but_the_work(rounds: list[list[Any]], order: list[int]) -> None:
    """Contributions and diagnostics are the same whether or not those of an earlier build are at hand."""
    returned: list[Any] = [None] * 3

    def plugin(number: int) -> object:
        class Plugin:
            @hookimpl
            def foreword_sections(self) -> Any:
                return returned[number]

        return Plugin()

    found = [Discovered(Provider(f"acme-{n}", "1", "main"), "", lambda n=n: plugin(n)) for n in range(3)]
    manager = Manager(PluginSettings(), found=found)
    calls = manager.third_party_calls("foreword_sections")
    context = Builder(plugins=False).plan().context

    def gathered(before: list[Contribution]) -> tuple[list[Contribution], list[Diagnostic], set[Provider]]:
        all_of_it = Gathered()
        caller = Caller(all_of_it, asked(context, all_of_it.diagnostics), manager)
        contributions = third_party_sections(caller, calls, before)
        return contributions, all_of_it.diagnostics, all_of_it.broken

    before: list[Contribution] = []
    for number in order:
        returned[:] = rounds[number % len(rounds)]
        warm, cold = gathered(before), gathered([])
        assert warm[1:] == cold[1:]
        assert [(told(one.edit), *one[1:]) for one in warm[0]] == [(told(one.edit), *one[1:]) for one in cold[0]]
        before = warm[0]


def test_the_same_sections_are_the_same_contributions() -> None:
    """A plugin that returns what it returned before gives the very objects; another plugin's change is its own."""
    texts = {"a": "One.", "b": "Two."}

    class Plugin:
        def __init__(self, name: str) -> None:
            self.name = name

        @hookimpl
        def foreword_sections(self) -> list[Section]:
            text = texts[self.name]
            return [Section(f"{self.name}.x", f"{text} "), Edit(f"{self.name}.y", f"{text} ", mode="append")]

    found = [Discovered(Provider(name, "1", "main"), "", lambda name=name: Plugin(name)) for name in texts]
    manager = Manager(PluginSettings(), found=found)
    calls = manager.third_party_calls("foreword_sections")
    context = Builder(plugins=False).plan().context
    first = third_party_sections(Caller(Gathered(), context, manager), calls)
    texts["a"] = "Other."
    second = third_party_sections(Caller(Gathered(), context, manager), calls, first)
    assert [one is two for one, two in zip(first, second, strict=True)] == [False, False, True, True]
    assert [one.edit.text for one in second] == ["Other. ", "Other. ", "Two. ", "Two. "]


def test_what_a_skill_gave_before_is_no_section() -> None:
    """A section that says what a skill of the plugin said before has a section's place, not the skill's."""
    section = Section("skills/acme.x", "Mine.", default_priority=710)

    class Plugin:
        @hookimpl
        def foreword_sections(self) -> list[Section]:
            return [section]

    provider = Provider("acme", "1", "main")
    manager = Manager(PluginSettings(), found=[Discovered(provider, "", lambda: Plugin())])
    calls = manager.third_party_calls("foreword_sections")
    context = Builder(plugins=False).plan().context
    before = [Contribution(section, calls[0].provider, ("extension",), 10_000)]
    (given,) = third_party_sections(Caller(Gathered(), context, manager), calls, before)
    assert (given.position, given.edit) == (0, section)
