"""Assembly: how one builder makes a prompt: gather, prepare, resolve; and what it keeps of it for the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from foreword.config._agents import AgentRoots, agent_variables, check_disjoint, general_roots
from foreword.config._lock_file import LockFile, lock_path, read_lock
from foreword.config._settings import Settings
from foreword.files._cache import Cache
from foreword.files._reader import Reader, Readings
from foreword.files._stamps import Evidence

from ._batch import Batch
from ._built import MOST_BUILT, NO_SPOTS, Built, Call, keep_built
from ._context import Asked, Context
from ._diagnostics import Diagnostic
from ._errors import ForewordError
from ._exchange import Exchanges
from ._findings import in_order
from ._fleet import Fleet
from ._frozen import frozen
from ._gather import Gathering
from ._keeping import keep
from ._layout import LAYOUTS
from ._manager import Manager
from ._names import agent_name
from ._plan import Plan
from ._plugin_calls import BUILDING
from ._plugin_sections import HOOK
from ._policy import Policy
from ._prepare import Drafts, Preparation, typed
from ._prompt import Prompt
from ._proof import Looked, proof, ways_to
from ._provider import DEFAULTS, EDITS, UNTRUSTED_ARGUMENT
from ._screen import Screen
from ._shared import Shared
from ._sources import Sources
from ._subject import Subject

if TYPE_CHECKING:
    from foreword.files._roots import Root
    from foreword.templates._names import Value

    from ._sources import Given

_NO_DATA: Final[Mapping[str, object]] = MappingProxyType({})


class Assembly:
    """Makes the prompts of one builder, and keeps of each what shows that it need not be made again.

    Args:
        settings: the configuration in force.
        policy: what the operator allows.
        lock: what the operator trusts, where anything is pinned.
    """

    def __init__(self, settings: Settings, policy: Policy, lock: LockFile) -> None:
        self.settings = settings
        self.policy = policy
        self.readings: Readings = Cache()
        self.built: dict[str | None, Built] = {}
        self._disjoint: dict[Root, Evidence] = {}
        self._trusted_skills = MappingProxyType(dict(lock.skills)) if settings.skills.pin else None
        self._screen = Screen.from_settings(settings)
        self._link_roots = tuple(root.path for root in settings.files.link_roots)
        self._max_bytes = settings.files.max_bytes
        self._by_stamp = settings.files.validate_ == "stat"
        self._general_roots = general_roots(settings)
        self._layout = LAYOUTS[settings.layout]
        self._variables: dict[str, Value] = {"agent_name": "assistant", **settings.variables}
        self._typed = typed(self._variables, self._variables)
        self._gathering = Gathering(Sources(settings))
        self._drafts = Drafts()
        self._shared = Shared(policy, self._variables)
        self.fleet = Fleet(settings, self._gathering, self._shared, self._drafts, self.built, self._proof)
        self._exchanges = Exchanges(self.readings, self._max_bytes, self._drafts, policy)

    def ready(self, manager: Manager) -> None:
        """Prepare what no file and no agent changes, so that no build need."""
        batch = Batch(self.reader())
        subject = Subject(None, self._values(None, {}))
        values = subject.variables
        preparation = Preparation(None, self.policy, values, values, [], self._screen, self._drafts, self._typed)
        for given in self._gathering.ready(manager, subject, batch, partial(self._told, batch, subject, None)):
            preparation.part(given)
        for one in manager.first_party_calls(HOOK):
            self._drafts.origin(one.provider, one.layers, self.policy)

    def reader(self) -> Reader:
        """Return a reader of files for one batch, with the limits of the settings."""
        return Reader(self._max_bytes, self._link_roots, self.readings, by_stamp=self._by_stamp)

    def kept(self, agent: str | None) -> Built | None:
        """Return the last prompt of an agent when it is proved that it would be made alike, without asking anybody."""
        built = self.built.get(agent)
        if built is None or built.proof is None or BUILDING.get():
            return None
        shown, made = built.proof, None
        if isinstance(shown, Looked):
            if shown.holds():
                return built
        else:
            changed = shown.first_changed()
            if changed == len(shown.stamps):
                return built
            if changed >= 0:
                made = self._exchanges.of(built, shown, changed)
        # What does not hold any more is not looked at again.
        keep_built(self.built, agent, built._replace(proof=None, spots=None) if made is None else made)
        return made

    def context(self, agent: str | None) -> Context:
        """Return what plugins are given for an agent."""
        batch = Batch(self.reader())
        return self._told(batch, self._subject(batch, agent, self._values(agent, {})), None, []).context(None)

    def plan(
        self,
        manager: Manager,
        agent: str | None,
        variables: Mapping[str, Value] | None,
        *,
        context: Mapping[str, object] | None = None,
        batch: Batch | None = None,
    ) -> Plan:
        """Gather everything that the sources contribute to one prompt, and resolve nothing yet."""
        if BUILDING.get():
            raise ForewordError("build() was called inside a hook of a plugin; a hook returns sections instead")
        agent = agent_name(agent) if agent is not None else None
        batch = batch or Batch(self.reader())
        trusted = self._values(agent, variables or {})
        subject = self._subject(batch, agent, trusted)
        told = partial(self._told, batch, subject, context)
        gathered = self._gathering.gather(manager, subject, batch, told)
        values = {**gathered.values, **trusted} if gathered.values else trusted
        known = self._typed if values is self._variables else None
        preparation = Preparation(
            agent, self.policy, values, trusted, gathered.said, self._screen, self._drafts, known
        )
        return Plan(subject, preparation, gathered, told)

    def build(self, manager: Manager, batch: Batch, agent: str | None, call: Call) -> Built:
        """Make one prompt, or return the last one of the agent where it would be the same."""
        if agent is not None and call.is_empty and (made := self.fleet.made(manager, batch, agent)) is not None:
            return made
        asked = self.plan(manager, agent, call.variables, context=call.context, batch=batch)
        agent, values, bare = asked.subject.agent, asked.values, call.is_bare
        before = self.built.get(agent)
        if before is not None and bare and before.is_of(asked.given, asked.strangers, values):
            if before.proof is None and not call.variables:
                shown = self._proof(manager, batch, asked.given, asked.subject)
                self.built[agent] = before = before._replace(given=asked.given, proof=shown, spots=NO_SPOTS)
            return before
        if not bare:
            asked.add(call.defaults, DEFAULTS, "builtin", rank=1)
            asked.add(call.untrusted, UNTRUSTED_ARGUMENT, "extension")
            asked.add(call.edits, EDITS, "session")
        # Of thousands of prompts, those are few that somebody looks into.
        resolution, again = self._shared.resolution(asked, self._layout if batch.is_large else None)
        fatal: tuple[Diagnostic, ...] = ()
        found: tuple[Diagnostic, ...] = ()
        if resolution.fatal or self.settings.plugins.require:
            fatal = in_order({*manager.missing(frozenset(asked.broken)), *resolution.fatal})
        if fatal or asked.diagnostics or resolution.diagnostics:
            found = in_order({*asked.diagnostics, *resolution.diagnostics, *fatal})
        prompt = Prompt(again if again is not None else resolution, found, agent, self._layout)
        built = Built(asked.given, asked.strangers, values, prompt, fatal)
        if bare:
            # Who changes a file changes it again.
            is_changed = before is not None and before.spots is not None and before.is_of_others_alike(asked.given)
            if is_changed and not batch.is_large and not call.variables:
                built = built._replace(proof=self._proof(manager, batch, asked.given, asked.subject))
            keep_built(self.built, agent, built)
        return built

    def _proof(
        self, manager: Manager, batch: Batch, given: Sequence[Given], subject: Subject
    ) -> Evidence | Looked | None:
        """Return what shows that the next build would gather the same, where anything can."""
        if self.settings.memory.approval or self._link_roots or not manager.first_party_only:
            return None
        return proof(batch.reader, self.reader, given, subject, self.settings.prompts_dir)

    def _values(self, agent: str | None, call: Mapping[str, Value]) -> Mapping[str, Value]:
        """The variables of operator and call, the highest winning: the builder's own where there are no others."""
        if agent is None and not call:
            return self._variables
        values = self._variables.copy()
        if agent is not None:
            values["agent_name"] = agent
            if agent in self.settings.agents:
                values.update(agent_variables(self.settings, agent))
        values.update(call)
        return values

    def _subject(self, batch: Batch, agent: str | None, values: Mapping[str, Value]) -> Subject:
        settings = self.settings
        roots = self._general_roots
        if roots is None or agent in settings.agents:
            roots = AgentRoots.of(settings, agent)
        memory, skills, _ = roots
        if (memory, skills) not in batch.checked:
            if memory is not None:
                self._check_disjoint(memory)
            roots.check(settings)
            batch.checked.add((memory, skills))
        return Subject(agent, values, memory, skills, self._approved(agent) if memory is not None else None)

    def _check_disjoint(self, memory: Root) -> None:
        prompts = self.settings.prompts_dir
        if prompts is None:
            return
        known = self._disjoint.get(memory)
        if known is None or not known.holds():
            ways = ways_to(prompts, memory)
            check_disjoint(prompts, memory)
            keep(self._disjoint, memory, ways, MOST_BUILT)

    def _told(
        self, batch: Batch, subject: Subject, data: Mapping[str, object] | None, found: list[Diagnostic]
    ) -> Asked:
        agent, variables, memory, skill_roots, approved = subject
        return Asked(
            agent,
            MappingProxyType(dict(variables)),
            frozen(data) if data else _NO_DATA,
            self.settings,
            memory,
            skill_roots,
            approved,
            self._trusted_skills,
            batch.reader,
            self._screen,
            found,
        )

    def _approved(self, agent: str | None) -> Mapping[str, str] | None:
        if not self.settings.memory.approval:
            return None
        return MappingProxyType(dict(read_lock(lock_path(self.settings)).approved.get(agent or "", {})))
