"""Resolution again: what comes of other edits than before, for the price of those that are others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from operator import itemgetter
from typing import Final

from ._folded import Folded, ResolvedSection, folded, folded_stack
from ._names import is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Resolution
from ._resolve import TOOLS, by_place_key, completed, key_of, missing, sizes_of

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
    if earlier.of is not None and not 0 < len(earlier.of[1]) < MOST_EXCHANGED:
        earlier = earlier.whole()
    groups: dict[str, list[PreparedEdit]] = {}
    for edit in gone:
        key = key_of(edit)
        if key not in groups:
            groups[key] = _edits_of(earlier, key)
        groups[key] = [other for other in groups[key] if other is not edit]
    for edit in come:
        key = key_of(edit)
        if key not in groups:
            groups[key] = _edits_of(earlier, key)
        groups[key].append(edit)
    changed: dict[str, Folded] = {}
    for key, group in groups.items():
        if group:
            changed[key] = folded_stack(key, group, policy) or folded(key, group, policy, earlier.reserved)
    is_strange, asked = earlier.is_strange, earlier.asked
    for one in changed.values():
        if one.strange:
            is_strange, asked = True, asked | one.asked
    # Among the operator's alone, a section that comes or goes to another place moves nothing else.
    is_quiet = not (is_strange or earlier.diagnostics)
    exchanged: list[tuple[ResolvedSection | None, ResolvedSection]] = []
    in_part = not earlier.is_moved and len(changed) == len(groups)
    in_place, is_sized = True, False
    for key, new in changed.items():
        old, section = earlier.one(key), new.section
        is_sized = is_sized or bool(new.bytes or new.total or (old is not None and (old.bytes or old.total)))
        if section is None:
            in_part = False
        elif old is not None and _stands_alike(old, new, asked):
            exchanged.append((old.section, section))
        elif is_quiet and new.is_stack and (old is None or old.is_stack) and not key.startswith(TOOLS):
            exchanged.append((old.section if old is not None else None, section))
            in_place = False
        else:
            in_part = False
    if not in_part:
        found = {key: one for key, one in earlier.folded.items() if key not in groups}
        found.update(changed)
        return completed(found, policy)
    fatal, required = earlier.fatal, policy.required()
    if fatal or not changed.keys().isdisjoint(required):
        fatal = tuple(missing(policy, {id: changed.get(id) or earlier.one(id) for id in required}))
    sizes = sizes_of({**earlier.folded, **changed}.items()) if is_sized else earlier.sizes
    rest = (is_strange, asked, False, earlier.diagnostics, fatal, sizes)
    if not in_place:
        earlier = earlier.whole()
        replaced = {id(old) for old, _ in exchanged}
        ordered = [section for section in earlier.sections if id(section) not in replaced]
        ordered += [new for _, new in exchanged]
        ordered.sort(key=by_place_key)
        return Resolution(tuple(ordered), earlier.tools, changed, *rest, (earlier, ()))
    base, before = earlier.of if earlier.of is not None else (earlier, ())
    places = dict(before)
    for old_section, section in exchanged:
        assert old_section is not None
        places[_place(base, before, old_section)] = section
    if earlier.of is not None:
        changed = {**earlier.changed, **changed}
    return Resolution(None, earlier.tools, changed, *rest, (base, tuple(sorted(places.items(), key=_by_place))))


def _edits_of(resolution: Resolution, key: str) -> list[PreparedEdit]:
    one = resolution.one(key)
    return list(one.edits) if one is not None else []


def _place(base: Resolution, exchanged: Iterable[tuple[int, ResolvedSection]], section: ResolvedSection) -> int:
    """Return where a section stands in a base of which some sections were exchanged before."""
    for place, other in exchanged:
        if other is section:
            return place
    place = 0
    while base.sections[place] is not section:
        place += 1
    return place


def _stands_alike(old: Folded, new: Folded, asked: Set[str]) -> bool:
    """Say whether a section differs in its text only: nothing else of the prompt has to be looked at again.

    Args:
        old: what its edits came to.
        new: what they come to now.
        asked: of which titles it was asked whether they are reserved.
    """
    before, after = old.section, new.section
    return (
        before is not None
        and after is not None
        and before.place_key == after.place_key
        and before.place_trusted == after.place_trusted
        and (not asked or asked.isdisjoint(old.reserves ^ new.reserves))
        and not (old.diagnostics or new.diagnostics or old.lost or new.lost)
        and not is_tool(after.id)
    )


_by_place = itemgetter(0)
