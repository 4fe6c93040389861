"""The way into one agent's memory: whose it is, the lock, and what stands behind every change."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from foreword._builder import Builder
from foreword._errors import ConfigError
from foreword._memory_record import MemoryRecord
from foreword._names import agent_name
from foreword._plan import Plan
from foreword.config._agents import memory_root
from foreword.files._roots import Root
from foreword.store._lock import Lock
from foreword.store._store import Store, StoreError
from foreword.store._system import SYSTEM, System

from ._approvals import Approvals
from ._changes import Changes
from ._entry import Entry, Who
from ._errors import AgentMemoryError
from ._git import Git
from ._memory_files import MemoryFiles
from ._templates import Template, templates


class MemoryAccess:
    """A memory with its lock, its journal and the templates that it is compared with.

    Args:
        path: the memory's root; None is what the builder's settings say for the agent.
        agent: whose memory it is.
        builder: knows the operator's templates and the policy; None makes one of the path alone.
        who: in whose name changes are made: ``agent``, ``operator`` or ``tool``.
        on_message: is told what went otherwise than asked without being an error, such as a commit that was
            not made.
        system: the calls of the operating system, for whoever wants to see them fail.

    Raises:
        ConfigError: the agent's name is none, or there is no path.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        agent: str = "",
        *,
        builder: Builder | None = None,
        who: Who = "agent",
        on_message: Callable[[str], object] | None = None,
        system: System = SYSTEM,
    ) -> None:
        self.agent = agent_name(agent)
        if builder is None:
            if path is None:
                raise ConfigError("a memory needs a path, or a builder whose settings name one")
            builder = Builder(memory=path, on_diagnostic=lambda _: None)
        self.builder = builder
        root = memory_root(builder.settings, self.agent)
        if root is None:
            raise ConfigError("no memory is configured; say [memory] path")
        self.root: Root = root
        self.who: Who = who
        self._message = on_message
        self._store = Store(root.path, system)
        self._files = MemoryFiles(self._store, builder.settings.memory.namespace)
        self._git = Git(root.path)
        self._approvals = Approvals(builder.settings, self.agent)

    @contextmanager
    def _locked(self, *, creating: bool = False) -> Generator[None]:
        """Hold the memory's lock, in a memory that is the agent's."""
        folder = self._files.path(MemoryRecord.FOLDER)
        if creating:
            self._store.make_directory(folder)
        else:
            self._check_created()
        with Lock(self._store, f"{folder}/lock"):
            if not creating:
                self._check_owner()
            yield

    def _check_created(self) -> None:
        if not self._files.created:
            raise AgentMemoryError(f"{self.root.written} holds no copies yet; foreword memory init makes them")

    def _check_owner(self) -> None:
        owner = self._files.record().agent
        if owner is not None and owner != self.agent:
            raise AgentMemoryError(f"{self.root.written} is the memory of {owner!r}, not of {self.agent!r}")

    def _settle_quietly(self) -> None:
        """Take in what was changed past foreword, unless the memory cannot be written to."""
        if self._files.created:
            try:
                with self._locked():
                    self._settled()
            except (OSError, StoreError) as problem:
                self._tell(f"the journal cannot be written: {problem}")

    def _changes(self) -> Changes:
        return Changes(self._files, self.who, now, self._landed)

    def _settled(self) -> Changes:
        """Return the changes, once what was interrupted or done past foreword stands in the journal."""
        changes = self._changes()
        changes.settle()
        return changes

    def _landed(self, entry: Entry, paths: Sequence[str]) -> None:
        message = entry.what if not entry.why else f"{entry.what}\n\n{entry.why}"
        told = self._git.commit(paths, message, entry.who)
        if told is not None:
            self._tell(told)

    def _tell(self, message: str) -> None:
        if self._message is not None:
            self._message(message)

    def _plan(self) -> Plan:
        return self.builder.plan(self.agent)

    def _templates(self) -> dict[str, Template]:
        return templates(self.builder, self._plan())


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
