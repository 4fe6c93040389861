"""Preparation: each edit by itself is decoded, rendered and stamped, before any is resolved."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from foreword.scan._suspects import suspected

from ._diagnostics import Diagnostic
from ._draft import MEND, REMEDIES, Draft
from ._edit_text import EditText
from ._keeping import keep
from ._named_tuple import new as _new
from ._names import is_tool
from ._origin import Origin
from ._plain_edit import plain_edits
from ._policy import Policy
from ._prepared import PreparedEdit
from ._provider import Provider
from ._screen import Screen

if TYPE_CHECKING:
    from foreword.files._questions import Key
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

    ``drafts`` holds the positions of those to which there is more than a text, with the draft of each, and ``open``
    those of them for which the agent or a variable matters.
    """

    __slots__ = ("drafts", "given", "last", "open", "part")

    def __init__(self, given: Given, part: Part, drafts: Placed, open: Placed) -> None:
        self.given = given
        self.part = part
        self.drafts = drafts
        self.open = open
        self.last: tuple[str | None, Typed, Part] | None = None


Placed: TypeAlias = "tuple[tuple[int, Draft], ...]"


class Drafts:
    """What edits came out as that come again as the very same objects.

    Each is kept with what it was made of, so that no other object can have the identity it is found by. Like the cache
    of readings this has no lock: each step is one operation of a dict.
    """

    __slots__ = ("_bases", "_latest", "_origins")

    def __init__(self) -> None:
        self._bases: dict[int, Basis] = {}
        self._latest: dict[tuple[Origin, Key | None], Basis] = {}
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
            origin = self.origin(given.provider, given.layers, policy)
            # What a source asks first says for which of the agents it gave something.
            scope = origin, given.seen[0].key if given.seen else None
            basis = _drafted(given, origin, screen, self._latest.get(scope))
            keep(self._latest, scope, basis, MOST_DRAFTS)
            keep(self._bases, id(given), basis, MOST_DRAFTS)
        return basis


def _drafted(given: Given, origin: Origin, screen: Screen, earlier: Basis | None) -> Basis:
    """Return what the edits of a source come out as; those that it gave before at the same place came out already."""
    edits = given.edits
    new: Sequence[int] = range(len(edits))
    prepared: list[PreparedEdit | None] = []
    drafts: dict[int, Draft] = {}
    if earlier is not None:
        before = earlier.given.edits
        stayed = min(len(before), len(edits))
        new = [*compress(count(), map(is_not, before, edits)), *range(stayed, len(edits))]
        prepared += earlier.part.edits[:stayed]
        prepared += [None] * (len(edits) - stayed)
        drafts.update([(at, draft) for at, draft in earlier.drafts if at < stayed and before[at] is edits[at]])
    clean = len(new) > 1 and given.layers[0] != "builtin" and is_clean([edits[at].__dict__["text"] for at in new])
    come = plain_edits(edits, new, origin, clean)
    if earlier is None:
        prepared = come
    else:
        for at, one in zip(new, come, strict=True):
            prepared[at] = one
    if not all(come):
        for at, one in zip(new, come, strict=True):
            if one is None:
                drafts[at] = Draft(edits[at], origin, at, 0, screen, clean)
    if not drafts:
        return Basis(given, _new(Part, (tuple(prepared), ())), (), ())
    said: list[Diagnostic] = []
    open: list[tuple[int, Draft]] = []
    placed = sorted(drafts.items())
    for at, draft in placed:
        if draft.waits or vars(draft.edit).get("when") is not None:
            open.append((at, draft))
        else:
            said += draft.said
            prepared[at] = draft.prepared
    return Basis(given, Part(tuple(prepared), tuple(said)), tuple(placed), tuple(open))


def differences(earlier: Sequence[Part], parts: Sequence[Part]) -> tuple[list[PreparedEdit], list[PreparedEdit]]:
    """Return the edits of earlier parts that are not there any more, and those that are new."""
    gone: list[PreparedEdit] = []
    come: list[PreparedEdit] = []
    for before, after in zip(earlier, parts, strict=True):
        if before is after:
            continue
        old_edits, new_edits = before.edits, after.edits
        if len(old_edits) == len(new_edits):
            for at in compress(count(), map(is_not, old_edits, new_edits)):
                old, new = old_edits[at], new_edits[at]
                gone += [old] if old is not None else []
                come += [new] if new is not None else []
            continue
        kept = {id(edit) for edit in new_edits}
        known = {id(edit) for edit in old_edits}
        gone += [edit for edit in old_edits if edit is not None and id(edit) not in kept]
        come += [edit for edit in new_edits if edit is not None and id(edit) not in known]
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
    diagnostics: list[Diagnostic]
    screen: Screen
    drafts: Drafts
    _typed: Typed | None = None

    @property
    def typed_values(self) -> Typed:
        """The variables, as what they read like."""
        if self._typed is None:
            self._typed = typed(self.values, self.trusted_values)
        return self._typed

    def is_but_for_name(self, other: Preparation) -> bool:
        """Say whether the variables, all of them the operator's or the call's, are another agent's but for the name."""
        agent, values, others = self.agent, self.values, other.values
        return (
            agent is not None
            and values is self.trusted_values
            and values.keys() == others.keys()
            and values["agent_name"] == agent
            and all(value is others[name] for name, value in values.items() if name != "agent_name")
        )

    def of(self, agent: str | None, values: Mapping[str, Value], trusted: Mapping[str, Value]) -> Preparation:
        """Return what the edits of another agent are prepared with; it keeps none of them."""
        return Preparation(agent, self.policy, values, trusted, [], self.screen, Drafts())

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
        template, values = made.template, self.values
        if values is not self.trusted_values and self.policy.locked(id):
            values = self.trusted_values
        if template is not None and waiting.trusted and layer not in self.policy.choosy:
            rendered = template.render(values)
            if not rendered.unknown and rendered.lines is None and rendered.text.strip() == rendered.text != "":
                # There is nothing to say, and nothing at its ends to set aside.
                return waiting.with_text(rendered.text)
        text = EditText(made.edit, made.provider, self.screen, self.diagnostics)
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


def is_clean(texts: list[str]) -> bool:
    """Say whether the scanner has nothing to look at in any of many texts; in doubt it has."""
    whole = "\n\n".join(texts)
    # What stands around a character can make it harmless only where it is no ASCII.
    return whole.isascii() and not suspected(whole)
