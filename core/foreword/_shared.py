"""The shared base: what all agents have in common is resolved once, and for each agent only what it has more."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING, NamedTuple

from ._limits import is_within_limits, resolve_within_limits
from ._resolution import Resolution
from ._resolve import resolve, resolve_changed
from ._variant import Variants, variants

if TYPE_CHECKING:
    from ._plan import Plan
    from ._policy import Policy
    from ._prepare import Part, Preparation
    from ._prepared import PreparedEdit
    from ._sources import Given


class Base(NamedTuple):
    """What the shared sources gave, what their edits came out as for one agent, and their resolution."""

    given: tuple[Given, ...]
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
        if base is None or len(base.given) != len(given) or not all(map(is_, base.given, given)):
            return None
        known = self._variants
        if known is None or known[0] is not base:
            self._variants = known = (base, variants(base, base.preparation))
        return known[1]

    def resolution(self, plan: Plan) -> Resolution:
        """Return the resolution of everything that a plan holds, every limit kept.

        What there is to say of single edits is added to the plan's diagnostics.
        """
        policy = self._policy
        given: list[Given] = []
        parts: list[Part] = []
        come: list[PreparedEdit] = []
        for one in plan.given:
            part = plan.preparation.part(one)
            if part.said:
                plan.diagnostics.extend(part.said)
            if one.is_shared:
                given.append(one)
                parts.append(part)
            else:
                come += [edit for edit in part.edits if edit is not None]
        come += plan.prepared_more()
        base = self._base
        gone: list[PreparedEdit] = []
        if base is None or len(base.parts) != len(parts):
            base = self._base = Base(tuple(given), tuple(parts), resolve(_edits(parts), policy), plan.preparation)
        else:
            new: list[PreparedEdit] = []
            for before, after in zip(base.parts, parts, strict=True):
                if before is not after:
                    _compare(before, after, gone, new)
            if all(map(is_, base.given, given)):
                # Other agents have other values, and no other base.
                come += new
            else:
                resolution = resolve_changed(base.resolution, gone, new, policy)
                base = self._base = Base(tuple(given), tuple(parts), resolution, plan.preparation)
                gone = []
        resolution = resolve_changed(base.resolution, gone, come, policy)
        if is_within_limits(resolution, policy):
            return resolution
        lost = {id(edit) for edit in gone}
        kept = [edit for edit in _edits(base.parts) if id(edit) not in lost]
        return resolve_within_limits([*kept, *come], policy)


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
