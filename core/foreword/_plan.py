"""The plan: everything that was gathered for one prompt, to be prepared and resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ._diagnostics import Diagnostic
from ._layers import Layer
from ._plugin_calls import Contribution, Gathered
from ._prepared import PreparedEdit

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._context import Context
    from ._model import Section
    from ._prepare import Preparation
    from ._provider import Provider
    from ._sources import Given


class Plan:
    """The contributions to one prompt, and what they are prepared with.

    Attributes:
        context: what the sources were given.
        preparation: what every edit is prepared with.
        given: what each source gave.
        broken: the plugins that did not work.
        added: what the call itself contributes, and its rank inside its layer.
    """

    def __init__(self, context: Context, preparation: Preparation, gathered: Gathered) -> None:
        self.context = context
        self.preparation = preparation
        self.given: tuple[Given, ...] = tuple(gathered.given)
        self.broken: set[Provider] = gathered.broken
        self.added: list[tuple[Contribution, int]] = []

    @property
    def values(self) -> frozenset[tuple[str, type, Value]]:
        """The variables, so that equal ones read alike: True equals 1, and does not read like it."""
        return typed(self.preparation.values)

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
        return [contribution for given in self.given for contribution in given.contributions]

    def prepared(self, without: Callable[[Contribution], bool] | None = None) -> list[PreparedEdit]:
        """Prepare every contribution by itself.

        Args:
            without: says of a contribution whether it is left out.
        """
        preparation = self.preparation
        prepare = preparation.prepare
        edits: list[PreparedEdit] = []
        for given in self.given:
            if without is not None:
                kept = tuple([one for one in given.contributions if not without(one)])
                given = given._replace(contributions=kept)
            if given.seen is not None:
                preparation.prepare_given(given, edits)
                continue
            for section, provider, layers, position in given.contributions:
                edit = prepare(section, provider, layers, position)
                if edit is not None:
                    edits.append(edit)
        for (section, provider, layers, position), rank in self.added:
            edit = prepare(section, provider, layers, position, rank)
            if edit is not None:
                edits.append(edit)
        return edits


def typed(values: Mapping[str, Value]) -> frozenset[tuple[str, type, Value]]:
    """Return the variables as what they read like."""
    return frozenset([(name, type(value), value) for name, value in values.items()])
