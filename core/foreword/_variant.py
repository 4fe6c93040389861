"""Variants of the shared base: prompts that differ from it, and from one another, in the name of their agent only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from foreword.markdown._headings import has_underline

from ._findings import in_order
from ._layout import DefaultLayout, Layout, texts
from ._names import is_tool
from ._prepare import typed
from ._remade import resolved_for
from ._resolution import Resolution

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._diagnostics import Diagnostic
    from ._draft import Draft
    from ._prepare import Preparation, Typed
    from ._prepared import PreparedEdit
    from ._shared import Base
    from ._sources import Given

PLAIN_NAME: Final = re.compile(r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?")
"""The names of agents that can stand for one another in any text without a difference to its Markdown."""

_WRITING: Final = frozenset({"plain", "define", "replace"})


class Variants:
    """What the prompts of many agents have in common.

    Args:
        base: the shared base, as it is for one of them.
        places: where sections stand whose text has the name of the agent in it, and the draft of each text.
    """

    __slots__ = ("_others", "base", "found", "given", "places")

    def __init__(self, base: Base, places: tuple[tuple[int, Draft], ...]) -> None:
        self.base = base
        self.places = places
        self.given: tuple[Given, ...] = tuple([basis.given for basis in base.bases])
        values = base.preparation.values
        self._others = typed({name: value for name, value in values.items() if name != "agent_name"}, values)
        said: set[Diagnostic] = set()
        for basis, part in zip(base.bases, base.parts, strict=True):
            said.update(basis.given.diagnostics, part.said)
        self.found: tuple[Diagnostic, ...] = in_order(said)

    def values(self, agent: str) -> dict[str, Value]:
        """Return the variables of an agent."""
        return {**self.base.preparation.values, "agent_name": agent}

    def read_like(self, agent: str) -> Typed:
        """Return the variables of an agent as what they read like; the operator gave all of them."""
        return self._others | {("agent_name", str, agent, True)}

    def preparation(self, agent: str) -> Preparation:
        """Return what the edits are prepared with for an agent."""
        values = self.values(agent)
        return self.base.preparation.of(agent, values, values)


class Variant(NamedTuple):
    """The prompt of one agent, as far as it differs: it is made when it is asked for, and takes hardly any room."""

    variants: Variants
    agent: str

    def texts(self, layout: Layout) -> Sequence[str]:
        """Return the sections as the layout writes them."""
        base = self.variants.base
        if not isinstance(layout, DefaultLayout):
            return texts(layout, self.resolution())
        own = list(texts(layout, base.resolution))
        values: Mapping[str, Value] = self.variants.values(self.agent)
        for place, draft in self.variants.places:
            assert draft.template is not None
            before, _, _ = layout.parts(base.resolution.sections[place])
            own[place] = "\n".join([*before, draft.template.render(values).text])
        return own

    def resolution(self) -> Resolution:
        """Return the resolution of the agent's prompt."""
        return resolved_for(self.variants.base, self.variants.preparation(self.agent), ())


def variants(base: Base) -> Variants | None:
    """Return what other agents have in common with the one that a base was made for.

    None where another name could make any other difference than that it stands in a text.

    Args:
        base: the base, which shows what there is beside the name of its agent.
    """
    resolution, preparation = base.resolution, base.preparation
    policy = preparation.policy
    if resolution.diagnostics or resolution.fatal or resolution.is_moved:
        return None
    if resolution.sizes or policy.prompt is not None:
        return None
    places: list[tuple[int, Draft]] = []
    for basis, part in zip(base.bases, base.parts, strict=True):
        for position, draft in basis.open:
            edit = part.edits[position]
            if edit is None or not _varies_only_so(edit, draft, preparation):
                return None
            group = next(one for one in resolution.folded.values() if any(other is edit for other in one.edits))
            if any(other.mode not in _WRITING or other.base is not None for other in group.edits):
                return None
            section = group.section
            if section is None:
                continue
            if section.winner is edit:
                places.append((next(n for n, one in enumerate(resolution.sections) if one is section), draft))
    return Variants(base, tuple(places))


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
        # Some names make a tag of what stands before them, and no line below a tag makes a heading of it.
        and not has_underline(edit.text.strip())
        and not edit.copy_of_below
        and not is_tool(edit.id)
        and edit.layer not in preparation.policy.choosy
        and template.names <= preparation.values.keys()
    )
