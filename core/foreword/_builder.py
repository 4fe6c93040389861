"""The builder: gather, prepare, resolve, and the prompt is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from foreword.config._agents import agent_variables, check_disjoint, check_roots, memory_root, skill_roots
from foreword.config._config import settings
from foreword.config._lock_file import LockFile, lock_path, read_lock
from foreword.config._settings import Settings
from foreword.files._cache import Cache
from foreword.files._reader import Reader, Readings
from foreword.files._stamps import Evidence
from foreword.templates._names import Value

from ._batch import Batch
from ._built import ARGUMENTS, Built, Call
from ._context import Context
from ._diagnostics import Diagnostic
from ._errors import BuildError, ConfigError, ForewordError
from ._findings import in_order, raise_strictly
from ._frozen import frozen
from ._gather import Gathering, gather_checks
from ._layout import LAYOUTS
from ._manager import Manager
from ._names import MAX_AGENT_NAME, agent_name
from ._plan import Plan
from ._plugin_calls import BUILDING, Strangers
from ._policy import Policy
from ._prepare import Drafts, Preparation, typed
from ._prompt import Prompt
from ._proof import Looked, proof
from ._provider import DEFAULTS, EDITS, UNTRUSTED_ARGUMENT
from ._screen import Screen
from ._shared import Shared
from ._sources import AGENTS, Sources
from ._subject import Subject
from ._telling import Telling
from ._variant import PLAIN_NAME, Variant

if TYPE_CHECKING:
    from ._model import Section
    from ._sources import Given

PathLike = str | os.PathLike[str]

FEW: Final = 16
"""So many prompts of one batch are held whole; of more only what each has of its own."""

MOST_BUILT: Final = 2048
"""Of how many agents a builder keeps the last prompt."""

_NO_DATA: Final[Mapping[str, object]] = MappingProxyType({})


class Builder:
    """Builds prompts from a prompts directory, a memory, skills and the installed plugins.

    A builder takes what it is given and looks for no configuration; two builders in one process know
    nothing of each other.

    Args:
        prompts_dir: the operator's directory of Markdown files.
        memory: the agent's memory; ``{agent}`` in it is the agent asked for.
        skills: directories of skills, low to high.
        plugins: False loads only the sources that ship with foreword.
        on_diagnostic: is called with every diagnostic of every build; without it, errors are
            `warnings.warn`\\ ed, once per place.
        settings: everything that ``foreword.toml`` can say, instead of the arguments above.

    Raises:
        ConfigError: a path that was given is not there, or a setting cannot be used.

    >>> Builder(plugins=False).build(variables={"agent_name": "Ada"}).sections[0].id
    'identity'
    """

    def __init__(
        self,
        *,
        prompts_dir: PathLike | None = None,
        memory: PathLike | None = None,
        skills: Sequence[PathLike] | None = None,
        plugins: bool = True,
        on_diagnostic: Callable[[Diagnostic], object] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings if settings is not None else _given(prompts_dir, memory, skills)
        self.policy = Policy.from_settings(self.settings)
        pins = self.settings.plugins.pin or self.settings.skills.pin
        lock = read_lock(lock_path(self.settings)) if pins else LockFile()
        self._trusted_skills = MappingProxyType(dict(lock.skills)) if self.settings.skills.pin else None
        pinned = lock.plugins if self.settings.plugins.pin else None
        self.manager = Manager(self.settings.plugins, third_party=plugins, pinned=pinned)
        self._screen = Screen.from_settings(self.settings)
        self._link_roots = tuple(root.path for root in self.settings.files.link_roots)
        self._max_bytes = self.settings.files.max_bytes
        self._by_stamp = self.settings.files.validate_ == "stat"
        self._readings: Readings = Cache()
        self._gathering = Gathering(Sources(self.settings))
        self._drafts = Drafts()
        self._shared = Shared(self.policy)
        self._built: dict[str | None, Built] = {}
        self._telling = Telling(on_diagnostic)
        check_roots(self.settings, None)

    @classmethod
    def from_config(
        cls,
        path: PathLike,
        *,
        plugins: bool = True,
        on_diagnostic: Callable[[Diagnostic], object] | None = None,
    ) -> Builder:
        """Return a builder with the settings of one configuration file.

        Args:
            path: the ``foreword.toml``.
            plugins: as for `Builder`.
            on_diagnostic: as for `Builder`.

        Raises:
            ConfigError: the file, or something in it, cannot be used; the message names file, line and key.
        """
        given = settings(config=os.fspath(path), discover=False, environ={})
        return cls(settings=given, plugins=plugins, on_diagnostic=on_diagnostic)

    def build(
        self,
        agent: str | None = None,
        *,
        variables: Mapping[str, Any] | None = None,
        defaults: Iterable[Section] = (),
        edits: Iterable[Section] = (),
        untrusted: Iterable[Section] = (),
        context: Mapping[str, object] | None = None,
        strict: bool = False,
    ) -> Prompt:
        """Build the prompt of one agent.

        Args:
            agent: the agent asked for; None builds the prompt that all share.
            variables: values for templates; they stand over those of the configuration. None as a value
                means "not given".
            defaults: the integrator's own sections; they stand in layer ``builtin``, over the packaged
                templates, and everybody may edit them as those.
            edits: edits of this one prompt, in layer ``session``, over all others.
            untrusted: sections of third parties, in layer ``extension``.
            context: what plugins may see as ``context.data``.
            strict: raise if there is any error, or any unregistered variable.

        Returns:
            The prompt. Its ``diagnostics`` say what was not as asked. When nothing has changed since the last
            build, it is the same object.

        Raises:
            BuildError: the policy requires something that is not in order.
            ExceptionGroup: with ``strict``, one exception for each finding, after the whole build.
            ConfigError: an argument or a path cannot be used.
        """
        if variables is None and context is None and defaults == () and edits == () and untrusted == ():
            built = self._built.get(agent)
            if built is not None and built.proof is not None and not BUILDING.get() and built.proof.holds():
                return self._told(built, strict)
        call = Call.of(variables, defaults, edits, untrusted, context)
        return self._told(self._build(Batch(self.reader()), agent, call), strict)

    @overload
    def build_many(
        self, agents: Iterable[str], *, on_error: Literal["raise"] = "raise", **build: Any
    ) -> list[Prompt]: ...

    @overload
    def build_many(
        self, agents: Iterable[str], *, on_error: Literal["return"], **build: Any
    ) -> list[Prompt | Exception]: ...

    def build_many(
        self, agents: Iterable[str], *, on_error: Literal["raise", "return"] = "raise", **build: Any
    ) -> Sequence[Prompt | Exception]:
        """Build the prompts of many agents over one shared base, which is read once.

        Args:
            agents: the agents, in the order in which the prompts are returned.
            on_error: ``raise`` builds all and then raises; ``return`` puts an exception in its prompt's place.
            build: the further arguments of `build`.

        Raises:
            ExceptionGroup: prompts of some agents could not be built; each exception in it names its agent.
        """
        strict = build.pop("strict", False)
        call = Call.of(*(build.pop(name, default) for name, default in ARGUMENTS.items()))
        if build:
            raise TypeError(f"build_many() got an unexpected argument {sorted(build)[0]!r}")
        asked = tuple(agents)
        batch = Batch(self.reader(), is_large=len(asked) > FEW)
        results: list[Prompt | Exception] = []
        failures: list[Exception] = []
        for agent in asked:
            try:
                results.append(self._told(self._build(batch, agent, call), strict))
            except Exception as failure:
                failure.add_note(f"agent {agent!r}")
                results.append(failure)
                failures.append(failure)
        if failures and on_error == "raise":
            failed = [agent for agent, result in zip(asked, results, strict=True) if isinstance(result, Exception)]
            raise ExceptionGroup(f"no prompt for {', '.join(map(repr, failed))}", failures)
        return results

    async def abuild(self, agent: str | None = None, **build: Any) -> Prompt:
        """Build like `build`, without blocking the event loop on the disk."""
        import asyncio

        return await asyncio.to_thread(self.build, agent, **build)

    def check(self, prompt: Prompt) -> tuple[Diagnostic, ...]:
        """Return what the rules of plugins find in a built prompt (hook ``foreword_check``).

        Args:
            prompt: a prompt that this builder built.
        """
        batch = Batch(self.reader())
        subject = self._subject(batch, prompt.agent, self._values(prompt.agent, {}))
        return in_order(set(gather_checks(self.manager, self._context(batch, subject, None), prompt)))

    def plan(
        self,
        agent: str | None = None,
        variables: Mapping[str, Value] | None = None,
        *,
        context: Mapping[str, object] | None = None,
        batch: Batch | None = None,
    ) -> Plan:
        """Gather everything that the sources contribute to one prompt, and resolve nothing yet.

        Args:
            agent: as for `build`.
            variables: checked variables of the call.
            context: as for `build`.
            batch: the batch of builds; None makes a new one.
        """
        if BUILDING.get():
            raise ForewordError("build() was called inside a hook of a plugin; a hook returns sections instead")
        agent = agent_name(agent) if agent is not None else None
        batch = batch or Batch(self.reader())
        trusted = self._values(agent, variables or {})
        subject = self._subject(batch, agent, trusted)
        given = partial(self._context, batch, subject, context)
        gathered = self._gathering.gather(self.manager, subject, batch, given)
        values = {**gathered.values, **trusted} if gathered.values else trusted
        preparation = Preparation(agent, self.policy, values, trusted, gathered.said, self._screen, self._drafts)
        return Plan(subject, preparation, gathered, given)

    def reader(self) -> Reader:
        """Return a reader of files for one batch, with the limits of the settings."""
        return Reader(self._max_bytes, self._link_roots, self._readings, by_stamp=self._by_stamp)

    # -- inside ------------------------------------------------------------------------------------

    def _variant(self, batch: Batch, agent: str | None, call: Call) -> Built | None:
        """Return the prompt of an agent that has nothing but its name of its own, where it is simply that."""
        settings = self.settings
        if (
            agent is None
            or not call.is_empty
            or not self.manager.first_party_only
            or settings.plugins.require
            or settings.memory.path is not None
            or settings.skills.roots
            or self._link_roots
            or agent in settings.agents
            or PLAIN_NAME.fullmatch(agent) is None
            or len(agent) > MAX_AGENT_NAME
            or BUILDING.get()
        ):
            return None
        # No root need be checked: what is taken here shows that it is there.
        subject = Subject(agent, {})
        if batch.shared is None:
            batch.shared = self._gathering.shared(self.manager, subject, batch)
        if settings.prompts_dir is not None and not batch.reader.is_absent(settings.prompts_dir, AGENTS, (agent,)):
            return None
        if batch.shared is None or self.manager.diagnostics:
            return None
        common = self._shared.variants(batch.shared)
        if common is None:
            return None
        values = common.values(agent)
        read_like = typed(values, values)
        before = self._built.get(agent)
        if before is not None and before.is_of(batch.shared, Strangers(), read_like):
            if before.proof is None:
                self._built[agent] = before = before._replace(proof=self._proof(batch, before.given, subject))
            return before
        prompt = Prompt(Variant(common, agent), common.found, agent, LAYOUTS[settings.layout])
        built = Built(tuple(batch.shared), Strangers(), read_like, prompt, ())
        self._keep(agent, built)
        return built

    def _build(self, batch: Batch, agent: str | None, call: Call) -> Built:
        if (variant := self._variant(batch, agent, call)) is not None:
            return variant
        asked = self.plan(agent, call.variables, context=call.context, batch=batch)
        agent = asked.subject.agent
        before = self._built.get(agent)
        if before is not None and call.is_bare and before.is_of(asked.given, asked.strangers, asked.values):
            if before.proof is None and not call.variables:
                self._built[agent] = before = before._replace(proof=self._proof(batch, asked.given, asked.subject))
            return before
        if not call.is_bare:
            asked.add(call.defaults, DEFAULTS, "builtin", rank=1)
            asked.add(call.untrusted, UNTRUSTED_ARGUMENT, "extension")
            asked.add(call.edits, EDITS, "session")
        resolution, again = self._shared.resolution(asked)
        fatal: tuple[Diagnostic, ...] = ()
        found: tuple[Diagnostic, ...] = ()
        if resolution.fatal or self.settings.plugins.require:
            fatal = in_order({*self.manager.missing(frozenset(asked.broken)), *resolution.fatal})
        if fatal or asked.diagnostics or resolution.diagnostics:
            found = in_order({*asked.diagnostics, *resolution.diagnostics, *fatal})
        # Of thousands of prompts, those are few that somebody looks into.
        source = again if batch.is_large and again is not None else resolution
        prompt = Prompt(source, found, agent, LAYOUTS[self.settings.layout])
        built = Built(asked.given, asked.strangers, asked.values, prompt, fatal)
        if call.is_bare:
            self._keep(agent, built)
        return built

    def _keep(self, agent: str | None, built: Built) -> None:
        self._built[agent] = built
        if len(self._built) > MOST_BUILT:
            for key in list(self._built)[: MOST_BUILT // 2]:
                self._built.pop(key, None)

    def _proof(self, batch: Batch, given: Sequence[Given], subject: Subject) -> Evidence | Looked | None:
        """Return what shows that the next build would gather the same, where anything can."""
        if self.settings.memory.approval or self._link_roots or not self.manager.first_party_only:
            return None
        return proof(batch.reader, self.reader, given, subject, self.settings.prompts_dir)

    def _values(self, agent: str | None, call: Mapping[str, Value]) -> dict[str, Value]:
        """The variables of operator and call, the highest winning."""
        values: dict[str, Value] = {"agent_name": "assistant", **self.settings.variables}
        if agent is not None:
            values["agent_name"] = agent
            if agent in self.settings.agents:
                values.update(agent_variables(self.settings, agent))
        values.update(call)
        return values

    def _subject(self, batch: Batch, agent: str | None, values: Mapping[str, Value]) -> Subject:
        settings = self.settings
        memory, skills = memory_root(settings, agent), skill_roots(settings, agent)
        if (memory, skills) not in batch.checked:
            check_disjoint(settings.prompts_dir, memory)
            check_roots(settings, agent)
            batch.checked.add((memory, skills))
        return Subject(agent, values, memory, skills, self._approved(agent) if memory is not None else None)

    def _context(self, batch: Batch, subject: Subject, data: Mapping[str, object] | None) -> Context:
        return Context(
            agent=subject.agent,
            variables=MappingProxyType(dict(subject.variables)),
            data=frozen(data) if data else _NO_DATA,
            settings=self.settings,
            memory=subject.memory,
            skill_roots=subject.skill_roots,
            trusted_skills=self._trusted_skills,
            approved=subject.approved,
            _reader=batch.reader,
            _screen=self._screen,
        )

    def _approved(self, agent: str | None) -> Mapping[str, str] | None:
        if not self.settings.memory.approval:
            return None
        return MappingProxyType(dict(read_lock(lock_path(self.settings)).approved.get(agent or "", {})))

    def _told(self, built: Built, strict: bool) -> Prompt:
        found = built.prompt.diagnostics
        if found:
            self._telling.tell(found)
            if strict:
                raise_strictly(found)
            if built.fatal:
                raise BuildError(built.fatal, built.prompt)
        return built.prompt


def _given(
    prompts_dir: PathLike | None, memory: PathLike | None, skills: Sequence[PathLike] | None
) -> Settings:
    if isinstance(skills, str):
        raise ConfigError(f"skills= is a list of directories, not the text {skills!r}")
    return settings(discover=False, environ={}, prompts_dir=prompts_dir, memory=memory, skills=skills)
