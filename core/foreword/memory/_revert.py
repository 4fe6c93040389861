"""Undoing one entry of the journal alone."""

from __future__ import annotations

from foreword._memory_record import CopyRecord, MemoryRecord

from ._changes import Changes
from ._creation import WHAT
from ._entry import Bases, Entry
from ._errors import AgentMemoryError, ChangeRefused, MemoryConflict
from ._memory_files import MemoryFiles, digest
from ._sections import is_read_only


def revert(files: MemoryFiles, changes: Changes, n: int, why: str) -> Entry:
    """Undo entry ``n``, as an entry of its own.

    Raises:
        AgentMemoryError: there is no such entry, or it created the memory.
        ChangeRefused: a file is ``read_only``.
        MemoryConflict: a later entry changed the same text; nothing was written.
    """
    journal = files.journal()
    entry = next((entry for entry in journal if entry.n == n), None)
    if entry is None:
        raise AgentMemoryError(f"the journal has no entry {n}")
    if entry.what == WHAT:
        raise AgentMemoryError(f"entry {n} created the memory; delete the copies one by one instead")
    record = files.record()
    for name, change in entry.files.items():
        data = files.readable(name)
        if (None if data is None else digest(data)) != change.after:
            raise _later(journal, n, name)
        if is_read_only(name, data):
            raise ChangeRefused(f"{name} is read_only")
    for path, (_, after) in entry.bases.items():
        folder, _, name = path.partition("/")
        copied = folder == MemoryRecord.COPIES
        if after != (Bases(record.copies.get(name)) if copied else Bases(None, record.overrides.get(name))):
            raise _later(journal, n, path)
    copies: dict[str, CopyRecord | None] = {}
    overrides: dict[str, str | None] = {}
    for path, (before, _) in entry.bases.items():
        folder, _, name = path.partition("/")
        if folder == MemoryRecord.COPIES:
            copies[name] = before.copy
        else:
            overrides[name] = before.override
    return changes.apply(
        id=entry.id,
        what=f"revert {n}: {entry.what}",
        why=why,
        writes={
            name: None if change.before is None else files.kept(change.before) for name, change in entry.files.items()
        },
        copies=copies,
        overrides=overrides,
        undoes=n,
    )


def _later(journal: list[Entry], n: int, name: str) -> MemoryConflict:
    later = [other.n for other in journal if other.n > n and (name in other.files or name in other.bases)]
    told = f"later, by entry {', '.join(map(str, later))}" if later else "since"
    return MemoryConflict(f"entry {n} cannot be undone alone: {name} was changed {told}")
