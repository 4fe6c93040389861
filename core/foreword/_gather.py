"""Gathering: every hook of every plugin is called by itself, and what it returns is checked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from ._batch import Ahead, Batch
from ._context import Asked, Context, asked
from ._diagnostics import Diagnostic, is_sound
from ._implementation import Calls, Implementation
from ._manager import Manager
from ._model import Edit, Section
from ._own import Own
from ._plugin_calls import Caller, Contribution, Gathered, Strangers
from ._plugin_sections import HOOK, KIND, checked_section, third_party_sections
from ._plugin_skills import plugin_skills
from ._plugin_values import plugin_values
from ._sources import LOOKING_AT_NOTHING, SHARED, Given, Scope, Sources, agent_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from foreword.files._reader import Observation, Reader

    from ._prompt import Prompt
    from ._subject import Subject
    from ._variant import Variants


class Gathering:
    """Asks the plugins of one builder what they contribute.

    Args:
        sources: what our own sources gave before.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._own: Own | None = None
        self._scoped: tuple[Calls, tuple[tuple[Implementation, Scope], ...]] | None = None

    def gather(
        self, manager: Manager, subject: Subject, batch: Batch, told: Callable[[list[Diagnostic]], Asked]
    ) -> Gathered:
        """Call the hooks of every plugin and return what they contribute.

        A plugin that raises, or returns something that is no section, loses only that; a diagnostic names it.

        Args:
            manager: the plugins.
            subject: whom the prompt is for.
            batch: the batch of builds.
            told: returns what the hooks are told, whose reports go to a list; it is made only when one is called.
        """
        gathered = Gathered()
        if not manager.first_party_only:
            caller = Caller(gathered, told(gathered.diagnostics), manager)
            self._ask_strangers(manager, caller, gathered, subject.agent)
        elif manager.diagnostics:
            gathered.strangers = Strangers((), tuple(manager.diagnostics))
        reader = batch.reader
        for implementation, scope_of in self._ours(manager):
            scope = scope_of(subject, reader)
            if scope is not None:
                given = self._of(implementation, scope, manager, gathered, batch, told)
                gathered.given.append(given)
                if self._own is None and batch.is_large and subject.agent is not None and not given.is_shared:
                    self._own = Own.of(given, subject.agent)
        return gathered

    def _of(
        self,
        implementation: Implementation,
        scope: Hashable,
        manager: Manager,
        gathered: Gathered,
        batch: Batch,
        told: Callable[[list[Diagnostic]], Asked],
    ) -> Given:
        """Return what one of our own sources gives; it is asked where nothing shows that it would give the same."""
        given = batch.given.get(scope)
        if given is None:
            reader, sources = batch.reader, self._sources
            given = sources.kept(scope, reader)
            if given is None:
                caller = Caller(gathered, told(gathered.diagnostics), manager)
                given = _given(caller, implementation, gathered, reader)
                if given.seen is not None:
                    sources.keep(scope, given)
            if given.seen is not None:
                batch.given[scope] = given
        return given

    def ahead(self, manager: Manager, agents: Iterable[str], batch: Batch, common: Variants) -> Ahead | None:
        """Read what is some agents' own, before it is asked for: to do the same many times over takes much less time.

        Args:
            manager: the plugins.
            agents: agents with plain names that have directories of their own.
            batch: the batch of builds.
            common: what the agents have in common.
        """
        own = self._own
        if own is None:
            return None
        providers = [implementation.provider for implementation, _ in self._ours(manager)]
        place = sum([one.entry_point in SHARED for one in providers[: providers.index(own.provider)]])
        return Ahead(common, place, {agent: own.seen(agent, batch.reader) for agent in agents})

    def own(self, agent: str, batch: Batch, seen: Sequence[Observation]) -> Given | None:
        """Return what an agent is given of its own, None where the source has to be asked for it.

        Args:
            agent: the agent.
            batch: the batch of builds.
            seen: what was read for it.
        """
        scope, sources = agent_scope(agent), self._sources
        given = sources.kept(scope, batch.reader)
        if given is None and self._own is not None:
            given = self._own.given(seen)
            if given is not None:
                sources.keep(scope, given)
        return given

    def _ours(self, manager: Manager) -> tuple[tuple[Implementation, Scope], ...]:
        """Return the implementations of our own sources that may have something to look at, each with its scope."""
        calls = manager.first_party_calls(HOOK)
        known = self._scoped
        if known is None or known[0] is not calls:
            scopes = self._sources.scopes
            ours = [(one, scopes[one.provider.entry_point]) for one in calls if one.provider.entry_point in scopes]
            self._scoped = known = (calls, tuple(ours))
        return known[1]

    def ready(
        self, manager: Manager, subject: Subject, batch: Batch, told: Callable[[list[Diagnostic]], Asked]
    ) -> list[Given]:
        """Ask the sources that look at nothing, so that no build need ask them, and return what they gave.

        Args:
            manager: the plugins.
            subject: whom a prompt is for that all share.
            batch: a batch of builds.
            told: as for `gather`.
        """
        gathered = Gathered()
        caller = Caller(gathered, told(gathered.diagnostics), manager)
        for implementation, scope_of in self._ours(manager):
            if implementation.provider.entry_point not in LOOKING_AT_NOTHING:
                continue
            given = _given(caller, implementation, gathered, batch.reader)
            # What goes wrong is for a build to say, so there it is asked again.
            if given.seen is not None and not given.diagnostics:
                self._sources.keep(scope_of(subject, batch.reader), given)
                gathered.given.append(given)
        return gathered.given

    def shared(self, manager: Manager, subject: Subject, batch: Batch) -> list[Given] | None:
        """Return what the sources gave that give all agents the same, or None where one has to be asked for it."""
        found: list[Given] = []
        for implementation, scope_of in self._ours(manager):
            if implementation.provider.entry_point not in SHARED:
                continue
            scope = scope_of(subject, batch.reader)
            given = batch.given.get(scope) or self._sources.kept(scope, batch.reader)
            if given is None:
                return None
            batch.given[scope] = given
            found.append(given)
        return found

    def _ask_strangers(
        self, manager: Manager, caller: Caller, gathered: Gathered, agent: str | None
    ) -> None:
        if calls := manager.calls("foreword_variables"):
            gathered.values.update(plugin_values(caller, calls))
        contributions: list[Contribution] = []
        if calls := manager.third_party_calls(HOOK):
            contributions = third_party_sections(caller, calls, self._sources.before(agent))
            self._sources.keep_before(agent, tuple(contributions))
        if calls := manager.calls("foreword_skills"):
            contributions += plugin_skills(caller, calls)
        gathered.strangers = Strangers(tuple(contributions), (*manager.diagnostics, *gathered.diagnostics))


