"""Preparation: each edit by itself is decoded, rendered and stamped, before any is resolved."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from foreword.scan._suspects import suspected

from ._diagnostics import Diagnostic
from ._draft import MEND, REMEDIES, Draft
from ._edit_text import EditText
from ._keeping import keep, trim
from ._names import is_tool
from ._origin import Origin
from ._plain_edit import plain_edit
from ._policy import Policy
from ._prepared import PreparedEdit
from ._provider import Provider
from ._screen import Screen

if TYPE_CHECKING:
    from foreword.templates._names import Value

    from ._model import Section
    from ._sources import Given

Typed: TypeAlias = "frozenset[tuple[str, type, Value, bool]]"
"""Variables as what they read like, and whether the operator or the call gave each."""

MOST_DRAFTS: Final = 16_384


class Part(NamedTuple):
    """What the edits of one source came out as: by position, None for one that is none; and what there is to say."""

    edits: tuple[PreparedEdit | None, ...]
    said: tuple[Diagnostic, ...]


class Basis:
    """What the edits of one source came out as, as far as neither the agent nor any variable matters.

    ``open`` holds the positions of those for which they do, with the draft of each.
    """

    __slots__ = ("given", "last", "open", "part")

    def __init__(self, given: Given, part: Part, open: tuple[tuple[int, Draft], ...]) -> None:
        self.given = given
        self.part = part
        self.open = open
        self.last: tuple[str | None, Typed, Part] | None = None


Kept = tuple["Section", Origin, int, PreparedEdit | Draft]
"""An edit, where it comes from, its position, and what it came out as: a draft where there is more to it."""


class Drafts:
    """What edits came out as that come again as the very same objects.

    Each is kept with its edit, so that no other object can have the identity it is found by. Like the cache of
    readings this has no lock: each step is one operation of a dict.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Kept] = {}
        self._bases: dict[int, Basis] = {}
        self._origins: dict[tuple[Provider, tuple[str, ...]], Origin] = {}

    def origin(self, provider: Provider, layers: tuple[str, ...], policy: Policy) -> Origin:
        """Return where edits of a provider come from."""
        origin = self._origins.get((provider, layers))
        if origin is None:
            origin = self._origins[provider, layers] = Origin(provider, layers, policy)
        return origin

    def basis(self, given: Given, policy: Policy, screen: Screen) -> Basis:
        """Return what the edits of a source came out as, whoever the agent is."""
        basis = self._bases.get(id(given))
        if basis is None or basis.given is not given:
            basis = self._drafted(given, policy, screen)
            keep(self._bases, id(given), basis, MOST_DRAFTS)
        return basis

    def _drafted(self, given: Given, policy: Policy, screen: Screen) -> Basis:
        origin = self.origin(given.provider, given.layers, policy)
        kept = self._kept
        made: list[PreparedEdit | Draft | None] = [None] * len(given.edits)
        for position, edit in enumerate(given.edits):
            known = kept.get(id(edit))
            if known is not None and known[0] is edit and known[2] == position and known[1] is origin:
                made[position] = known[3]
        new = [vars(edit)["text"] for edit, one in zip(given.edits, made, strict=True) if one is None]
        clean = len(new) > 1 and given.layers[0] != "builtin" and _is_clean(new)
        edits: list[PreparedEdit | None] = []
        said: list[Diagnostic] = []
        open: list[tuple[int, Draft]] = []
        for position, edit in enumerate(given.edits):
            one = made[position]
            if one is None:
                one = plain_edit(edit, origin, position, clean) or Draft(edit, origin, position, 0, screen, clean)
                kept[id(edit)] = (edit, origin, position, one)
            if type(one) is PreparedEdit:
                edits.append(one)
                continue
            assert type(one) is Draft
            if one.waits or vars(edit).get("when") is not None:
                open.append((position, one))
                edits.append(None)
            else:
                said += one.said
                edits.append(one.prepared)
        trim(kept, MOST_DRAFTS)
        return Basis(given, Part(tuple(edits), tuple(said)), tuple(open))


