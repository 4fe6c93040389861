"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from operator import attrgetter, itemgetter
from typing import Final

from ._diagnostics import Diagnostic
from ._folded import Folded, ResolvedSection, folded, folded_stack
from ._layers import OPERATOR
from ._names import id_key, is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Resolution, by_key, reserved_in
from ._titles import NOTHING_RESERVED

_TOOLS = "tools/"

MOST_EXCHANGED: Final = 16
"""In how many sections at most a resolution differs from another that it is held as the changes of."""


def resolve(edits: Iterable[PreparedEdit], policy: Policy) -> Resolution:
    """Decide which text wins for every section.

    Args:
        edits: the prepared edits, in any order.
        policy: what the operator allows.

    Returns:
        The sections in their final order, the tool prose, the chain of edits of every id with their
        outcomes, and what there is to say. ``fatal`` holds the findings for which the build must raise.
    """
    groups: dict[str, list[PreparedEdit]] = {}
    for edit in edits:
        key = edit.id
        if key.startswith(_TOOLS):
            key = id_key(key)
        group = groups.get(key)
        if group is None:
            groups[key] = [edit]
        else:
            group.append(edit)
    found = {key: folded_stack(key, group, policy) or folded(key, group, policy) for key, group in groups.items()}
    return _completed(found, policy)


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
        key = _key(edit)
        if key not in groups:
            groups[key] = _edits_of(earlier, key)
        groups[key] = [other for other in groups[key] if other is not edit]
    for edit in come:
        key = _key(edit)
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
        elif is_quiet and new.is_stack and (old is None or old.is_stack) and not key.startswith(_TOOLS):
            exchanged.append((old.section if old is not None else None, section))
            in_place = False
        else:
            in_part = False
    if not in_part:
        found = {key: one for key, one in earlier.folded.items() if key not in groups}
        found.update(changed)
        return _completed(found, policy)
    fatal, required = earlier.fatal, policy.required()
    if fatal or not changed.keys().isdisjoint(required):
        fatal = tuple(_required(policy, {id: changed.get(id) or earlier.one(id) for id in required}))
    sizes = _sizes({**earlier.folded, **changed}.items()) if is_sized else earlier.sizes
    rest = (is_strange, asked, False, earlier.diagnostics, fatal, sizes)
    if not in_place:
        earlier = earlier.whole()
        replaced = {id(old) for old, _ in exchanged}
        ordered = [section for section in earlier.sections if id(section) not in replaced]
        ordered += [new for _, new in exchanged]
        ordered.sort(key=_place_key)
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


def _key(edit: PreparedEdit) -> str:
    id = edit.id
    return id_key(id) if id.startswith(_TOOLS) else id


def _completed(found: dict[str, Folded], policy: Policy) -> Resolution:
    """Return the resolution that sections come to together."""
    decided = [(key, one) for key, one in found.items() if not one.is_stack]
    strange = [(key, one) for key, one in decided if one.strange]
    if strange:
        # Only a stranger's title has to keep clear of what others reserve.
        reserved = reserved_in(found.values())
        for key, one in strange:
            if one.reserved is not reserved and not one.asked.isdisjoint(one.reserved ^ reserved):
                found[key] = folded(key, one.edits, policy, reserved)
        decided = [(key, one) for key, one in found.items() if not one.is_stack]
    sections: list[ResolvedSection] = []
    tools: list[tuple[str, ResolvedSection]] = []
    for key, one in found.items():
        section = one.section
        if section is not None:
            if key.startswith(_TOOLS):
                tools.append((key, section))
            else:
                sections.append(section)
    diagnostics: list[Diagnostic] = []
    if any(one.diagnostics or one.lost for _, one in decided):
        in_order = [one for _, one in sorted(found.items(), key=by_key)]
        ids = sorted(one.id for one in in_order)
        diagnostics += (said for one in in_order for said in one.diagnostics)
        diagnostics += (_no_target(edit, ids) for one in in_order for edit in one.lost)
    moved: list[Diagnostic] = []
    if strange:
        ordered, moved = _order(sections, policy)
        diagnostics += moved
    else:
        ordered = tuple(sorted(sections, key=_place_key))
    fatal = tuple(_required(policy, found))
    prose = tuple([section for _, section in sorted(tools, key=by_key)]) if tools else ()
    asked = NOTHING_RESERVED.union(*[one.asked for _, one in decided])
    titles = (bool(strange), asked)
    return Resolution(ordered, prose, found, *titles, bool(moved), tuple(diagnostics), fatal, _sizes(decided))