def _given(caller: Caller, implementation: Implementation, gathered: Gathered, reader: Reader) -> Given:
    """Ask one of our own sources for its sections."""
    said = gathered.diagnostics
    start = len(said)
    provider, layers = implementation.provider, implementation.layers
    seen = reader.watch()
    items = caller.taken(provider, HOOK, KIND, caller.call(implementation, HOOK))
    if {*map(type, items)} <= _EDITS:
        edits: list[Section] = cast("list[Section]", items)
    else:
        edits = []
        for index, item in enumerate(items):
            edit = item if type(item) is Edit else checked_section(caller, provider, index, item)
            if edit is not None:
                edits.append(edit)
    observed = tuple(seen) if provider not in gathered.broken else None
    return Given(provider, layers, tuple(edits), tuple(said[start:]), observed)


_EDITS: Final = frozenset({Edit})


def gather_checks(manager: Manager, context: Context, prompt: Prompt) -> list[Diagnostic]:
    """Call the rules of every plugin on a built prompt and return what they find."""
    gathered = Gathered()
    caller = Caller(gathered, asked(context, gathered.diagnostics), manager)
    for implementation in manager.calls("foreword_check"):
        given = {"prompt": prompt, "context": caller.context(implementation.provider)}
        call = partial(implementation.function, *(given[name] for name in implementation.arguments))
        for index, item in enumerate(caller.listed(implementation, "foreword_check", "a list of Diagnostic", call)):
            if isinstance(item, Diagnostic) and is_sound(item):
                gathered.diagnostics.append(replace(item, provider=str(implementation.provider)))
            else:
                what = f"returned {type(item).__name__} at index {index} of foreword_check, not a Diagnostic"
                caller.problem(implementation.provider, "FW034", what)
    return gathered.diagnostics
