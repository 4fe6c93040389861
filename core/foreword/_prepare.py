"""Preparation: each edit by itself is decoded, rendered and stamped, before any is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ._diagnostics import Diagnostic
from ._draft import MEND, REMEDIES, Draft, Origin
from ._edit_text import EditText
from ._names import is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._provider import Provider
from ._screen import Screen

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._model import Section
    from ._sources import Given

MOST_DRAFTS: Final = 16_384


class Drafts:
    """The drafts of edits that come again as the very same objects.

    A draft holds its edit, so that no other object can have the identity it is found by. Like the cache of
    readings it has no lock: each step is one operation of a dict.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Draft] = {}
        self._origins: dict[tuple[Provider, tuple[str, ...]], Origin] = {}

    def origin(self, provider: Provider, layers: tuple[str, ...], policy: Policy) -> Origin:
        """Return where edits of a provider come from."""
        origin = self._origins.get((provider, layers))
        if origin is None:
            origin = self._origins[provider, layers] = Origin(provider, layers, policy)
        return origin

    def get(self, edit: Section, origin: Origin, position: int) -> Draft | None:
        """Return the draft of this edit, from this origin at this position, or None."""
        kept = self._kept.get(id(edit))
        if kept is None or kept.edit is not edit or kept.position != position or kept.origin is not origin:
            return None
        return kept

    def put(self, made: Draft) -> None:
        """Keep a draft, and let go of the older half when they are too many."""
        self._kept[id(made.edit)] = made
        if len(self._kept) > MOST_DRAFTS:
            for key in list(self._kept)[: MOST_DRAFTS // 2]:
                self._kept.pop(key, None)


@dataclass(slots=True)
class Preparation:
    """What every edit of one build is prepared with."""

    agent: str | None
    policy: Policy
    values: Mapping[str, Value]
    """Every registered variable."""
    trusted_values: Mapping[str, Value]
    """Those that the operator or the call gave: the only ones that reach a locked section."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    screen: Screen = field(default_factory=Screen)
    drafts: Drafts = field(default_factory=Drafts)

    def prepare(
        self,
        edit: Section,
        provider: Provider,
        layers: tuple[str, ...],
        position: int = 0,
        rank: int = 0,
    ) -> PreparedEdit | None:
        """Prepare one edit, or return None when it is no edit.

        Args:
            edit: what the source gave.
            provider: who the source is, stamped by the host.
            layers: the layers that are granted to the provider, low to high.
            position: the edit's place in the list that the provider returned.
            rank: its rank inside the layer.
        """
        when = vars(edit).get("when")
        if when is not None and not when.holds(self.agent, self.values):
            return None
        made = Draft(edit, self.drafts.origin(provider, layers, self.policy), position, rank, self.screen)
        self.diagnostics += made.said
        return self._finished(made) if made.waits else made.prepared

    def prepare_given(self, given: Given, edits: list[PreparedEdit]) -> None:
        """Prepare what one of our own sources gave, whose edits never say anything else, and add it to a list.

        Args:
            given: what the source gave.
            edits: takes the prepared edits.
        """
        drafts, screen, append = self.drafts, self.screen, edits.append
        origin: Origin | None = None
        for edit, provider, layers, position in given.contributions:
            when = vars(edit).get("when")
            if when is not None and not when.holds(self.agent, self.values):
                continue
            if origin is None:
                origin = drafts.origin(provider, layers, self.policy)
            made = drafts.get(edit, origin, position)
            if made is None:
                made = Draft(edit, origin, position, 0, screen)
                drafts.put(made)
            if made.said:
                self.diagnostics += made.said
            prepared = self._finished(made) if made.waits else made.prepared
            if prepared is not None:
                append(prepared)

    def _finished(self, made: Draft) -> PreparedEdit | None:
        """Render what waits for the values of variables."""
        waiting = made.prepared
        assert waiting is not None
        id, layer = waiting.id, waiting.layer
        text = EditText(made.edit, made.provider, self.screen, self.diagnostics)
        values = self.trusted_values if self.policy.locked(id) else self.values
        allowed = self.policy.limits(layer).variables
        if allowed is not None:
            values = {name: value for name, value in values.items() if name in allowed}
        body, lines, verdict = text.rendered(id, waiting.raw, made.template, values)
        if verdict is not None:
            outcome, reason, code = verdict
            text.say(code, reason, REMEDIES.get(code, MEND), "error", id)
            return waiting._replace(place=text.place, verdict=outcome, reason=reason)
        if not waiting.trusted and not is_tool(id):
            body, lines = text.neutralised(id, body, lines, made.title)
            if not body:
                text.say("FW010", f"the text of {id!r} is only its title", "write a text", "warning", id)
                return None
        if not body:
            text.say("FW010", f"the text of {id!r} is empty once rendered", "check its conditions", "warning", id)
            return None
        return waiting.with_text(body, lines)
