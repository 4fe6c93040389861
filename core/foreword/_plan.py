"""The plan: everything that was gathered for one prompt, to be prepared and resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ._diagnostics import Diagnostic
from ._layers import Layer
from ._plugin_calls import Contribution, Gathered
from ._prepared import PreparedEdit

if TYPE_CHECKING:

    from ._context import Asked, Context
    from ._model import Section
    from ._prepare import Preparation, Typed
    from ._provider import Provider
    from ._sources import Given
    from ._subject import Subject


class Plan:
    """The contributions to one prompt, and what they are prepared with.

    Attributes:
        subject: whom the prompt is for.
        preparation: what every edit is prepared with.
        given: what each of our own sources gave.
        strangers: what the plugins of other distributions contribute.
        broken: the plugins that did not work.
        added: what the call itself contributes, and its rank inside its layer.
    """

    def __init__(
        self, subject: Subject, preparation: Preparation, gathered: Gathered, told: Callable[[list[Diagnostic]], Asked]
    ) -> None:
        self.subject = subject
        self._told = told
        self.preparation = preparation
        self.given: tuple[Given, ...] = tuple(gathered.given)
        self.strangers = gathered.strangers
        self.broken: set[Provider] = gathered.broken
        self.added: list[tuple[Contribution, int]] = []

    @property
    def context(self) -> Context:
        """What plugins are given."""
        return self._told([]).context(None)

    @property
    def values(self) -> Typed:
        """The variables, as what they read like."""
        return self.preparation.typed_values

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What gathering and preparation had to say."""
        return self.preparation.diagnostics

    def add(self, sections: Iterable[Section], provider: Provider, layer: Layer, *, rank: int = 0) -> None:
        """Add what the call itself contributes."""
        self.added += [
            (Contribution(section, provider, (layer,), position), rank) for position, section in enumerate(sections)
        ]

    @property
    def contributions(self) -> list[Contribution]:
        """The edits of all sources, without those of the call."""
        return [*self.strangers.contributions, *(one for given in self.given for one in given.contributions)]

    def prepared(self, without: Callable[[Contribution], bool] | None = None) -> list[PreparedEdit]:
        """Prepare every contribution by itself.

        Args:
            without: says of a contribution whether it is left out.
        """
        edits: list[PreparedEdit] = []
        for given in self.given:
            if without is None:
                part = self.preparation.part(given)
                self.diagnostics.extend(part.said)
                edits += (edit for edit in part.edits if edit is not None)
                continue
            for contribution in given.contributions:
                if not without(contribution) and (edit := self.preparation.prepare(*contribution)) is not None:
                    edits.append(edit)
        return edits + self.prepared_more()

    def prepared_more(self) -> list[PreparedEdit]:
        """Prepare what strangers and the call itself contribute."""
        prepare = self.preparation.prepare
        edits: list[PreparedEdit] = []
        for section, provider, layers, position in self.strangers.contributions:
            edit = prepare(section, provider, layers, position)
            if edit is not None:
                edits.append(edit)
        for (section, provider, layers, position), rank in self.added:
            edit = prepare(section, provider, layers, position, rank)
            if edit is not None:
                edits.append(edit)
        return edits
