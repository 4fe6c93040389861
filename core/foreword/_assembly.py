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

from ._agent_directories import AGENTS
from ._batch import Ahead, Batch
from ._built import NO_SPOTS, Built, Call
from ._context import Asked, Context
from ._diagnostics import Diagnostic
from ._errors import ForewordError
from ._exchange import Exchanges
from ._findings import in_order
from ._frozen import frozen
from ._gather import Gathering
from ._keeping import keep
from ._layout import LAYOUTS
from ._manager import Manager
from ._named_tuple import new as _new
from ._names import MAX_AGENT_NAME, agent_name
from ._plan import Plan
from ._plugin_calls import BUILDING, NO_STRANGERS
from ._plugin_sections import HOOK
from ._policy import Policy
from ._prepare import Drafts, Preparation, typed
from ._prompt import Prompt
from ._proof import ForAll, Looked, for_all, ways_to
from ._proof import proof as proof_of
from ._provider import DEFAULTS, EDITS, UNTRUSTED_ARGUMENT
from ._screen import Screen
from ._shared import Shared
from ._sources import Sources
from ._subject import Subject
from ._variant import PLAIN_NAME, Variant

if TYPE_CHECKING:
    from foreword.files._reader import Observation
    from foreword.files._roots import Root
    from foreword.templates._names import Value

    from ._sources import Given

