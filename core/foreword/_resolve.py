"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from ._decided import folded
from ._diagnostics import Diagnostic
from ._folded import Folded, PlaceKey, ResolvedSection
from ._layers import OPERATOR
from ._names import id_key, is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Resolution, by_key, reserved_in
from ._stack import Stacked, holds, in_order, stacked
from ._titles import NOTHING_RESERVED, RESERVED


def resolve(edits: Iterable[PreparedEdit], policy: Policy) -> Resolution:
    """Decide which text wins for every section.

    Args:
        edits: the prepared edits, in any order.
        policy: what the operator allows.

    Returns:
        The sections in their final order, the tool prose, the chain of edits of every id with their
        outcomes, and what there is to say. ``fatal`` holds the findings for which the build must raise.
    """
    return completed(*folded_all(edits, policy), policy)


def folded_all(
    edits: Iterable[PreparedEdit], policy: Policy, earlier: Resolution | None = None
) -> tuple[dict[str, Stacked], dict[str, Folded]]:
    """Return what edits come to, by the key of their section: where they simply stand over one another, and elsewhere.

    Args:
        edits: every edit of some sections, in any order.
        policy: what the operator allows.
        earlier: the resolution whose titles no untrusted layer may take.
    """
    first: dict[str, PreparedEdit] = {}
    several: dict[str, list[PreparedEdit]] = {}
    unsettled: set[str] = set()
    for edit in edits:
        key = edit.id
        if "/" in key:
            key = id_key(key)
        if not holds(policy, key, edit):
            unsettled.add(key)
        if key not in first:
            first[key] = edit
        elif key in several:
            several[key].append(edit)
        else:
            several[key] = [first[key], edit]
    stacks: dict[str, Stacked] = {}
    decided: dict[str, Folded] = {}
    for key, edit in first.items():
        stack = in_order(several[key]) if key in several else (edit,)
        if key in unsettled or stack is None:
            reserved = RESERVED if earlier is None else earlier.reserved
            decided[key] = folded(key, several.get(key) or (edit,), policy, reserved)
        else:
            stacks[key] = stacked(stack)
    return stacks, decided


def completed(stacks: dict[str, Stacked], decided: dict[str, Folded], policy: Policy) -> Resolution:
    """Return the resolution that sections come to together.

    Args:
        stacks: those whose edits simply stand over one another, by their key.
        decided: all others.
        policy: what the operator allows.
    """
    sections: list[ResolvedSection] = list(stacks.values())
    found: Mapping[str, Folded] = stacks
    strange: list[tuple[str, Folded]] = []
    diagnostics: list[Diagnostic] = []
    moved: list[Diagnostic] = []
    if decided:
        strange = [(key, one) for key, one in decided.items() if one.strange]
        if strange:
            # Only a stranger's title has to keep clear of what others reserve.
            reserved = reserved_in(chain(stacks.values(), decided.values()))
            for key, one in strange:
                if one.reserved != reserved and not one.asked.isdisjoint(one.reserved ^ reserved):
                    decided[key] = folded(key, one.edits, policy, reserved)
        found = {**stacks, **decided}
        sections += [one.section for one in decided.values() if one.section is not None]
        diagnostics += _said(found)
    tools: list[ResolvedSection] = []
    if "/" in "".join(found):
        tools = sorted([section for section in sections if is_tool(section.id)], key=_by_id_key)
        sections = [section for section in sections if not is_tool(section.id)]
    if strange:
        ordered, moved = _order(sections, policy)
        diagnostics += moved
    else:
        sections.sort(key=by_place_key)
        ordered = tuple(sections)
    made = Resolution(ordered, found, missing(policy, found))
    made.tools = tuple(tools)
    if decided:
        made.is_strange = bool(strange)
        made.asked = NOTHING_RESERVED.union(*[one.asked for one in decided.values()])
        made.is_moved = bool(moved)
        made.diagnostics = tuple(diagnostics)
        made.sizes = sizes_of(decided.items())
    return made


def _said(found: Mapping[str, Folded]) -> Iterable[Diagnostic]:
    if any(one.diagnostics or one.lost for one in found.values()):
        in_order = [one for _, one in sorted(found.items(), key=by_key)]
        ids = sorted(one.id for one in in_order)
        yield from (said for one in in_order for said in one.diagnostics)
        yield from (_no_target(edit, ids) for one in in_order for edit in one.lost)


def sizes_of(found: Iterable[tuple[str, Folded]]) -> Mapping[str | None, int]:
    """Return how many bytes each limited layer gave together; under None, how many all have, where that is limited."""
    sizes: dict[str | None, int] = {}
    for key, one in found:
        for layer, size in one.bytes.items():
            sizes[layer] = sizes.get(layer, 0) + size
        if one.total and not is_tool(key):
            sizes[None] = sizes.get(None, 0) + one.total
    return sizes


def _order(
    sections: list[ResolvedSection], policy: Policy
) -> tuple[tuple[ResolvedSection, ...], list[Diagnostic]]:
    # Whatever the windows say, an untrusted section stands behind every locked one.
    locked = policy.locks
    fence = max([section.place_key for section in sections if section.id in locked], default=None)
    keyed: list[tuple[PlaceKey, bool, PlaceKey, ResolvedSection]] = []
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


by_place_key = attrgetter("place_key")


def _by_id(section: ResolvedSection) -> str:
    return section.id


def _by_id_key(section: ResolvedSection) -> str:
    return id_key(section.id)


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


def missing(policy: Policy, found: Mapping[str, Folded]) -> tuple[Diagnostic, ...]:
    """Return what is not in order of the sections that the policy requires."""
    told: list[Diagnostic] = []
    for id in policy.required():
        one = found.get(id)
        if one is None or not is_in_order(one):
            told += _missing(id, one)
    return tuple(told)


def is_in_order(one: Folded) -> bool:
    """Say whether it is seen that there is nothing to say of a section as one that the policy requires."""
    return one.is_stack and one.section is not None and bool(one.section.text.strip())


def _missing(id: str, one: Folded | None) -> Iterable[Diagnostic]:
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
        return
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
