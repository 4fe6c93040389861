"""A resolution that is made from an earlier one is what would be made anew."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_properties import ALWAYS, CASES, IDS, TEXTS, TITLES, Case, comes_to, everything

from foreword import _resolve_changed
from foreword._diagnostics import Place
from foreword._layout import LAYOUTS, texts
from foreword._policy import LayerRule, Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolution import Resolution
from foreword._resolve import resolve
from foreword._resolve_changed import resolve_changed

PROVIDER = Provider("acme", "1.0", "main")
PLACE = Place("code", 1)

LIMITS: tuple[dict[str, LayerRule], ...] = (
    {},
    {},
    {"memory": LayerRule(layer=3), "override": LayerRule(layer=9), "project": LayerRule(layer=10**6)},
)
MOST = (None, None, 20)


def limited(case: Case) -> tuple[list[PreparedEdit], Policy, random.Random]:
    """A case whose policy may limit layers and the prompt too."""
    edits, policy, chance = case
    return list(edits), replace(policy, layers=chance.choice(LIMITS), prompt=chance.choice(MOST)), chance


def stood(id: str, text: str, **given: object) -> PreparedEdit:
    """The operator's edit that defines a section."""
    edit = PreparedEdit(id, "project", "plain", PROVIDER, PLACE, text=text, raw=text)
    return edit._replace(**given)  # type: ignore[arg-type]


def quiet(seed: int) -> Case:
    """A case in which nearly every edit holds, and changes its text only."""
    chance = random.Random(seed)
    pick = chance.choice
    edits: list[PreparedEdit] = []
    for position, id in enumerate(IDS):
        text = pick(TEXTS)
        edits.append(stood(id, text, position=position, priority=pick((None, 10, 20))))
        for mode in ("append", "prepend"):
            layer = pick(("agent", "memory", "override", "", "", ""))
            if layer:
                edit = stood(id, pick(TEXTS), position=position, layer=layer, mode=mode, trusted=layer == "agent")
                edits.append(edit)
    rules = {pick(IDS).lower(): SectionRule(required=True) for _ in range(4)}
    return Case([edit for edit in edits if chance.random() < 0.9], Policy(rules, {}, {}), chance)


def stacks(seed: int) -> Case:
    """A case in which the operator's texts simply stand over one another."""
    chance = random.Random(seed)
    pick = chance.choice
    edits = [
        stood(id, pick(TEXTS), position=position, layer=layer, priority=pick((None, 10, 20)))
        for position, id in enumerate(("safety", "one", "two", "three", "four", "five"))
        for layer in ("builtin", "project", "agent")
        if chance.random() < 0.6
    ]
    return Case(edits, Policy({"safety": SectionRule(required=True)}, {}, {}), chance)


QUIET = st.integers(0, 2**64 - 1).map(quiet) | st.integers(0, 2**64 - 1).map(stacks)


def others(edits: Sequence[PreparedEdit], chance: random.Random) -> list[PreparedEdit]:
    """Other edits of which many are the very same objects."""
    if edits and chance.random() < 0.7:
        place = chance.randrange(len(edits))
        other = changed(edits[place], chance) if chance.random() < 0.5 else written(edits[place], chance)
        return [*edits[:place], other, *edits[place + 1 :]]
    kept = [edit for edit in edits if chance.random() < 0.85]
    for place, edit in enumerate(kept):
        if chance.random() < 0.25:
            kept[place] = changed(edit, chance)
    # As a source gives them, no two edits have the same position.
    free = max([edit.position for edit in edits], default=0) + 1
    more = [edit for edit in edits if chance.random() < 0.1]
    kept += [changed(edit, chance)._replace(position=free + count) for count, edit in enumerate(more)]
    chance.shuffle(kept)
    return kept


def changed(edit: PreparedEdit, chance: random.Random) -> PreparedEdit:
    """An edit that differs in one thing, or an equal one that is another object."""
    return chance.choice(
        [
            written(edit, chance),
            edit._replace(title=chance.choice(TITLES)),
            edit._replace(default_title=chance.choice(TITLES)),
            edit._replace(priority=chance.choice((None, 1, 500))),
            edit._replace(default_priority=chance.choice((100, 200, 900))),
            edit._replace(id=chance.choice(IDS)),
            edit._replace(verdict=chance.choice((None, "failed"))),
            edit._replace(trusted=edit.layer == "project" and not edit.trusted),
            edit._replace(),
        ]
    )


def written(edit: PreparedEdit, chance: random.Random) -> PreparedEdit:
    """The same edit with another text, which may be blank."""
    text = chance.choice((*TEXTS, "", "", "four", "five"))
    return edit._replace(text=text, raw=text)


