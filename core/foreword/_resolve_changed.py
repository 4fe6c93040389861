"""Resolution again: what comes of other edits than before, for the price of those that are others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Final

from ._folded import Folded, PlaceKey, ResolvedSection
from ._names import id_key, is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Change, Resolution
from ._resolve import by_place_key, completed, folded_all, missing, sizes_of
from ._stack import Stacked

MOST_EXCHANGED: Final = 16
"""In how many sections at most a resolution differs from another that it is held as the changes of."""


def resolve_changed(
    earlier: Resolution, gone: Sequence[PreparedEdit], come: Sequence[PreparedEdit], policy: Policy
) -> Resolution:
    """Return the resolution of the edits of an earlier one but some, and of some others.

    It is what `resolve` returns for those edits, and costs what has changed.

    Args:
        earlier: a resolution under the same policy.
        gone: edits of it that are not there any more, each the very object.
        come: edits that are there in addition.
        policy: what the operator allows.
    """
    if not gone and not come:
        return earlier
    before: dict[str, Folded | None] = {}
    for edit in chain(gone, come):
        key = edit.id
        if "/" in key:
            key = id_key(key)
        if key not in before:
            before[key] = earlier.one(key)
    stacks, decided = folded_all(_edits(before.values(), gone, come), policy, earlier)
    changed: Mapping[str, Folded] = {**stacks, **decided} if decided else stacks
    is_strange, asked = earlier.is_strange, earlier.asked
    for one in decided.values():
        if one.strange:
            is_strange, asked = True, asked | one.asked
    # Among the operator's alone, a section that comes or goes to another place moves nothing else.
    is_quiet = not (is_strange or earlier.diagnostics)
    exchanged: list[tuple[ResolvedSection, ResolvedSection]] = []
    placed: list[tuple[ResolvedSection | None, ResolvedSection]] = []
    is_sized = False
    for key, old in before.items():
        new = changed.get(key)
        section = new.section if new is not None else None
        if new is None or section is None or earlier.is_moved or is_tool(key):
            break
        stood = old.section if old is not None else None
        are_stacks = new.is_stack and (old is None or old.is_stack)
        if not are_stacks:
            is_sized = is_sized or bool(new.bytes or new.total or (old is not None and (old.bytes or old.total)))
        if old is not None and stood is not None and _stands_alike(old, stood, new, section, asked):
            exchanged.append((stood, section))
        elif is_quiet and are_stacks:
            placed.append((stood, section))
        else:
            break
    else:
        made = _but_for(earlier, changed, exchanged, placed)
        made.is_strange, made.asked = is_strange, asked
        required = policy.required()
        if earlier.fatal or not changed.keys().isdisjoint(required):
            made.fatal = missing(policy, {id: now for id in required if (now := changed.get(id) or earlier.one(id))})
        if is_sized:
            made.sizes = sizes_of({**earlier.folded, **changed}.items())
        return made
    for key, same in earlier.folded.items():
        if key not in before:
            if type(same) is Stacked:
                stacks[key] = same
            else:
                decided[key] = same
    return completed(stacks, decided, policy)


def _edits(
    before: Iterable[Folded | None], gone: Sequence[PreparedEdit], come: Sequence[PreparedEdit]
) -> list[PreparedEdit]:
    """Return the edits of some sections without those that are gone, and with those that have come."""
    left = set(map(id, gone))
    edits: list[PreparedEdit] = []
    for one in before:
        if one is not None:
            for edit in one.edits:
                if id(edit) not in left:
                    edits.append(edit)
    edits += come
    return edits


def _but_for(
    earlier: Resolution,
    changed: Mapping[str, Folded],
    exchanged: Sequence[tuple[ResolvedSection, ResolvedSection]],
    placed: Sequence[tuple[ResolvedSection | None, ResolvedSection]],
) -> Resolution:
    """Return a resolution that is an earlier one but for some sections.

    Args:
        earlier: the earlier one.
        changed: what the edits of these sections came to.
        exchanged: sections of the earlier one, and those that stand in their places.
        placed: sections of it, or None, and those that stand at other places instead.
    """
    if earlier.of is not None and (placed or not _are_exchanges(earlier.of[1])):
        earlier = earlier.whole()
    base, changes = earlier.of or (earlier, ())
    sections = base.sections
    at: dict[tuple[int, bool, PlaceKey | tuple[()]], ResolvedSection | None] = {}
    for place, is_gone, section in changes:
        at[place, is_gone, ()] = section
    for stood, section in exchanged:
        at[bisect_left(sections, stood.place_key, key=by_place_key), True, ()] = section
    for old, section in placed:
        if old is not None:
            at[bisect_left(sections, old.place_key, key=by_place_key), True, ()] = None
        at[bisect_left(sections, section.place_key, key=by_place_key), False, section.place_key] = section
    # Of what stands at one place, all that comes before it comes after it here.
    in_order: list[Change] = []
    for one in sorted(at, reverse=True):
        in_order.append((one[0], one[1], at[one]))
    if changes:
        changed = {**earlier.changed, **changed}
    made = Resolution(None, changed, earlier.fatal, (base, tuple(in_order)))
    made.like(earlier)
    return made


def _are_exchanges(changes: Sequence[Change]) -> bool:
    """Say whether changes let all others stand where they stood, and are so few that there may be more."""
    return len(changes) < MOST_EXCHANGED and all(is_gone and section is not None for _, is_gone, section in changes)


def _stands_alike(
    old: Folded, before: ResolvedSection, new: Folded, after: ResolvedSection, asked: Set[str]
) -> bool:
    """Say whether a section differs in its text only: nothing else of the prompt has to be looked at again.

    Args:
        old: what its edits came to.
        before: the section that stood.
        new: what they come to now.
        after: the section that stands.
        asked: of which titles it was asked whether they are reserved.
    """
    if before.place_key != after.place_key:
        return False
    if asked and not asked.isdisjoint(old.reserves ^ new.reserves):
        return False
    if old.is_stack and new.is_stack:
        return True
    said = old.diagnostics or new.diagnostics or old.lost or new.lost
    return before.place_trusted == after.place_trusted and not said
