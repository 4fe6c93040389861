"""Resolution: which text wins, for every section, and what became of every edit.

`resolve` is a pure function of the set of edits and the policy. It knows neither plugins nor files nor
the clock; the order in which the edits are given decides nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ._diagnostics import Diagnostic
from ._fold import Fold
from ._layers import OPERATOR, RANK
from ._names import KNOWN_IDS, id_key, is_tool, last_part
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._standing import Standing
from ._text import join
from ._titles import own_heading, reserved_titles, unreserved


@dataclass(frozen=True, slots=True)
class ResolvedSection:
    """A section that stands, with its text and everything that was tried on it."""

    id: str
    title: str | None
    own_heading: bool
    priority: int
    standing: Standing

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

    @property
    def place_key(self) -> tuple[int, int, str]:
        """Where it stands among the sections: priority, layer that defined it, id."""
        return (self.priority, RANK[self.definer.layer], self.id)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What `resolve` finds: the sections in their final order, the tool prose, all that was tried."""

    sections: tuple[ResolvedSection, ...]
    tools: tuple[ResolvedSection, ...]
    chains: Mapping[str, tuple[Step, ...]]
    diagnostics: tuple[Diagnostic, ...]
    fatal: tuple[Diagnostic, ...]


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
    reserved_from: list[PreparedEdit] = []
    for edit in edits:
        groups.setdefault(id_key(edit.id), []).append(edit)
        if edit.trusted and edit.verdict is None:
            reserved_from.append(edit)
    reserved = reserved_titles(reserved_from)
    sections: list[ResolvedSection] = []
    tools: list[ResolvedSection] = []
    chains: dict[str, tuple[Step, ...]] = {}
    diagnostics: list[Diagnostic] = []
    lost: list[PreparedEdit] = []
    for key in sorted(groups):
        fold = Fold(key, groups[key], policy, reserved)
        fold.run()
        diagnostics += fold.diagnostics
        lost += fold.without_target
        id = fold.standing.definer.id if fold.standing is not None else min(e.id for e in groups[key])
        chains[id] = fold.steps()
        if fold.standing is not None:
            (tools if is_tool(id) else sections).append(_section(id, fold.standing, reserved))
    diagnostics += (_no_target(edit, chains) for edit in lost)
    ordered, moved = _order(sections, policy)
    diagnostics += moved
    fatal = tuple(_required(policy, (*sections, *tools), chains))
    return Resolution(ordered, tuple(tools), chains, tuple(diagnostics), fatal)


def _section(id: str, standing: Standing, reserved: frozenset[str]) -> ResolvedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    return ResolvedSection(id, title, own, standing.priority, standing)


def _title_of_untitled(id: str, reserved: frozenset[str]) -> str:
    if id in KNOWN_IDS:
        title = id.replace("_", " ").title()
    else:
        title = last_part(id)
    return unreserved(title, id, reserved)


def _order(
    sections: Sequence[ResolvedSection], policy: Policy
) -> tuple[tuple[ResolvedSection, ...], list[Diagnostic]]:
    # Whatever the windows say, an untrusted section stands behind every locked one.
    locked = [section for section in sections if policy.locked(section.id)]
    fence = max((section.place_key for section in locked), default=None)
    moved = {
        section.id: section
        for section in sections
        if fence is not None
        and section.place_key < fence
        and not section.standing.placed_by.trusted
        and not policy.locked(section.id)
    }

    def key(section: ResolvedSection) -> tuple[tuple[int, int, str], bool, tuple[int, int, str]]:
        if fence is not None and section.id in moved:
            return (fence, True, section.place_key)
        return (section.place_key, False, section.place_key)

    diagnostics = [
        Diagnostic(
            "FW024",
            "warning",
            f"{section.id!r} stands behind the locked section {fence[2]!r}, not at priority {section.priority}"
            if fence
            else "",
            section.standing.placed_by.place,
            "give it a higher priority",
            section.id,
            str(section.standing.placed_by.provider),
        )
        for section in moved.values()
    ]
    return tuple(sorted(sections, key=key)), diagnostics


def _no_target(edit: PreparedEdit, chains: Mapping[str, object]) -> Diagnostic:
    near = difflib.get_close_matches(edit.id, sorted(set(chains) - {edit.id}), 1, 0.75)
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


def _required(
    policy: Policy, sections: Iterable[ResolvedSection], chains: Mapping[str, tuple[Step, ...]]
) -> Iterable[Diagnostic]:
    standing = {id_key(section.id): section for section in sections}
    tried = {id_key(id): steps for id, steps in chains.items()}
    for id in policy.required():
        section = standing.get(id)
        if section is None or not join(section.standing.spans).strip():
            yield Diagnostic(
                "FW028",
                "error",
                f"the required section {id!r} is not in the prompt",
                None,
                f"give it a text, or set [sections.{id}] required = false",
                id,
            )
        for step in tried.get(id, ()):
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
