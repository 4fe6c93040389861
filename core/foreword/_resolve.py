"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from ._diagnostics import Diagnostic
from ._folded import Folded, ResolvedSection, folded, folded_stack
from ._layers import OPERATOR
from ._names import id_key
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Resolution, by_key, reserved_in
from ._titles import NOTHING_RESERVED

TOOLS = "tools/"


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
        if key.startswith(TOOLS):
            key = id_key(key)
        group = groups.get(key)
        if group is None:
            groups[key] = [edit]
        else:
            group.append(edit)
    found = {key: folded_stack(key, group, policy) or folded(key, group, policy) for key, group in groups.items()}
    return completed(found, policy)


def key_of(edit: PreparedEdit) -> str:
    """Return the id of an edit as it is compared."""
    id = edit.id
    return id_key(id) if id.startswith(TOOLS) else id


def completed(found: dict[str, Folded], policy: Policy) -> Resolution:
    """Return the resolution that sections come to together."""
    decided = [(key, one) for key, one in found.items() if not one.is_stack]
    strange = [(key, one) for key, one in decided if one.strange]
    if strange:
        # Only a stranger's title has to keep clear of what others reserve.
        reserved = reserved_in(found.values())
        for key, one in strange:
            if one.reserved != reserved and not one.asked.isdisjoint(one.reserved ^ reserved):
                found[key] = folded(key, one.edits, policy, reserved)
        decided = [(key, one) for key, one in found.items() if not one.is_stack]
    sections: list[ResolvedSection] = []
    tools: list[tuple[str, ResolvedSection]] = []
    for key, one in found.items():
        section = one.section
        if section is not None:
            if key.startswith(TOOLS):
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
        ordered = tuple(sorted(sections, key=by_place_key))
    fatal = tuple(missing(policy, found))
    prose = tuple([section for _, section in sorted(tools, key=by_key)]) if tools else ()
    asked = NOTHING_RESERVED.union(*[one.asked for _, one in decided])
    titles = (bool(strange), asked)
    return Resolution(ordered, prose, found, *titles, bool(moved), tuple(diagnostics), fatal, sizes_of(decided))


def sizes_of(found: Iterable[tuple[str, Folded]]) -> Mapping[str | None, int]:
    """Return how many bytes each limited layer gave together; under None, how many all have, where that is limited."""
    sizes: dict[str | None, int] = {}
    for key, one in found:
        for layer, size in one.bytes.items():
            sizes[layer] = sizes.get(layer, 0) + size
        if one.total and not key.startswith(TOOLS):
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
by_place_key = attrgetter("place_key")


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


def missing(policy: Policy, folded: Mapping[str, Folded | None]) -> Iterable[Diagnostic]:
    """Yield what is not in order of the sections that the policy requires."""
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
