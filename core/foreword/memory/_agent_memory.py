"""The memory of one agent: its copies of the templates, its overrides, and everything that was ever changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from foreword._builder import Builder
from foreword._limits import resolve_within_limits
from foreword._memory_record import MemoryRecord
from foreword._model import Mode
from foreword._names import agent_name, id_key
from foreword.store._system import SYSTEM, System

from ._access import MemoryAccess, now
from ._changes import Changes, check_unchanged
from ._creation import create
from ._entry import Entry, Who
from ._errors import AgentMemoryError, ChangeRefused
from ._override import Draft, attempt, draft, matches, read_only, redraft
from ._queue import Pending, drop, propose
from ._revert import revert
from ._sections_view import SectionView, view, views
from ._status import MemoryStatus, as_copy, copy_statuses, writable_by_everybody
from ._templates import templates
from ._trial_status import override_statuses, with_outcomes
from ._upgrade import Take, Upgraded, settle, upgrade

if TYPE_CHECKING:
    from ._tools import MemoryTool


class AgentMemory(MemoryAccess):
    """The memory of one agent, to be read and, within the policy, changed.

    Every change is an entry of a journal, holds or does not hold as a whole, and shows in the next build.

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

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str] | None = None,
        agent: str = "",
        *,
        builder: Builder | None = None,
        who: Who = "agent",
        on_message: Callable[[str], object] | None = None,
        system: System = SYSTEM,
    ) -> AgentMemory:
        """Copy the templates into the memory, all or nothing; where that is done already, change no byte.

        Args:
            path: as for `AgentMemory`.
            agent: as for `AgentMemory`.
            builder: as for `AgentMemory`.
            who: as for `AgentMemory`.
            on_message: as for `AgentMemory`.
            system: as for `AgentMemory`.

        Raises:
            AgentMemoryError: the memory is another agent's.
            StoreError: the disk would not take it; nothing is there.
        """
        if builder is None and path is not None:
            os.makedirs(os.path.expanduser(os.fspath(path).replace("{agent}", agent_name(agent))), exist_ok=True)
        memory = cls(path, agent, builder=builder, who=who, on_message=on_message, system=system)
        os.makedirs(memory.root.path, exist_ok=True)
        if not memory._files.created:
            with memory._locked(creating=True):
                if not memory._files.created:
                    found = list(memory._templates().values())
                    create(memory._files, memory._changes(), memory.agent, who, now(), found)
                    return memory
        memory._check_owner()
        if memory._files.record().applied < memory._files.last():
            with memory._locked():
                memory._changes().complete()
        return memory

    # -- looking -----------------------------------------------------------------------------------

    def copies(self) -> tuple[str, ...]:
        """Return the names of the copies' files, sorted, as they are."""
        folder = f"{MemoryRecord.COPIES}/"
        return tuple(name.removeprefix(folder) for name in self._files.documents() if name.startswith(folder))

    def status(self) -> MemoryStatus:
        """Say how each copy stands to its template and each override to the text below, and what waits."""
        self._settle_quietly()
        record = self._files.record()
        plan = self._plan()
        statuses = copy_statuses(self._files, record, templates(self.builder, plan))
        resolution = resolve_within_limits(plan.prepared(), self.builder.policy)
        waiting = tuple(one.name for one in self.pending())
        told = dict.fromkeys([*plan.diagnostics, *resolution.diagnostics])
        problems = tuple(
            str(diagnostic)
            for diagnostic in told
            if diagnostic.severity != "info" and diagnostic.provider and ":memory " in diagnostic.provider
        )
        if writable_by_everybody(self._files.store.root):
            problems = (f"everybody may write to {self._files.store.root} (chmod o-w)", *problems)
        return MemoryStatus(
            agent=record.agent,
            created=self._files.created,
            copies=with_outcomes(statuses, resolution, self._files.namespace),
            overrides=override_statuses(self._files, resolution, waiting),
            pending=waiting,
            problems=problems,
        )

    def sections(self) -> tuple[SectionView, ...]:
        """Return every section of the agent's prompt, at each of its layers."""
        return views(self.builder, self._plan())

    def section(self, id: str) -> SectionView:
        """Return one section at each layer: its template, the agent's copy, its overrides, and what is in effect.

        Raises:
            UnknownSection: nobody said anything about such a section.
        """
        # Read first: a file that changes in between then makes a conflict, and is never overwritten.
        match = matches(self._files, id)
        return view(self.builder, self._plan(), id)._replace(match=match)

    def history(self, id: str | None = None) -> list[Entry]:
        """Return the journal, oldest first; with an id, what concerned that section."""
        self._settle_quietly()
        entries = self._files.journal()
        return [entry for entry in entries if id is None or entry.id is None or id_key(entry.id) == id_key(id)]

    def at(self, id: str, n: int) -> dict[str, str | None]:
        """Return the files of a section as they were after entry ``n``: text by name, None for a deleted one.

        Raises:
            AgentMemoryError: there is no such entry.
        """
        self._settle_quietly()
        entries = self._files.journal()
        if not any(entry.n == n for entry in entries):
            raise AgentMemoryError(f"the journal has no entry {n}")
        record = self._files.record()
        key = id_key(id)
        own = {f"{MemoryRecord.COPIES}/{name}" for name, copy in record.copies.items() if id_key(copy.id) == key}
        found: dict[str, str | None] = {}
        for entry in entries:
            if entry.n <= n:
                for name, change in entry.files.items():
                    if id_key(entry.id or "") == key or name in own:
                        kept = None if change.after is None else self._files.kept(change.after)
                        found[name] = None if kept is None else kept.decode("utf-8", "replace")
        return found

    def pending(self) -> list[Pending]:
        """Return what waits for approval: proposals, and files that were written past foreword."""
        return self._approvals.pending(self._files) if self._approvals.needed else []

    def tools(self) -> list[MemoryTool]:
        """Return the memory as tools for a model, each with a JSON schema of its arguments."""
        from ._tools import tools

        return tools(self)

    # -- changing ----------------------------------------------------------------------------------

    def override(
        self,
        id: str,
        text: str = "",
        *,
        mode: Mode | None = None,
        heading: str | None = None,
        title: str | None = None,
        priority: int | None = None,
        reason: str = "",
        if_match: dict[str, str | None] | None = None,
    ) -> Entry | Pending:
        """Write an override; it shows in the next build, or waits where the operator's approval is needed.

        Args:
            id: the section.
            text: the text of the edit.
            mode: as for `foreword.Edit`; None replaces the section, or defines it.
            heading: for a patch, the heading whose text is exchanged.
            title: a new title.
            priority: a new priority.
            reason: why, for the journal.
            if_match: the hash of files as they were read; the change is made only if they are so still.

        Returns:
            The entry of the journal, or what now waits for approval.

        Raises:
            ChangeRefused: the policy, or the section as it stands, does not allow it; nothing was written.
            MemoryConflict: a file of ``if_match`` was changed in the meantime.
            StoreError: the disk would not take it; everything is as it was.
        """
        with self._locked():
            changes = self._settled()
            if if_match is not None:
                check_unchanged(self._files, if_match, matches(self._files, id))
            plan = self._plan()
            if read_only(self._files, plan, id):
                raise ChangeRefused(f"{id!r} is read_only in the memory")
            written = draft(
                self._files, id, text, mode=mode, heading=heading, title=title, priority=priority
            )
            trial = attempt(self.builder, plan, written)
            what = f"override: {mode or 'replace'}"
            if self._approvals.needed and self.who != "operator":
                return propose(
                    self._files, written, id=trial.edit.id, who=self.who, when=now(), why=reason, what=what
                )
            entry = self._write(changes, written, trial.edit.id, trial.base, what, reason)
            if self._approvals.needed:
                self._approvals.approve_file(self._files, f"{MemoryRecord.OVERRIDES}/{written.file}")
            return entry

    def upgrade(self, *, dry_run: bool = False, reason: str = "") -> list[Upgraded]:
        """Refresh untouched copies, merge edited ones with their base, and copy templates that are new.

        Args:
            dry_run: change nothing, only say what would be done.
            reason: why, for the journal.
        """
        if dry_run:
            self._check_created()
            self._check_owner()
            return upgrade(self._files, self._changes(), self._templates(), dry_run=True, why=reason)
        with self._locked():
            changes = self._settled()
            return upgrade(self._files, changes, self._templates(), dry_run=False, why=reason)

    def settle(self, id: str, take: Take) -> Upgraded:
        """Settle the conflict of an upgrade: keep the agent's text (``mine``) or take the ``new`` one.

        Raises:
            AgentMemoryError: the section has no copy that waits to be settled.
        """
        with self._locked():
            changes = self._settled()
            return settle(self._files, changes, self._templates(), id, take)

    def revert(self, n: int, *, reason: str = "") -> Entry:
        """Undo one entry of the journal alone, as an entry of its own.

        Raises:
            AgentMemoryError: there is no such entry, or it cannot be undone.
            MemoryConflict: a later entry changed the same text; nothing was written.
        """
        with self._locked():
            changes = self._settled()
            return revert(self._files, changes, n, reason)

    def approve(self, name: str) -> None:
        """Approve what waits under a name; it shows in the next build.

        Raises:
            AgentMemoryError: nothing waits under that name.
            ChangeRefused: a proposal does not hold any more; it goes on waiting.
        """
        with self._locked():
            changes = self._settled()
            waiting = self._waiting(name)
            path = waiting.name
            if waiting.draft is not None:
                written = redraft(self._files, waiting.draft)
                trial = attempt(self.builder, self._plan(), written)
                what = f"{waiting.what}, proposed by {waiting.who}"
                self._write(changes, written, waiting.id, trial.base, what, waiting.why)
                drop(self._files, waiting)
                path = f"{MemoryRecord.OVERRIDES}/{written.file}"
            self._approvals.approve_file(self._files, path)

    def reject(self, name: str, *, reason: str = "") -> None:
        """Reject what waits under a name: a proposal is dropped, a file is put back to what it was made from.

        Raises:
            AgentMemoryError: nothing waits under that name.
        """
        with self._locked():
            changes = self._settled()
            waiting = self._waiting(name)
            if waiting.draft is not None:
                drop(self._files, waiting)
                return
            folder, _, inside = waiting.name.partition("/")
            before: bytes | None = None
            if folder == MemoryRecord.COPIES and (copy := self._files.record().copies.get(inside)) is not None:
                before = (as_copy(self._files.kept(copy.base).decode()) + "\n").encode()
            changes.apply(
                id=waiting.id,
                what=f"reject {waiting.name}",
                why=reason,
                writes={waiting.name: before},
                overrides={inside: None} if folder == MemoryRecord.OVERRIDES else {},
            )

    # -- inside ------------------------------------------------------------------------------------

    def _write(
        self, changes: Changes, written: Draft, id: str, base: str | None, what: str, reason: str
    ) -> Entry:
        folder = MemoryRecord.OVERRIDES
        writes: dict[str, bytes | None] = {f"{folder}/{name}": None for name in written.instead_of}
        writes[f"{folder}/{written.file}"] = written.data
        bases: dict[str, str | None] = dict.fromkeys(written.instead_of)
        bases[written.file] = base
        return changes.apply(id=id, what=what, why=reason, writes=writes, overrides=bases)

    def _waiting(self, name: str) -> Pending:
        for one in self.pending():
            if one.name == name:
                return one
        raise AgentMemoryError(f"nothing waits under the name {name!r}; foreword memory pending lists what does")