MOST_BUILT: Final = 2048
"""Of how many agents a builder keeps the last prompt."""

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
        self._for_all: ForAll | None = None
        self._trusted_skills = MappingProxyType(dict(lock.skills)) if settings.skills.pin else None
        self._screen = Screen.from_settings(settings)
        self._link_roots = tuple(root.path for root in settings.files.link_roots)
        self._max_bytes = settings.files.max_bytes
        self._by_stamp = settings.files.validate_ == "stat"
        self._general_roots = general_roots(settings)
        self._gives_all_the_same = (
            not settings.plugins.require
            and settings.memory.path is None
            and not settings.skills.roots
            and not self._link_roots
        )
        self._layout = LAYOUTS[settings.layout]
        self._variables: dict[str, Value] = {"agent_name": "assistant", **settings.variables}
        self._typed = typed(self._variables, self._variables)
        self._gathering = Gathering(Sources(settings))
        self._drafts = Drafts()
        self._shared = Shared(policy)
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
        proof, made = built.proof, None
        if isinstance(proof, Looked):
            if proof.holds():
                return built
        else:
            changed = proof.first_changed()
            if changed == len(proof.stamps):
                return built
            if changed >= 0:
                made = self._exchanges.of(built, proof, changed)
        # What does not hold any more is not looked at again.
        keep(self.built, agent, built._replace(proof=None, spots=NO_SPOTS) if made is None else made, MOST_BUILT)
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

    def alike(self, manager: Manager, agent: str | None) -> Built | None:
        """Return the prompt of an agent that has nothing but its name of its own, by what stamps alone show."""
        known = self._for_all
        if known is None or agent is None or agent in known.names or not self._is_plain(agent):
            return None
        if not self._may_vary(manager):
            return None
        built = self._varied(manager, None, known.given, agent) if known.evidence.holds() else None
        if built is None:
            self._for_all = None
        return built

    def _variant(self, manager: Manager, batch: Batch, agent: str | None, call: Call) -> Built | None:
        """Return the prompt of an agent that has nothing but its name of its own, where it is simply that."""
        if agent is None or not call.is_empty or not self._is_plain(agent) or not self._may_vary(manager):
            return None
        given, prompts = self._given_all(manager, batch, agent), self.settings.prompts_dir
        if given is None or (prompts is not None and not batch.reader.is_absent(prompts, AGENTS, (agent,))):
            return None
        built = self._varied(manager, batch, given, agent)
        if built is not None and not batch.is_large and self._for_all is None and self._may_prove(manager):
            self._for_all = for_all(batch.reader, given, prompts)
        return built

    def _given_all(self, manager: Manager, batch: Batch, agent: str) -> list[Given] | None:
        """Return what all agents are given; None where a source has to be asked for it."""
        if batch.shared is None:
            # No root need be checked: what is taken here shows that it is there.
            batch.shared = self._gathering.shared(manager, Subject(agent, {}), batch)
        return batch.shared

    def _may_vary(self, manager: Manager) -> bool:
        """Say whether there are agents that the sources tell from others by nothing but the name and the directory."""
        gives_all_the_same = self._gives_all_the_same and manager.first_party_only and not manager.diagnostics
        return gives_all_the_same and not BUILDING.get()

    def _is_plain(self, agent: str) -> bool:
        """Say whether an agent may be one of those."""
        is_plain = PLAIN_NAME.fullmatch(agent) is not None and len(agent) <= MAX_AGENT_NAME
        return is_plain and agent not in self.settings.agents

    def _varied(self, manager: Manager, batch: Batch | None, given: Sequence[Given], agent: str) -> Built | None:
        """Return the prompt of an agent that all sources give the same."""
        common = self._shared.variants(given)
        if common is None:
            return None
        read_like = common.read_like(agent)
        before = self.built.get(agent)
        if before is not None and before.is_of(given, NO_STRANGERS, read_like):
            if before.proof is None and batch is not None:
                shown = self._proof(manager, batch, before.given, Subject(agent, {}))
                self.built[agent] = before = before._replace(proof=shown)
            return before
        prompt = Prompt(Variant(common, agent), common.found, agent, self._layout)
        built = Built(tuple(given), NO_STRANGERS, read_like, prompt, ())
        keep(self.built, agent, built, MOST_BUILT)
        return built

    def ahead(self, manager: Manager, batch: Batch, agents: Sequence[str]) -> None:
        """Read what some of many agents have of their own, before their prompts are built without anything more."""
        prompts = self.settings.prompts_dir
        if prompts is None or not agents or not self._may_vary(manager):
            return
        given, present = self._given_all(manager, batch, agents[0]), batch.reader.present(prompts, AGENTS)
        common = self._shared.variants(given) if given is not None else None
        if common is not None and present:
            own = [agent for agent in agents if agent in present and self._is_plain(agent)]
            batch.ahead = self._gathering.ahead(manager, own, batch, common)

    def _overlaid(self, batch: Batch, agent: str, ahead: Ahead, seen: list[Observation]) -> Built | None:
        """Return the prompt of an agent that has nothing but its name and some texts of its own, which were read."""
        common, place, _ = ahead
        own = self._gathering.own(agent, batch, seen)
        if own is None:
            return None
        read_like = common.read_like(agent)
        all_given = (*common.given[:place], own, *common.given[place:])
        before = self.built.get(agent)
        if before is not None and before.is_of(all_given, NO_STRANGERS, read_like):
            return before
        made = self._shared.overlaid(common, own, agent, self._drafts)
        if made is None:
            return None
        prompt = Prompt(made, common.found, agent, self._layout)
        built: Built = _new(Built, (all_given, NO_STRANGERS, read_like, prompt, (), None, NO_SPOTS))
        keep(self.built, agent, built, MOST_BUILT)
        return built

    def build(self, manager: Manager, batch: Batch, agent: str | None, call: Call) -> Built:
        """Make one prompt, or return the last one of the agent where it would be the same."""
        ahead = batch.ahead
        if ahead is not None and agent is not None and (seen := ahead.seen.pop(agent, None)) is not None:
            made = self._overlaid(batch, agent, ahead, seen)
        else:
            made = self._variant(manager, batch, agent, call)
        if made is not None:
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
            if before is not None and not batch.is_large and not call.variables:
                built = built._replace(proof=self._proof(manager, batch, asked.given, asked.subject))
            keep(self.built, agent, built, MOST_BUILT)
        return built

    def _proof(
        self, manager: Manager, batch: Batch, given: Sequence[Given], subject: Subject
    ) -> Evidence | Looked | None:
        """Return what shows that the next build would gather the same, where anything can."""
        if not self._may_prove(manager):
            return None
        return proof_of(batch.reader, self.reader, given, subject, self.settings.prompts_dir)

    def _may_prove(self, manager: Manager) -> bool:
        return not self.settings.memory.approval and not self._link_roots and manager.first_party_only

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
