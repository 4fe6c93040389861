"""Preparation: each edit by itself is decoded, rendered and stamped, before any is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ._diagnostics import Diagnostic
from ._draft import MEND, REMEDIES, Draft, draft
from ._edit_text import EditText
from ._model import Edit, Section
from ._names import is_tool
from ._policy import Policy
from ._prepared import PreparedEdit
from ._provider import Provider
from ._screen import Screen

if TYPE_CHECKING:
    from foreword.templates._names import Value

MOST_DRAFTS: Final = 16_384


class Drafts:
    """The drafts of edits that come again as the very same objects.

    A draft holds its edit, so that no other object can have the identity it is found by. Like the cache of
    readings it has no lock: each step is one operation of a dict.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Draft] = {}

    def get(
        self, edit: Section, provider: Provider, layers: tuple[str, ...], position: int, rank: int
    ) -> Draft | None:
        """Return the draft of this edit, given by this provider at this position, or None."""
        kept = self._kept.get(id(edit))
        if (
            kept is None
            or kept.edit is not edit
            or kept.position != position
            or kept.provider is not provider
            or kept.layers != layers
            or kept.rank != rank
        ):
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
    drafts: Drafts | None = None

    def prepare(
        self,
        edit: Section,
        provider: Provider,
        layers: tuple[str, ...],
        position: int = 0,
        rank: int = 0,
        *,
        keeps: bool = False,
    ) -> PreparedEdit | None:
        """Prepare one edit, or return None when it is no edit.

        Args:
            edit: what the source gave.
            provider: who the source is, stamped by the host.
            layers: the layers that are granted to the provider, low to high.
            position: the edit's place in the list that the provider returned.
            rank: its rank inside the layer.
            keeps: whether the same object never says anything else: its draft may be kept.
        """
        if isinstance(edit, Edit) and edit.when is not None and not edit.when.holds(self.agent, self.values):
            return None
        drafts = self.drafts if keeps else None
        made = drafts.get(edit, provider, layers, position, rank) if drafts is not None else None
        if made is None:
            made = draft(edit, provider, layers, position, rank, self.policy, self.screen)
            if drafts is not None:
                drafts.put(made)
        if made.said:
            self.diagnostics += made.said
        return self._finished(made) if made.waits else made.prepared

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
            return waiting._replace(text="", lines=None, place=text.place, verdict=outcome, reason=reason)
        if not waiting.trusted and not is_tool(id):
            body, lines = text.neutralised(id, body, lines, made.title)
            if not body:
                text.say("FW010", f"the text of {id!r} is only its title", "write a text", "warning", id)
                return None
        if not body:
            text.say("FW010", f"the text of {id!r} is empty once rendered", "check its conditions", "warning", id)
            return None
        return waiting._replace(text=body, lines=lines)
