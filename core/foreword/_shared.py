"""The shared base: what all agents have in common is resolved once, and for each agent only what it has more."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING, NamedTuple

from ._limits import is_within_limits, resolve_within_limits
from ._resolution import Resolution
from ._resolve import resolve, resolve_changed
from ._variant import Remade, Variants, remade, variants

if TYPE_CHECKING:
    from ._plan import Plan
    from ._policy import Policy
    from ._prepare import Basis, Part, Preparation
    from ._prepared import PreparedEdit
    from ._sources import Given


class Base(NamedTuple):
    """What the shared sources gave, what their edits came out as for one agent, and their resolution."""

    bases: tuple[Basis, ...]
    parts: tuple[Part, ...]
    resolution: Resolution
    preparation: Preparation
    """What the edits were prepared with for that agent."""


class Shared:
    """The base of one builder; it changes nothing but the time that a resolution takes.

    Args:
        policy: what the operator allows.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._base: Base | None = None
        self._variants: tuple[Base, Variants | None] | None = None

    def variants(self, given: Sequence[Given]) -> Variants | None:
        """Return what prompts of agents have in common that have nothing of their own; None where that is too little.

        Args:
            given: what the shared sources gave.
        """
        base = self._base
        if base is None or len(base.bases) != len(given):
            return None
        if not all(basis.given is one for basis, one in zip(base.bases, given, strict=True)):
            return None
        known = self._variants
        if known is None or known[0] is not base:
            self._variants = known = (base, variants(base))
        return known[1]

    def resolution(self, plan: Plan) -> tuple[Resolution, Remade | None]:
        """Return the resolution of everything that a plan holds, every limit kept, and how it is made again.

        What there is to say of single edits is added to the plan's diagnostics. None where a limit took edits away.
        """
        policy = self._policy
        preparation = plan.preparation
        bases: list[Basis] = []
        parts: list[Part] = []
        come: list[PreparedEdit] = []
        for one in plan.given:
            basis = preparation.drafts.basis(one, policy, preparation.screen)
            part = preparation.part_of(basis)
            if part.said:
                plan.diagnostics.extend(part.said)
            if one.is_shared:
                bases.append(basis)
                parts.append(part)
            else:
                come += [edit for edit in part.edits if edit is not None]
        come += plan.prepared_more()
        own = list(come)
        base = self._base
        gone: list[PreparedEdit] = []
        if base is None or len(base.parts) != len(parts):
            base = self._base = self._new_base(plan, bases, parts, resolve(_edits(parts), policy))
        else:
            new: list[PreparedEdit] = []
            for before, after in zip(base.parts, parts, strict=True):
                if before is not after:
                    _compare(before, after, gone, new)
            if all(map(is_, base.bases, bases)):
                # Other agents have other values, and no other base.
                come += new
            else:
                resolution = resolve_changed(base.resolution, gone, new, policy)
                base = self._base = self._new_base(plan, bases, parts, resolution)
                gone = []
        resolution = resolve_changed(base.resolution, gone, come, policy)
        if is_within_limits(resolution, policy):
            return resolution, remade(base, preparation, own)
        lost = {id(edit) for edit in gone}
        kept = [edit for edit in _edits(base.parts) if id(edit) not in lost]
        return resolve_within_limits([*kept, *come], policy), None


    @staticmethod
    def _new_base(plan: Plan, bases: list[Basis], parts: list[Part], resolution: Resolution) -> Base:
        made = plan.preparation
        # Prompts may outlive the builder; what it keeps of all agents should not.
        kept = made.of(made.agent, made.values, made.trusted_values)
        return Base(tuple(bases), tuple(parts), resolution.whole(), kept)


def _edits(parts: list[Part] | tuple[Part, ...]) -> list[PreparedEdit]:
    return [edit for part in parts for edit in part.edits if edit is not None]


def _compare(before: Part, after: Part, gone: list[PreparedEdit], come: list[PreparedEdit]) -> None:
    """Add what is not there any more and what is new."""
    if len(before.edits) == len(after.edits):
        for old, new in zip(before.edits, after.edits, strict=True):
            if old is not new:
                if old is not None:
                    gone.append(old)
                if new is not None:
                    come.append(new)
        return
    kept = {id(edit) for edit in after.edits}
    known = {id(edit) for edit in before.edits}
    gone += [edit for edit in before.edits if edit is not None and id(edit) not in kept]
    come += [edit for edit in after.edits if edit is not None and id(edit) not in known]
