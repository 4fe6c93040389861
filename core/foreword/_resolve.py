"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import NamedTuple

from ._diagnostics import Diagnostic
from ._fold import Fold
from ._layers import OPERATOR, RANK
from ._names import KNOWN_IDS, id_key, is_tool, last_part
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._standing import Standing
from ._text import join
from ._titles import RESERVED, own_heading, reserved_by, unreserved


@dataclass(frozen=True, slots=True)
class ResolvedSection:
    """A section that stands, with its text and everything that was tried on it."""

    id: str
    title: str | None
    own_heading: bool
    priority: int
    standing: Standing
    place_key: tuple[int, int, str]
    """Where it stands among the sections: priority, layer that defined it, id."""

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        return self.standing.title is not None and self.standing.titled_by.trusted

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        return self.standing.definer

    @property
    def winner(self) -> PreparedEdit:
        """The edit whose text stands."""
        return self.standing.winner



class Folded(NamedTuple):
    """What the edits of one section came to.

    ``edits`` are they, as they were given; ``reserves`` the keys of the titles that the operator's among them take.
    ``strange`` is whether any is a stranger's: only then do the titles that others reserve count here.
    """

    edits: list[PreparedEdit]
    id: str
    section: ResolvedSection | None
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]
    lost: tuple[PreparedEdit, ...]
    reserves: frozenset[str]
    strange: bool
    bytes: Mapping[str, int]
    """How many bytes of the text each layer gave."""
    total: int
    """How many bytes the text has."""


class Resolution:
    """What `resolve` finds: the sections in their final order, the tool prose, all that was tried.

    Attributes:
        sections: the sections, in their order.
        tools: the prose for tools.
        folded: what the edits of each id came to, by its key.
        reserved: the keys of the titles that no untrusted layer may take.
        diagnostics: what there is to say.
        fatal: the findings for which the build must raise.
    """

    __slots__ = ("diagnostics", "fatal", "folded", "reserved", "sections", "tools")

    def __init__(
        self,
        sections: tuple[ResolvedSection, ...],
        tools: tuple[ResolvedSection, ...],
        folded: Mapping[str, Folded],
        reserved: frozenset[str],
        diagnostics: tuple[Diagnostic, ...],
        fatal: tuple[Diagnostic, ...],
    ) -> None:
        self.sections = sections
        self.tools = tools
        self.folded = folded
        self.reserved = reserved
        self.diagnostics = diagnostics
        self.fatal = fatal

    @property
    def chains(self) -> dict[str, tuple[Step, ...]]:
        """Every edit that was tried, with its outcome, by section."""
        return {one.id: one.steps for _, one in sorted(self.folded.items())}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resolution) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.sections)

    def _all(self) -> tuple[object, ...]:
        return self.sections, self.tools, self.chains, self.diagnostics, self.fatal


