"""Prompts that are made again: of thousands, each holds what its agent has of its own, and little more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from ._layout import DefaultLayout, Layout, texts
from ._prepare import differences
from ._resolve_changed import resolve_changed

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._folded import ResolvedSection
    from ._prepare import Preparation
    from ._prepared import PreparedEdit
    from ._resolution import Resolution
    from ._shared import Base


class Remade(NamedTuple):
    """A prompt that is resolved again when it is asked for.

    Attributes:
        base: what all agents have in common.
        agent: the agent that it is for.
        own: the edits that it has of its own.
        values: all variables, and those of operator and call; None where they are the base's but for the agent's name.
        places: for each of its own edits the place of the section that has its text, and the place in the base of the
            one that this stands instead of, or -1. None where the text takes a resolution.
        headings: the heading of each, or nothing at all where none has one.
    """

    base: Base
    agent: str | None
    own: tuple[PreparedEdit, ...]
    values: tuple[Mapping[str, Value], Mapping[str, Value]] | None
    places: tuple[int, ...] | None
    headings: tuple[str | None, ...]

    def texts(self, layout: Layout) -> list[str]:
        """Return the sections as the layout writes them."""
        if self.places is None or not isinstance(layout, DefaultLayout):
            return texts(layout, self.resolution())
        own = list(texts(layout, self.base.resolution))
        each = iter(self.places)
        changes = sorted(zip(each, each, self.headings or repeat(None), [edit.text for edit in self.own], strict=False))
        for _, replaced, _, _ in sorted(changes, key=_replaced, reverse=True):
            if replaced >= 0:
                del own[replaced]
        for place, _, heading, text in changes:
            own.insert(place, text if heading is None else f"{heading}\n{text}")
        return own

    def resolution(self) -> Resolution:
        """Return the resolution of the agent's prompt."""
        common = self.base.preparation
        values, trusted = self.values or ({**common.values, "agent_name": self.agent or ""},) * 2
        return resolved_for(self.base, common.of(self.agent, values, trusted), self.own)


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
    agent, values = preparation.agent, preparation.values
    common = base.preparation.values
    given: tuple[Mapping[str, Value], Mapping[str, Value]] | None = (values, preparation.trusted_values)
    if (
        agent is not None
        and values is preparation.trusted_values
        and values.keys() == common.keys()
        and values["agent_name"] == agent
        and all(value is common[name] for name, value in values.items() if name != "agent_name")
    ):
        given = None
    placed = _placed(base.resolution, own, resolution, layout) if isinstance(layout, DefaultLayout) else None
    if placed is None:
        return Remade(base, agent, tuple(own), given, None, ())
    places = tuple(chain.from_iterable([(place, replaced) for place, replaced, _ in placed]))
    headings = tuple([heading for _, _, heading in placed])
    return Remade(base, agent, tuple(own), given, places, headings if any(headings) else ())


def _placed(
    base: Resolution, own: Sequence[PreparedEdit], resolution: Resolution, layout: DefaultLayout
) -> list[tuple[int, int, str | None]] | None:
    """Return where the texts of the edits of an agent stand; None where its prompt differs in anything else."""
    changed: list[tuple[int, int, ResolvedSection]] = []
    before = base.sections
    if resolution is not base:
        if resolution.of is None or resolution.of[0] is not base:
            return None
        if resolution.of[1]:
            changed += [(place, place, section) for place, section in resolution.of[1]]
        else:
            places = {section.id: place for place, section in enumerate(before)}
            known = set(map(id, before))
            changed += [
                (place, places.get(section.id, -1), section)
                for place, section in enumerate(resolution.sections)
                if id(section) not in known
            ]
    found: dict[int, tuple[int, int, str | None]] = {}
    for place, replaced, section in changed:
        heading = layout.heading(section)
        if replaced >= 0:
            old = before[replaced]
            if section.text is old.text and section.place_key == old.place_key and heading == layout.heading(old):
                # Only what it says of its origin differs.
                continue
        if not section.is_of_one_edit:
            return None
        found[id(section.winner)] = (place, replaced, heading)
    if len(found) != len(own):
        return None
    placed = [found.get(id(edit)) for edit in own]
    return None if None in placed else [one for one in placed if one is not None]


def _replaced(change: tuple[int, int, str | None, str]) -> int:
    return change[1]


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
