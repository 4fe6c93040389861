"""The shared base: what all agents have in common is resolved once, and for each agent only what it has more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING, Final, NamedTuple

from ._limits import is_within_limits, resolve_within_limits
from ._named_tuple import new as _new
from ._overlay import Overlay, overlaid
from ._prepare import differences, typed
from ._remade import Remade, remade
from ._resolution import Resolution
from ._resolve import resolve
from ._resolve_changed import resolve_changed
from ._variant import PLAIN_NAME, Variants, variants

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._layout import Layout
    from ._plan import Plan
    from ._policy import Policy
    from ._prepare import Basis, Drafts, Part, Preparation
    from ._prepared import PreparedEdit
    from ._sources import Given


class Base(NamedTuple):
    """What the shared sources gave, what their edits came out as for one agent, and their resolution."""

    bases: tuple[Basis, ...]
    parts: tuple[Part, ...]
    resolution: Resolution
    preparation: Preparation
    """What the edits were prepared with for that agent."""
    is_anyones: bool
    """Whether nothing of that agent made any difference but its name, which can stand in any text."""


class Latest(NamedTuple):
    """What came last of everything that the sources gave for one agent, its own included, where nobody gave more."""

    parts: tuple[Part, ...]
    own: tuple[Part, ...]
    resolution: Resolution


class Shared:
    """The base of one builder; it changes nothing but the time that a resolution takes.

    Args:
        policy: what the operator allows.
        variables: those of the operator, for agents of which nothing more is said.
    """

    def __init__(self, policy: Policy, variables: Mapping[str, Value]) -> None:
        self._policy = policy
        self._read_like = typed({name: variables[name] for name in variables if name != "agent_name"}, variables)
        self._base: Base | None = None
        self._latest: Latest | None = None
        self._common: tuple[Base, Variants | None] | None = None

    def variants(self, given: Sequence[Given]) -> Variants | None:
        """Return what prompts of agents have in common that have nothing of their own; None where that is too little.

        Args:
            given: what the shared sources gave.
        """
        base = self._whole_base()
        if base is None or not base.is_anyones or len(base.bases) != len(given):
            return None
        if not all(basis.given is one for basis, one in zip(base.bases, given, strict=True)):
            return None
        return self._common_of(base)

    def overlaid(self, common: Variants, own: Given, agent: str, drafts: Drafts) -> Overlay | None:
        """Return the prompt of an agent that has nothing but some texts of its own; None where there may be more to it.

        Args:
            common: what agents have in common.
            own: what the agent is given beside that.
            agent: the agent.
            drafts: what edits came out as.
        """
        if own.diagnostics or own.returned is not None:
            return None
        origin = drafts.origin(own.provider, own.layers, self._policy)
        return overlaid(common, agent, own.files, origin, self._policy)

    def resolution(self, plan: Plan, layout: Layout | None = None) -> tuple[Resolution, Remade | None]:
        """Return the resolution of everything that a plan holds, every limit kept, and how it is made again.

        What there is to say of single edits is added to the plan's diagnostics.

        Args:
            plan: the plan.
            layout: how the prompt is mostly written, where it is to be made again; else it is not said how it is.
        """
        policy, preparation = self._policy, plan.preparation
        bases: list[Basis] = []
        own_parts: list[Part] = []
        for one in plan.given:
            basis = preparation.drafts.basis(one, policy, preparation.screen)
            if one.is_shared:
                bases.append(basis)
            else:
                own_parts.append(preparation.part_of(basis))
        own = _edits(own_parts)
        more = plan.prepared_more()
        base = self._base if layout is None else self._whole_base()
        parts = tuple([preparation.part_of(basis) for basis in bases])
        for part in (*parts, *own_parts):
            if part.said:
                plan.diagnostics.extend(part.said)
        latest = self._latest
        gone, come = _NO_CHANGE
        if own and not more and layout is None and latest is not None and _is_same(latest.own, own_parts):
            # What the agent has more is as it was, so only what all have is laid under it anew.
            resolution = resolve_changed(latest.resolution, *differences(latest.parts, parts), policy)
            self._latest = Latest(parts, latest.own, resolution)
            if is_within_limits(resolution, policy):
                return resolution, None
            return resolve_within_limits([*_edits(parts), *own], policy), None
        if base is None or len(base.parts) != len(parts):
            base = self._base = self._new_base(plan, bases, parts, resolve(_edits(parts), policy))
        else:
            gone, come = differences(base.parts, parts)
            if not _is_same(base.bases, bases) or (not base.is_anyones and self._is_anyones(preparation)):
                changed = resolve_changed(base.resolution, gone, come, policy)
                # Another thread may put another base in its place at any time.
                base = self._base = self._new_base(plan, bases, parts, changed if layout is None else changed.whole())
                gone, come = _NO_CHANGE
        # Where only values differ, other agents have other values, and no other base.
        own += more
        resolution = resolve_changed(base.resolution, gone, [*come, *own] if come else own, policy)
        # What strangers and the call contribute comes in other objects each time.
        is_all = own and not more and layout is None
        self._latest = Latest(parts, tuple(own_parts), resolution) if is_all else None
        if is_within_limits(resolution, policy):
            again = remade(base, preparation, own, resolution, layout) if layout is not None else None
            return resolution, again
        return resolve_within_limits([*_edits(parts), *own], policy), None

    def _common_of(self, base: Base) -> Variants | None:
        known = self._common
        if known is None or known[0] is not base:
            self._common = known = (base, variants(base))
        return known[1]

    def _new_base(self, plan: Plan, bases: list[Basis], parts: tuple[Part, ...], resolution: Resolution) -> Base:
        made, before = plan.preparation, self._base
        if before is not None and _is_alike_prepared(before.preparation, made):
            kept = before.preparation
        else:
            # Prompts may outlive the builder; what it keeps of all agents should not.
            kept = made.of(made.agent, made.values, made.trusted_values)
        return _new(Base, (tuple(bases), parts, resolution, kept, self._is_anyones(made)))

    def _is_anyones(self, preparation: Preparation) -> bool:
        """Say whether nothing of an agent makes any difference to its edits but a name that can stand in any text."""
        agent = preparation.agent
        if agent is None or PLAIN_NAME.fullmatch(agent) is None:
            return False
        return preparation.typed_values == self._read_like | {("agent_name", str, agent, True)}

    def _whole_base(self) -> Base | None:
        """Return the base with a resolution that is that of no other any more: for many agents that is looked into."""
        base = self._base
        if base is not None and base.resolution.of is not None:
            self._base = base = base._replace(resolution=base.resolution.whole())
        return base


_NO_CHANGE: Final[tuple[Sequence[PreparedEdit], Sequence[PreparedEdit]]] = ((), ())


def _is_alike_prepared(one: Preparation, other: Preparation) -> bool:
    """Say whether edits are prepared with the very same values for the same agent, by the same builder."""
    return one.values is other.values and one.trusted_values is other.trusted_values and one.agent == other.agent


def _edits(parts: Sequence[Part]) -> list[PreparedEdit]:
    return [edit for part in parts for edit in part.edits if edit is not None]


def _is_same(earlier: Sequence[object], now: Sequence[object]) -> bool:
    return len(earlier) == len(now) and all(map(is_, earlier, now))