def resolve(edits: Iterable[PreparedEdit], policy: Policy, earlier: Resolution | None = None) -> Resolution:
    """Decide which text wins for every section.

    Args:
        edits: the prepared edits, in any order.
        policy: what the operator allows.
        earlier: a resolution under the same policy. What the very same edits came to there, they come to here; it
            changes nothing but the time that it takes.

    Returns:
        The sections in their final order, the tool prose, the chain of edits of every id with their
        outcomes, and what there is to say. ``fatal`` holds the findings for which the build must raise.
    """
    groups: dict[str, list[PreparedEdit]] = {}
    for edit in edits:
        id = edit.id
        key = id_key(id) if id.startswith(_TOOLS) else id
        group = groups.get(key)
        if group is None:
            groups[key] = [edit]
        else:
            group.append(edit)
    before = earlier.folded if earlier is not None else _NONE
    kept: dict[str, Folded] = {}
    reserves: list[frozenset[str]] = []
    for key, group in groups.items():
        old = before.get(key)
        if old is not None and all(map(is_, group, old.edits)) and len(group) == len(old.edits):
            kept[key] = old
            reserves.append(old.reserves)
        else:
            reserves.append(reserved_by(group))
    reserved = RESERVED.union(*reserves)
    if earlier is not None and reserved == earlier.reserved:
        reserved = earlier.reserved
    same = earlier is not None and reserved is earlier.reserved
    folded: dict[str, Folded] = {}
    sections: list[ResolvedSection] = []
    tools: list[tuple[str, ResolvedSection]] = []
    told: list[str] = []
    for (key, group), reserving in zip(groups.items(), reserves, strict=True):
        one = kept.get(key)
        if one is None or (one.strange and not same):
            one = _folded(key, group, policy, reserved, reserving)
        folded[key] = one
        if one.section is not None:
            if key.startswith(_TOOLS):
                tools.append((key, one.section))
            else:
                sections.append(one.section)
        if one.diagnostics or one.lost:
            told.append(key)
    diagnostics = [said for key in sorted(told) for said in folded[key].diagnostics]
    if told:
        ids = sorted(one.id for one in folded.values())
        diagnostics += (_no_target(edit, ids) for key in sorted(told) for edit in folded[key].lost)
    ordered, moved = _order(sections, policy)
    diagnostics += moved
    fatal = tuple(_required(policy, folded))
    in_order = tuple(section for _, section in sorted(tools, key=_by_key)) if tools else ()
    return Resolution(ordered, in_order, folded, reserved, tuple(diagnostics), fatal)


_TOOLS = "tools/"
_NONE: Mapping[str, Folded] = {}


def _by_key(tool: tuple[str, ResolvedSection]) -> str:
    return tool[0]


def _folded(
    key: str, edits: list[PreparedEdit], policy: Policy, reserved: frozenset[str], reserves: frozenset[str]
) -> Folded:
    fold = Fold(key, edits, policy, reserved)
    fold.run()
    standing = fold.standing
    if standing is None:
        id, section = min(edit.id for edit in edits), None
    else:
        id = standing.definer.id
        section = _section(id, standing, reserved)
    sizes: dict[str, int] = {}
    total = 0
    for text, edit, _ in standing.spans if standing is not None else ():
        size = len(text) if text.isascii() else len(text.encode())
        total += size + 1
        if edit is not None:
            sizes[edit.layer] = sizes.get(edit.layer, 0) + size
    strange = not all([edit.trusted for edit in edits])
    return Folded(
        edits,
        id,
        section,
        fold.steps(),
        tuple(fold.diagnostics),
        tuple(fold.without_target),
        reserves,
        strange,
        sizes,
        total - 1 if total else 0,
    )


def _section(id: str, standing: Standing, reserved: frozenset[str]) -> ResolvedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    place = (standing.priority, RANK[standing.definer.layer], id)
    return ResolvedSection(id, title, own, standing.priority, standing, place)


def _title_of_untitled(id: str, reserved: frozenset[str]) -> str:
    if id in KNOWN_IDS:
        title = id.replace("_", " ").title()
    else:
        title = last_part(id)
    return unreserved(title, id, reserved)


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
            and not section.standing.placed_by.trusted
            and section.id not in locked
        ):
            keyed.append((fence, True, place, section))
            moved.append(section)
        else:
            keyed.append((place, False, place, section))
    keyed.sort(key=_in_place)
    diagnostics = [_moved(section, fence[2] if fence else "") for section in sorted(moved, key=_by_id)]
    return tuple([section for _, _, _, section in keyed]), diagnostics


_Place = tuple[int, int, str]


def _in_place(keyed: tuple[_Place, bool, _Place, ResolvedSection]) -> tuple[_Place, bool, _Place]:
    return keyed[:3]


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


def _required(policy: Policy, folded: Mapping[str, Folded]) -> Iterable[Diagnostic]:
    for id in policy.required():
        one = folded.get(id)
        if one is None or one.section is None or not join(one.section.standing.spans).strip():
            yield Diagnostic(
                "FW028",
                "error",
                f"the required section {id!r} is not in the prompt",
                None,
                f"give it a text, or set [sections.{id}] required = false",
                id,
            )
        for step in one.steps if one is not None else ():
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
