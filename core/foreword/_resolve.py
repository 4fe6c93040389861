"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import is_
from typing import NamedTuple

from ._diagnostics import Diagnostic
from ._fold import Fold, alone
from ._layers import OPERATOR, RANK
from ._names import KNOWN_IDS, id_key, is_tool, last_part
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._standing import Standing
from ._text import join
from ._titles import RESERVED, own_heading, reserved_by, unreserved


Parts = tuple[tuple[str, ...], str, tuple[str, ...]]
"""A section as a layout writes it: the lines before its text, the text, and the lines after it."""


class ResolvedSection:
    """A section that stands, with its text.

    Attributes:
        id: what it is called.
        title: the title it stands under, or None.
        own_heading: whether that is the heading with which its text begins.
        priority: its place, low first.
        standing: what stands, and where it came from.
        place_key: where it stands among the sections: priority, layer that defined it, id.
        written: the section as a layout writes it, once it was asked for.
    """

    __slots__ = ("id", "own_heading", "place_key", "priority", "standing", "title", "written")

    def __init__(self, id: str, title: str | None, own_heading: bool, standing: Standing) -> None:
        self.id = id
        self.title = title
        self.own_heading = own_heading
        self.priority = standing.priority
        self.standing = standing
        self.place_key = (standing.priority, RANK[standing.definer.layer], id)
        self.written: tuple[object, Parts] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResolvedSection) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.place_key)

    def _all(self) -> tuple[object, ...]:
        return self.id, self.title, self.own_heading, self.standing

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
    ``strange`` is whether any is a stranger's: only then do the titles count that all reserve, which were ``reserved``.
    """

    edits: list[PreparedEdit]
    id: str
    section: ResolvedSection | None
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]
    lost: tuple[PreparedEdit, ...]
    reserves: frozenset[str]
    reserved: frozenset[str]
    strange: bool
    bytes: Mapping[str, int]
    """How many bytes of the text each layer gave that may only give so many."""
    total: int
    """How many bytes the text has, where the prompt may only have so many."""


class Resolution:
    """What `resolve` finds: the sections in their final order, the tool prose, all that was tried.

    Attributes:
        sections: the sections, in their order.
        tools: the prose for tools.
        folded: what the edits of each id came to, by its key.
        diagnostics: what there is to say.
        fatal: the findings for which the build must raise.
    """

    __slots__ = ("diagnostics", "fatal", "folded", "sections", "tools")

    def __init__(
        self,
        sections: tuple[ResolvedSection, ...],
        tools: tuple[ResolvedSection, ...],
        folded: Mapping[str, Folded],
        diagnostics: tuple[Diagnostic, ...],
        fatal: tuple[Diagnostic, ...],
    ) -> None:
        self.sections = sections
        self.tools = tools
        self.folded = folded
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
    folded: dict[str, Folded] = {}
    strange: list[str] = []
    told = False
    for key, group in groups.items():
        old = before.get(key)
        if old is None or len(group) != len(old.edits) or not all(map(is_, group, old.edits)):
            old = _folded(key, group, policy, RESERVED)
        folded[key] = old
        if old.strange:
            strange.append(key)
    reserved = RESERVED.union(*[one.reserves for one in folded.values() if one.reserves])
    for key in strange:
        # Only a stranger's title has to keep clear of what others reserve.
        if folded[key].reserved != reserved:
            folded[key] = _folded(key, groups[key], policy, reserved)
    sections: list[ResolvedSection] = []
    tools: list[tuple[str, ResolvedSection]] = []
    for key, one in folded.items():
        if one.section is not None:
            if key.startswith(_TOOLS):
                tools.append((key, one.section))
            else:
                sections.append(one.section)
        if one.diagnostics or one.lost:
            told = True
    diagnostics: list[Diagnostic] = []
    if told:
        in_order = [one for _, one in sorted(folded.items())]
        ids = sorted(one.id for one in in_order)
        diagnostics += (said for one in in_order for said in one.diagnostics)
        diagnostics += (_no_target(edit, ids) for one in in_order for edit in one.lost)
    ordered, moved = _order(sections, policy)
    diagnostics += moved
    fatal = tuple(_required(policy, folded))
    prose = tuple([section for _, section in sorted(tools, key=_by_key)]) if tools else ()
    return Resolution(ordered, prose, folded, tuple(diagnostics), fatal)


_TOOLS = "tools/"
_NONE: Mapping[str, Folded] = {}


def _by_key(tool: tuple[str, ResolvedSection]) -> str:
    return tool[0]


def _folded(key: str, edits: list[PreparedEdit], policy: Policy, reserved: frozenset[str]) -> Folded:
    if len(edits) == 1 and (standing := alone(edits[0], policy)) is not None:
        edit = edits[0]
        section = _section(edit.id, standing, reserved)
        steps = (Step(edit, "applied", ""),)
        return Folded(edits, edit.id, section, steps, (), (), reserved_by(edits), RESERVED, False,
                      _sizes(standing, policy), _total(standing, policy))  # fmt: skip
    fold = Fold(key, edits, policy, reserved)
    fold.run()
    standing = fold.standing
    strange = not all([edit.trusted for edit in edits])
    if standing is None:
        id, section = min([edit.id for edit in edits]), None
    else:
        id = standing.definer.id
        section = _section(id, standing, reserved)
    return Folded(
        edits,
        id,
        section,
        fold.steps(),
        tuple(fold.diagnostics),
        tuple(fold.without_target),
        reserved_by(edits),
        reserved if strange else RESERVED,
        strange,
        _sizes(standing, policy) if standing is not None else _NO_SIZES,
        _total(standing, policy) if standing is not None else 0,
    )


_NO_SIZES: Mapping[str, int] = {}


def _sizes(standing: Standing, policy: Policy) -> Mapping[str, int]:
    """Return how many bytes of the text each limited layer gave."""
    limited = policy.limited
    sizes: dict[str, int] | None = None
    for text, edit, _ in standing.spans:
        if edit is not None and edit.layer in limited:
            sizes = sizes or {}
            sizes[edit.layer] = sizes.get(edit.layer, 0) + len(text.encode())
    return sizes or _NO_SIZES


def _total(standing: Standing, policy: Policy) -> int:
    return 0 if policy.prompt is None else len(join(standing.spans).encode())


def _section(id: str, standing: Standing, reserved: frozenset[str]) -> ResolvedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    return ResolvedSection(id, title, own, standing)


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
    # No two sections have the same place, so the sections themselves are never compared.
    keyed.sort()
    diagnostics = [_moved(section, fence[2] if fence else "") for section in sorted(moved, key=_by_id)]
    return tuple([section for _, _, _, section in keyed]), diagnostics


_Place = tuple[int, int, str]


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