def told(resolution: Resolution) -> tuple[object, ...]:
    """Everything that a resolution holds and keeps, in its order."""
    folded = {key: comes_to(one) for key, one in resolution.folded.items()}
    layouts = [list(texts(layout, resolution)) for layout in LAYOUTS.values()]
    return everything(resolution), resolution.reserved, resolution.is_moved, dict(resolution.sizes), folded, layouts


def test_a_changed_resolution_is_that_of_the_changed_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking edits away and adding others comes to what all that are then there come to, over and over."""
    seen: Counter[str] = Counter()
    # So that a resolution of few sections, too, is now and then held as the changes of none any more.
    monkeypatch.setattr(_resolve_changed, "MOST_EXCHANGED", 3)

    @given(CASES | QUIET)
    @settings(ALWAYS, max_examples=1000)
    def check(case: Case) -> None:
        now, policy, chance = limited(case)
        resolution = resolve(now, policy)
        for _ in range(5):
            after = others(now, chance)
            gone = [edit for edit in now if not is_among(edit, after)]
            come = [edit for edit in after if not is_among(edit, now)]
            before = told(resolution)
            later = resolve_changed(resolution, gone, come, policy)
            anew = resolve(after, policy)
            assert later == anew
            assert told(later) == told(anew)
            assert told(resolution) == before
            count(seen, later, resolution)
            if chance.random() < 0.7:
                resolution, now = later, after

    check()
    assert seen["taken over"] > 1000
    assert seen["in place"] > 300
    for what, least in LEAST.items():
        assert seen[what] > least, what


LEAST = {
    "other titles": 30,
    "titled otherwise": 3,
    "a prompt's size in place": 40,
    "a layer's size in place": 10,
    "a required section in place": 3,
    "in place of one in place": 50,
    "elsewhere among the operator's": 20,
    "moved before": 5,
    "moved now": 2,
    "tools": 200,
}
"""How often at least each of what the property is about has to come about."""


def is_among(edit: PreparedEdit, edits: Sequence[PreparedEdit]) -> bool:
    """Whether this very object is among them."""
    return any(edit is other for other in edits)


def count(seen: Counter[str], later: Resolution, earlier: Resolution) -> None:
    """Count what of an earlier resolution was taken over, and what for the sake of titles was not."""
    before = earlier.folded
    for key, one in later.folded.items():
        old = before.get(key)
        if old is one:
            seen["taken over"] += 1
        elif old is not None and one.strange and earlier.reserved != later.reserved:
            same = sorted(one.edits, key=id) == sorted(old.edits, key=id)
            seen["other titles"] += same
            seen["titled otherwise"] += same and old.section != one.section
    seen["moved before"] += earlier.is_moved and not later.is_moved
    seen["moved now"] += later.is_moved and not earlier.is_moved
    seen["tools"] += later.tools != earlier.tools
    if later.of is not None:
        in_place = all(is_gone and section is not None for _, is_gone, section in later.of[1])
        seen["in place" if in_place else "elsewhere among the operator's"] += 1
        seen["in place of one in place"] += earlier.of is not None
        seen["a prompt's size in place"] += later.sizes.get(None) != earlier.sizes.get(None)
        seen["a layer's size in place"] += later.sizes.get("project") != earlier.sizes.get("project")
        seen["a required section in place"] += later.fatal != earlier.fatal


def test_a_title_that_becomes_reserved_or_free_is_seen_by_strangers() -> None:
    """A stranger's section takes another title when an edit of another section reserves its own, and has it back."""
    policy = Policy({}, {}, {})
    operator = stood("a", "one", title="Rules")
    stranger = PreparedEdit(
        "acme.x", "extension", "plain", PROVIDER, PLACE, text="two", raw="two", title="House Rules", trusted=False
    )
    free = resolve([operator, stranger], policy)
    taken_edit = operator._replace(title="House Rules")
    taken = resolve([taken_edit, stranger], policy)
    titles = [[one.title for one in resolution.sections if one.id == "acme.x"] for resolution in (free, taken)]
    assert titles[0] == ["House Rules"]
    assert titles[1] != titles[0]
    assert told(resolve_changed(free, [operator], [taken_edit], policy)) == told(taken)
    assert told(resolve_changed(taken, [taken_edit], [operator], policy)) == told(free)
    assert told(resolve_changed(taken, [taken_edit], [], policy)) == told(resolve([stranger], policy))


