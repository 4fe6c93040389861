"""What stands of one section while the layers are laid over one another."""

from __future__ import annotations

from dataclasses import dataclass

from ._prepared import PreparedEdit, Span


@dataclass(frozen=True, slots=True)
class Standing:
    """A section as it stands below the next layer.

    ``raw`` is its text before rendering, as the operator's and the agent's layers make it: what a
    memory's copies and overrides are compared with.
    """

    definer: PreparedEdit
    winner: PreparedEdit
    spans: tuple[Span, ...]
    title: str | None
    title_given: bool
    titled_by: PreparedEdit
    priority: int
    placed_by: PreparedEdit
    raw: str | None = None
