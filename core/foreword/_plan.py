"""The plan: everything that was gathered for one prompt, to be prepared and resolved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ._context import Context
from ._diagnostics import Diagnostic
from ._layers import Layer
from ._model import Section
from ._plugin_calls import Contribution
from ._prepare import Preparation
from ._prepared import PreparedEdit
from ._provider import Provider


class Ranked(NamedTuple):
    """A contribution and its rank inside its layer."""

    contribution: Contribution
    rank: int


@dataclass(slots=True)
class Plan:
    """The contributions to one prompt, and what they are prepared with."""

    context: Context
    preparation: Preparation
    contributions: list[Ranked]
    broken: set[Provider]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What gathering and preparation had to say."""
        return self.preparation.diagnostics

    def add(self, sections: Iterable[Section], provider: Provider, layer: Layer, *, rank: int = 0) -> None:
        """Add what the call itself contributes."""
        self.contributions += (
            Ranked(Contribution(section, provider, (layer,), position), rank)
            for position, section in enumerate(sections)
        )

    def prepared(self) -> list[PreparedEdit]:
        """Prepare every contribution by itself."""
        edits = (self.preparation.prepare(*contribution, rank) for contribution, rank in self.contributions)
        return [edit for edit in edits if edit is not None]