def differences(earlier: Sequence[Part], parts: Sequence[Part]) -> tuple[list[PreparedEdit], list[PreparedEdit]]:
    """Return the edits of earlier parts that are not there any more, and those that are new."""
    gone: list[PreparedEdit] = []
    come: list[PreparedEdit] = []
    for before, after in zip(earlier, parts, strict=True):
        if before is after:
            continue
        if len(before.edits) == len(after.edits):
            for old, new in zip(before.edits, after.edits, strict=True):
                if old is not new:
                    gone += [old] if old is not None else []
                    come += [new] if new is not None else []
            continue
        kept = {id(edit) for edit in after.edits}
        known = {id(edit) for edit in before.edits}
        gone += [edit for edit in before.edits if edit is not None and id(edit) not in kept]
        come += [edit for edit in after.edits if edit is not None and id(edit) not in known]
    return gone, come


def typed(values: Mapping[str, Value], trusted: Collection[str] = ()) -> Typed:
    """Return variables as what they read like, and whether the operator or the call gave each.

    True equals 1, and 0.0 equals -0.0, and neither reads like the other.
    """
    return frozenset(
        [
            (name, type(value), str(value) if type(value) is float else value, name in trusted)
            for name, value in values.items()
        ]
    )


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
    _typed: Typed | None = None

    @property
    def typed_values(self) -> Typed:
        """The variables, as what they read like."""
        if self._typed is None:
            self._typed = typed(self.values, self.trusted_values)
        return self._typed

    def of(self, agent: str | None, values: Mapping[str, Value], trusted: Mapping[str, Value]) -> Preparation:
        """Return what the edits of another agent are prepared with; it keeps none of them."""
        return Preparation(agent, self.policy, values, trusted, [], self.screen)

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

    def part(self, given: Given) -> Part:
        """Prepare what one of our own sources gave, whose edits never say anything else.

        Args:
            given: what the source gave.
        """
        return self.part_of(self.drafts.basis(given, self.policy, self.screen))

    def part_of(self, basis: Basis) -> Part:
        """Finish the edits of one of our own sources for this agent."""
        if not basis.open:
            return basis.part
        values = self.typed_values
        last = basis.last
        if last is not None and last[0] == self.agent and last[1] == values:
            return last[2]
        edits = list(basis.part.edits)
        said, self.diagnostics = self.diagnostics, []
        for position, draft in basis.open:
            when = vars(draft.edit).get("when")
            if when is None or when.holds(self.agent, self.values):
                self.diagnostics += draft.said
                edits[position] = self._finished(draft) if draft.waits else draft.prepared
        part = Part(tuple(edits), (*basis.part.said, *self.diagnostics))
        self.diagnostics = said
        basis.last = (self.agent, values, part)
        return part

    def _finished(self, made: Draft) -> PreparedEdit | None:
        """Render what waits for the values of variables."""
        waiting = made.prepared
        assert waiting is not None
        id, layer = waiting.id, waiting.layer
        template = made.template
        if template is not None and waiting.trusted and layer not in self.policy.choosy:
            rendered = template.render(self.trusted_values if self.policy.locked(id) else self.values)
            if not rendered.unknown and rendered.lines is None and _is_trimmed(rendered.text):
                # There is nothing to say, and nothing at its ends to set aside.
                return waiting.with_text(rendered.text)
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


def _is_trimmed(text: str) -> bool:
    return text != "" and not text[0].isspace() and not text[-1].isspace()


def _is_clean(texts: list[str]) -> bool:
    """Say whether the scanner has nothing to look at in any of many texts; in doubt it has."""
    whole = "\n\n".join(texts)
    # What stands around a character can make it harmless only where it is no ASCII.
    return whole.isascii() and not suspected(whole)
