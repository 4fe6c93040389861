"""The builder: gather, prepare, resolve, and the prompt is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from foreword.config._agents import check_roots
from foreword.config._config import settings
from foreword.config._lock_file import LockFile, lock_path, read_lock
from foreword.config._settings import Settings
from foreword.files._reader import Reader
from foreword.templates._names import Value

from ._assembly import Assembly
from ._batch import Batch
from ._built import ARGUMENTS, NOTHING, Built, Call
from ._diagnostics import Diagnostic
from ._errors import BuildError, ConfigError
from ._findings import in_order, raise_strictly
from ._gather import gather_checks
from ._manager import Manager
from ._plan import Plan
from ._policy import Policy
from ._prompt import Prompt
from ._telling import Telling

if TYPE_CHECKING:
    from ._model import Section

PathLike = str | os.PathLike[str]

FEW: Final = 16
"""So many prompts of one batch are held whole; of more only what each has of its own."""

AT_ONCE: Final = 32
"""For so many agents of a large batch what is their own is read at once."""


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
        pinned = lock.plugins if self.settings.plugins.pin else None
        self.manager = Manager(self.settings.plugins, third_party=plugins, pinned=pinned)
        self._assembly = Assembly(self.settings, self.policy, lock)
        self._telling = Telling(on_diagnostic)
        check_roots(self.settings, None)
        self._assembly.ready(self.manager)

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
            built = self._assembly.kept(agent) or self._assembly.fleet.alike(self.manager, agent)
            if built is not None:
                return self._told(built, strict)
            call = NOTHING
        else:
            call = Call.of(variables, defaults, edits, untrusted, context)
        return self._told(self._assembly.build(self.manager, Batch(self.reader()), agent, call), strict)

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
        for nth, agent in enumerate(asked):
            if nth % AT_ONCE == 1 and batch.is_large and call.is_empty:
                # What goes wrong for one of them is said when its turn comes.
                with suppress(Exception):
                    self._assembly.fleet.ahead(self.manager, batch, asked[nth : nth + AT_ONCE])
            try:
                results.append(self._told(self._assembly.build(self.manager, batch, agent, call), strict))
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
        return in_order(set(gather_checks(self.manager, self._assembly.context(prompt.agent), prompt)))

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
        return self._assembly.plan(self.manager, agent, variables, context=context, batch=batch)

    def reader(self) -> Reader:
        """Return a reader of files for one batch, with the limits of the settings."""
        return self._assembly.reader()

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