def test_a_title_that_a_stranger_took_of_late_is_taken_back() -> None:
    """What a stranger's section was called anew is seen when another edit comes to reserve that title."""
    policy = Policy({}, {}, {})
    operator = stood("a", "one")
    old = PreparedEdit(
        "acme.x", "extension", "plain", PROVIDER, PLACE, text="two", raw="two", title="Rules", trusted=False
    )
    new, reserving = old._replace(title="House Rules", text="three"), operator._replace(title="House Rules")
    first = resolve([operator, old], policy)
    second = resolve_changed(first, [old], [new], policy)
    third = resolve_changed(second, [operator], [reserving], policy)
    assert [one.title for one in second.sections if one.id == "acme.x"] == ["House Rules"]
    assert [one.title for one in third.sections if one.id == "acme.x"] != ["House Rules"]
    assert told(third) == told(resolve([reserving, new], policy))


@pytest.mark.parametrize("gone", ["builtin", "project", "agent"])
@pytest.mark.parametrize("come", ["builtin", "project", "agent", "session"])
@pytest.mark.parametrize("rank", [0, 1])
def test_an_edit_takes_the_place_of_its_layer_whatever_goes_for_it(gone: str, come: str, rank: int) -> None:
    """An edit that comes as another of its section goes stands where its layer and its rank say."""
    layers = ("builtin", "project", "agent")
    stack = {layer: stood("a", layer, layer=layer, title=f"Of {layer}", priority=10) for layer in layers}
    other = stood("b", "other")
    new = stood("a", "new", layer=come, rank=rank, title="Of late", priority=30)
    before = [*stack.values(), other]
    after = [edit for edit in before if edit is not stack[gone]]
    if (come, rank) in [(edit.layer, edit.rank) for edit in after if edit.id == "a"]:
        after = [edit for edit in after if edit.layer != come]
    left = [edit for edit in before if all(edit is not same for same in after)]
    later = resolve_changed(resolve(before, Policy()), left, [new], Policy())
    assert told(later) == told(resolve([*after, new], Policy()))


def test_a_resolution_without_a_change_is_the_earlier_one() -> None:
    """Where nothing is gone and nothing has come, there is nothing to resolve."""
    resolution = resolve([stood("a", "one")], Policy())
    assert resolve_changed(resolution, [], [], Policy()) is resolution


def test_a_text_that_changes_costs_only_itself() -> None:
    """Where only a text differs, no other section is folded, ordered or written again."""
    edits = [stood(name, name) for name in "abcd"]
    resolution = resolve(edits, Policy())
    before = {name: list(texts(layout, resolution)) for name, layout in LAYOUTS.items()}
    one, two = stood("b", "new"), stood("d", "newer", position=1)
    later = resolve_changed(resolution, [edits[1]], [one], Policy())
    last = resolve_changed(later, [edits[3]], [two], Policy())
    for changes, places in ((later, [1]), (last, [1, 3])):
        assert changes.of is not None
        base, exchanged = changes.of
        assert base.of is None
        assert [(place, is_gone) for place, is_gone, _ in exchanged] == [(place, True) for place in reversed(places)]
        assert [section.id for section in changes.sections] == ["a", "b", "c", "d"]
    assert later.of is not None
    assert later.of[0] is resolution
    assert last.folded["c"] is resolution.folded["c"]
    assert last.sections[0] is resolution.sections[0]
    assert list(texts(LAYOUTS["default"], last)) == ["a", "new", "c", "newer"]
    assert list(texts(LAYOUTS["default"], resolution)) == before["default"] == ["a", "b", "c", "d"]
    assert list(texts(LAYOUTS["xml"], resolution)) == before["xml"]


def test_what_comes_in_place_is_counted() -> None:
    """Where nothing was limited before, a text that comes to be limited is counted: for its layer or for the prompt."""
    base, blank = stood("a", "one"), stood("a", "")
    more = stood("a", "more", layer="memory", mode="append", trusted=False)
    limits = {"memory": LayerRule(layer=100)}
    for policy, before, gone, come, sizes in (
        (Policy(layers=limits), [base], [], [more], {"memory": 4}),
        (Policy(prompt=100), [blank], [blank], [base], {None: 3}),
    ):
        earlier = resolve(before, policy)
        later = resolve_changed(earlier, gone, come, policy)
        assert earlier.sizes == {}
        assert later.of is not None
        assert later.sizes == sizes


def test_a_section_that_is_taken_away_counts_nothing() -> None:
    """What no section says is in no limit."""
    gone = [stood("a", "one"), stood("a", "", layer="agent", mode="remove")]
    assert resolve(gone, Policy(prompt=100, layers={"project": LayerRule(layer=100)})).sizes == {}