def _sizes(found: Iterable[tuple[str, Folded]]) -> Mapping[str | None, int]:
    sizes: dict[str | None, int] = {}
    for key, one in found:
        for layer, size in one.bytes.items():
            sizes[layer] = sizes.get(layer, 0) + size
        if one.total and not key.startswith(_TOOLS):
            sizes[None] = sizes.get(None, 0) + one.total
    return sizes


def _order(
    sections: list[ResolvedSection], policy: Policy
) -> tuple[tuple[ResolvedSection, ...], list[Diagnostic]]:
    # Whatever the windows say, an untrusted section stands behind every locked one.
    locked = policy.locks
    fence = max([section.place_key for section in sections if section.id in locked], default=None)
    keyed: list[tuple[_Place, bool, _Place, ResolvedSection]] = []
    moved: list[ResolvedSection] = []
    for section in sections:
        place = section.place_key
        if (
            fence is not None
            and place < fence
            and not section.place_trusted
            and section.id not in locked
        ):
            keyed.append((fence, True, place, section))
            moved.append(section)
        else:
            keyed.append((place, False, place, section))
    # No two sections have the same place, so the sections themselves are never compared.
    keyed.sort()
    diagnostics = [_moved(section, fence[2] if fence else "") for section in sorted(moved, key=_by_id)]
    return tuple([section for _, _, _, section in keyed]), diagnostics


_Place = tuple[int, int, str]
_place_key = attrgetter("place_key")
_by_place = itemgetter(0)


def _by_id(section: ResolvedSection) -> str:
    return section.id


def _moved(section: ResolvedSection, locked: str) -> Diagnostic:
    return Diagnostic(
        "FW024",
        "warning",
        f"{section.id!r} stands behind the locked section {locked!r}, not at priority {section.priority}",
        section.standing.placed_by.place,
        "give it a higher priority",
        section.id,
        str(section.standing.placed_by.provider),
    )


def _no_target(edit: PreparedEdit, ids: Sequence[str]) -> Diagnostic:
    from difflib import get_close_matches

    near = get_close_matches(edit.id, [id for id in ids if id != edit.id], 1, 0.75)
    hint = f"did you mean {near[0]!r}?" if near else "name a section that a lower layer defines"
    removing = edit.mode == "remove"
    return Diagnostic(
        "FW023" if removing else "FW022",
        "warning" if removing else "error",
        f"there is no section {edit.id!r} to {edit.mode}" + ("" if edit.mode != "append" else " to"),
        edit.place,
        hint,
        edit.id,
        str(edit.provider),
    )


def _required(policy: Policy, folded: Mapping[str, Folded | None]) -> Iterable[Diagnostic]:
    for id in policy.required():
        one = folded.get(id)
        if one is None or one.section is None or not one.section.text.strip():
            yield Diagnostic(
                "FW028",
                "error",
                f"the required section {id!r} is not in the prompt",
                None,
                f"give it a text, or set [sections.{id}] required = false",
                id,
            )
        if one is None or one.is_stack:
            continue
        for step in one.steps:
            if step.edit.layer in OPERATOR and step.outcome not in ("applied", "shadowed", "stale"):
                yield Diagnostic(
                    "FW028",
                    "error",
                    f"an edit of the required section {id!r} is not in effect ({step.outcome}): {step.reason}",
                    step.edit.place,
                    "mend it, or take it away",
                    id,
                    str(step.edit.provider),
                )
