"""Resolution again: what comes of other edits than before, for the price of those that are others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from operator import itemgetter
from typing import Final, TypeAlias

from ._diagnostics import Diagnostic
from ._folded import Folded, PlaceKey, ResolvedSection
from ._names import id_key, is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Change, Resolution
from ._resolve import completed, folded_all, is_in_order, missing, sizes_of
from ._stack import Stacked, holds, is_higher, stacked

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
    if len(gone) == len(come) == 1 and (made := _replaced(earlier, gone[0], come[0], policy)) is not None:
        return made
    settled = _settled(earlier, gone, come, policy)
    if settled is not None:
        made = _but_for(earlier, *settled)
        if earlier.fatal or not _are_in_order(policy, made.changed):
            made.fatal = _missing(policy, earlier, made.changed)
        return made
    before: dict[str, Folded | None] = {}
    for edit in chain(gone, come):
        key = _key(edit)
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
    exchanged: list[ResolvedSection] = []
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
            exchanged.append(section)
        elif is_quiet and are_stacks:
            placed.append((stood, section))
        else:
            break
    else:
        made = _but_for(earlier, changed, exchanged, placed)
        made.is_strange, made.asked = is_strange, asked
        if earlier.fatal or not _are_in_order(policy, changed):
            made.fatal = _missing(policy, earlier, changed)
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


def _replaced(earlier: Resolution, went: PreparedEdit, edit: PreparedEdit, policy: Policy) -> Resolution | None:
    """Return the resolution in which one edit of a section stands in place of another one.

    None where there was or is anything to decide, or the section comes to another place.
    """
    key = edit.id
    if went.id != key or went.layer != edit.layer or went.rank != edit.rank or "/" in key:
        return None
    old = earlier.one(key)
    if not isinstance(old, Stacked) or not old.is_stack or earlier.is_moved or not holds(policy, key, edit):
        return None
    new = stacked(tuple([edit if same is went else same for same in old.edits]))
    place_key = new.place_key
    if old.place_key != place_key or (earlier.asked and not _is_asked_alike(old, new, earlier.asked)):
        return None
    changed: Mapping[str, Folded] = {key: new}
    if earlier.fatal or not _are_in_order(policy, changed):
        return None
    base, changes = earlier.of or (earlier, ())
    place = bisect_left(base.places, place_key)
    at: list[Change] = [(place, True, new)]
    if changes:
        if not _are_exchanges(changes):
            return None
        changed = {**earlier.changed, key: new}
        at += [one for one in changes if one[0] != place]
        at.sort(key=_place_of, reverse=True)
    return Resolution(None, changed, (), (base, tuple(at)), earlier)


_Settled: TypeAlias = (
    "tuple[dict[str, Stacked], list[ResolvedSection], list[tuple[ResolvedSection | None, ResolvedSection]]]"
)


def _settled(
    earlier: Resolution, gone: Sequence[PreparedEdit], come: Sequence[PreparedEdit], policy: Policy
) -> _Settled | None:
    """Return what sections come to of which there was and is nothing to decide, for `_but_for`.

    None unless each change is one edit that comes over those of a section, or in place of one of them, and nothing
    else has to be looked at for it.
    """
    if earlier.is_moved:
        return None
    left = {_key(edit): edit for edit in gone} if gone else {}
    if len(left) != len(gone):
        return None
    asked = earlier.asked
    is_quiet = not (earlier.is_strange or earlier.diagnostics)
    one = earlier.changed.get if earlier.of is None else earlier.one
    stacks: dict[str, Stacked] = {}
    exchanged: list[ResolvedSection] = []
    placed: list[tuple[ResolvedSection | None, ResolvedSection]] = []
    for edit in come:
        key = edit.id
        if "/" in key:
            key = id_key(key)
            if is_tool(key):
                return None
        if key in stacks or not holds(policy, key, edit):
            return None
        old = one(key)
        if old is None:
            new = stacked((edit,))
        elif not isinstance(old, Stacked) or not old.is_stack:
            return None
        elif key in left:
            went = left.pop(key)
            if went.layer != edit.layer or went.rank != edit.rank:
                return None
            new = stacked(tuple([edit if same is went else same for same in old.edits]))
        elif is_higher(edit, old.edits[-1]):
            new = stacked((*old.edits, edit), old)
        else:
            return None
        stacks[key] = new
        if old is not None and old.place_key == new.place_key and (not asked or _is_asked_alike(old, new, asked)):
            exchanged.append(new)
        elif is_quiet:
            placed.append((old, new))
        else:
            return None
    return None if left else (stacks, exchanged, placed)


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


def _are_in_order(policy: Policy, changed: Mapping[str, Folded]) -> bool:
    """Say whether there is nothing to say of the required ones among some sections."""
    required = policy.required()
    return changed.keys().isdisjoint(required) or all(is_in_order(changed[id]) for id in required if id in changed)


def _missing(policy: Policy, earlier: Resolution, changed: Mapping[str, Folded]) -> tuple[Diagnostic, ...]:
    required = policy.required()
    return missing(policy, {id: now for id in required if (now := changed.get(id) or earlier.one(id))})


def _key(edit: PreparedEdit) -> str:
    return id_key(edit.id) if "/" in edit.id else edit.id


def _but_for(
    earlier: Resolution,
    changed: Mapping[str, Folded],
    exchanged: Sequence[ResolvedSection],
    placed: Sequence[tuple[ResolvedSection | None, ResolvedSection]],
) -> Resolution:
    """Return a resolution that is an earlier one but for some sections.

    Args:
        earlier: the earlier one.
        changed: what the edits of these sections came to.
        exchanged: sections that stand where those of the earlier one stood.
        placed: sections of it, or None, and those that stand at other places instead.
    """
    if earlier.of is not None and (placed or not _are_exchanges(earlier.of[1])):
        earlier = earlier.whole()
    base, changes = earlier.of or (earlier, ())
    places = base.places
    at: list[Change] = []
    for section in exchanged:
        at.append((bisect_left(places, section.place_key), True, section))
    if changes:
        anew = [one[0] for one in at]
        at += [one for one in changes if one[0] not in anew]
        changed = {**earlier.changed, **changed}
    if len(placed) > 1:
        placed = sorted(placed, key=_place_key_of_new, reverse=True)
    for old, section in placed:
        if old is not None:
            at.append((bisect_left(places, old.place_key), True, None))
        at.append((bisect_left(places, section.place_key), False, section))
    # Of what comes to one place, what stands last is put there first.
    at.sort(key=_place_of, reverse=True)
    return Resolution(None, changed, earlier.fatal, (base, tuple(at)), earlier)


_place_of: Final = itemgetter(0, 1)


def _place_key_of_new(placed: tuple[ResolvedSection | None, ResolvedSection]) -> PlaceKey:
    return placed[1].place_key


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
    if asked and not _is_asked_alike(old, new, asked):
        return False
    if old.is_stack and new.is_stack:
        return True
    said = old.diagnostics or new.diagnostics or old.lost or new.lost
    return before.place_trusted == after.place_trusted and not said


def _is_asked_alike(old: Folded, new: Folded, asked: Set[str]) -> bool:
    """Say whether a section reserves the same as before of the titles of which it was asked."""
    return asked.isdisjoint(old.reserves ^ new.reserves)
