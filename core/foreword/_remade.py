"""Prompts that are made again: of thousands, each holds what its agent has of its own, and little more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from ._layout import DefaultLayout, Layout, texts
from ._named_tuple import new as _new
from ._prepare import differences
from ._resolve_changed import resolve_changed

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._prepare import Preparation
    from ._prepared import PreparedEdit
    from ._resolution import Change, Resolution
    from ._shared import Base


class Remade(NamedTuple):
    """A prompt that is resolved again when it is asked for.

    Attributes:
        base: what all agents have in common.
        agent: the agent that it is for.
        own: the edits that it has of its own.
        values: all variables, and those of operator and call; None where they are the base's but for the agent's name.
        places: for each of its own edits a place in the base, from the end, and whether its text stands instead of the
            section there, or before it; then the places of sections that are gone. None where the text takes a
            resolution.
        titles: the title over the text of each, or nothing at all where none has one.
    """

    base: Base
    agent: str | None
    own: tuple[PreparedEdit, ...]
    values: tuple[Mapping[str, Value], Mapping[str, Value]] | None
    places: tuple[int, ...] | None
    titles: tuple[str | None, ...]

    def texts(self, layout: Layout) -> Sequence[str]:
        """Return the sections as the layout writes them."""
        _, _, own, _, places, titles = self
        if places is None or not isinstance(layout, DefaultLayout):
            return texts(layout, self.resolution())
        made = [*texts(layout, self.base.resolution)]
        count = 2 * len(own)
        at, replaces = places[:count:2], places[1:count:2]
        lay_over(made, [edit.text for edit in own], titles, places[:count], layout)
        for place in places[count:]:
            come = [other for other, is_gone in zip(at, replaces, strict=True) if other <= place and not is_gone]
            del made[place + len(come)]
        return made

    def resolution(self) -> Resolution:
        """Return the resolution of the agent's prompt."""
        common = self.base.preparation
        values, trusted = self.values or ({**common.values, "agent_name": self.agent or ""},) * 2
        return resolved_for(self.base, common.of(self.agent, values, trusted), self.own)


def lay_over(
    made: list[str], own: Sequence[str], titles: Sequence[str | None], places: Sequence[int], layout: DefaultLayout
) -> None:
    """Put texts among others.

    Args:
        made: the others, each as it is written.
        own: the texts, from the end.
        titles: the title over each, or nothing at all where none has one.
        places: for each a place among the others, and whether it stands instead of the one there, or before it.
        layout: how a title is written over a text.
    """
    for text, title, place, is_gone in zip(own, titles or repeat(None), places[::2], places[1::2], strict=False):
        written = text if title is None else layout.under(title, text)
        if is_gone:
            made[place] = written
        else:
            made.insert(place, written)


def remade(
    base: Base, preparation: Preparation, own: Sequence[PreparedEdit], resolution: Resolution, layout: Layout
) -> Remade:
    """Return how an agent's prompt is made again.

    Args:
        base: what all agents have in common, as it is for one of them.
        preparation: what edits were prepared with for this agent.
        own: the edits that it has of its own.
        resolution: what they come to.
        layout: how it is mostly written.
    """
    is_alike = preparation.is_but_for_name(base.preparation)
    given = None if is_alike else (preparation.values, preparation.trusted_values)
    placed = _placed(base.resolution, own, resolution) if isinstance(layout, DefaultLayout) else None
    edits, places, titles = placed or (tuple(own), None, ())
    return _new(Remade, (base, preparation.agent, edits, given, places, titles))


def _placed(
    base: Resolution, own: Sequence[PreparedEdit], resolution: Resolution
) -> tuple[tuple[PreparedEdit, ...], tuple[int, ...], tuple[str | None, ...]] | None:
    """Return the edits of an agent from the end of its prompt, and the places and titles of their texts.

    None where its prompt differs in anything else.
    """
    changes: Sequence[Change] = ()
    if resolution is not base:
        if resolution.of is None or resolution.of[0] is not base:
            return None
        changes = resolution.of[1]
    left = set(map(id, own))
    edits: list[PreparedEdit] = []
    places: list[int] = []
    titles: list[str | None] = []
    gone: list[int] = []
    is_titled = False
    for place, is_gone, section in changes:
        if section is None:
            gone.append(place)
            continue
        winner = section.winner
        if id(winner) in left and section.is_of_one_edit:
            edits.append(winner)
            places += (place, is_gone)
            over = section.over
            titles.append(over)
            is_titled = is_titled or over is not None
            continue
        # Of another than the agent's own, only what it says of its origin may differ.
        if not is_gone or section.text is not (old := base.sections[place]).text or section.over != old.over:
            return None
    if len(edits) != len(own):
        return None
    return tuple(edits), (*places, *gone), tuple(titles) if is_titled else ()


def resolved_for(base: Base, preparation: Preparation, own: Sequence[PreparedEdit]) -> Resolution:
    """Return the resolution of an agent's prompt.

    Args:
        base: what all agents have in common, as it is for one of them.
        preparation: what edits are prepared with for this agent.
        own: the edits that it has of its own.
    """
    gone, come = differences(base.parts, [preparation.part_of(basis) for basis in base.bases])
    come += own
    return resolve_changed(base.resolution, gone, come, preparation.policy)
