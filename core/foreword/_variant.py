"""Variants of the shared base: prompts that differ from it, and from one another, in the name of their agent only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from ._findings import in_order
from ._layout import DefaultLayout, Layout, parts, texts, written
from ._names import is_tool
from ._resolution import Resolution
from ._resolve import resolve_changed

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._diagnostics import Diagnostic
    from ._draft import Draft
    from ._prepare import Preparation
    from ._prepared import PreparedEdit
    from ._shared import Base

PLAIN_NAME: Final = re.compile(r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?")
"""The names of agents that can stand for one another in any text without a difference to its Markdown."""

_WRITING: Final = frozenset({"plain", "define", "replace"})


class Variants:
    """What the prompts of many agents have in common.

    Args:
        base: the shared base, as it is for one of them.
        preparation: what the edits of that one were prepared with.
        places: where sections stand whose text has the name of the agent in it, and the draft of each text.
    """

    __slots__ = ("_preparation", "base", "found", "places")

    def __init__(self, base: Base, preparation: Preparation, places: tuple[tuple[int, Draft], ...]) -> None:
        self.base = base
        self.places = places
        self._preparation = preparation
        said: set[Diagnostic] = set()
        for given, part in zip(base.given, base.parts, strict=True):
            said.update(given.diagnostics, part.said)
        self.found: tuple[Diagnostic, ...] = in_order(said)

    def values(self, agent: str) -> dict[str, Value]:
        """Return the variables of an agent."""
        return {**self._preparation.values, "agent_name": agent}

    def preparation(self, agent: str) -> Preparation:
        """Return what the edits are prepared with for an agent."""
        values = self.values(agent)
        return self._preparation.of(agent, values)


class Variant(NamedTuple):
    """The prompt of one agent, as far as it differs: it is made when it is asked for, and takes hardly any room."""

    variants: Variants
    agent: str

    def texts(self, layout: Layout) -> list[str]:
        """Return the sections as the layout writes them."""
        base = self.variants.base
        if not isinstance(layout, DefaultLayout):
            return texts(layout, self.resolution())
        own = list(texts(layout, base.resolution))
        values: Mapping[str, Value] = self.variants.values(self.agent)
        for place, draft in self.variants.places:
            assert draft.template is not None
            before, _, after = parts(layout, base.resolution.sections[place])
            own[place] = written((before, draft.template.render(values).text, after))
        return own

    def resolution(self) -> Resolution:
        """Return the resolution of the agent's prompt."""
        base = self.variants.base
        preparation = self.variants.preparation(self.agent)
        gone: list[PreparedEdit] = []
        come: list[PreparedEdit] = []
        for given, before in zip(base.given, base.parts, strict=True):
            for old, new in zip(before.edits, preparation.part(given).edits, strict=True):
                if old is not new and old is not None and new is not None:
                    gone.append(old)
                    come.append(new)
        return resolve_changed(base.resolution, gone, come, preparation.policy)


def variants(base: Base, preparation: Preparation) -> Variants | None:
    """Return what other agents have in common with the one that a base was made for.

    None where another name could make any other difference than that it stands in a text.

    Args:
        base: the base.
        preparation: what its edits were prepared with.
    """
    resolution, policy = base.resolution, preparation.policy
    agent = preparation.agent
    if agent is None or PLAIN_NAME.fullmatch(agent) is None or preparation.values.get("agent_name") != agent:
        return None
    if resolution.diagnostics or resolution.fatal or resolution.is_moved:
        return None
    if resolution.sizes or policy.prompt is not None:
        return None
    places: list[tuple[int, Draft]] = []
    for given, part in zip(base.given, base.parts, strict=True):
        for position, draft in preparation.drafts.basis(given, policy, preparation.screen).open:
            edit = part.edits[position]
            if edit is None or not _varies_only_so(edit, draft, preparation):
                return None
            group = next(one for one in resolution.folded.values() if any(other is edit for other in one.edits))
            if any(other.mode not in _WRITING or other.base is not None for other in group.edits):
                return None
            section = group.section
            if section is None:
                continue
            if section.standing.winner is edit:
                places.append((next(n for n, one in enumerate(resolution.sections) if one is section), draft))
    return Variants(base, preparation, tuple(places))


def _varies_only_so(edit: PreparedEdit, draft: Draft, preparation: Preparation) -> bool:
    template = draft.template
    return (
        template is not None
        and vars(draft.edit).get("when") is None
        and not draft.said
        and edit.trusted
        and edit.verdict is None
        and edit.lines is None
        and edit.leading_heading is None
        and not edit.copy_of_below
        and not is_tool(edit.id)
        and edit.layer not in preparation.policy.choosy
        and template.names <= preparation.values.keys()
    )
