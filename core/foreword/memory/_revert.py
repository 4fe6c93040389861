"""Undoing one entry of the journal alone."""

from __future__ import annotations

from foreword._memory_record import CopyRecord, MemoryRecord

from ._changes import Changes
from ._creation import WHAT
from ._entry import Entry
from ._errors import AgentMemoryError, MemoryConflict
from ._memory_files import MemoryFiles, digest


def revert(files: MemoryFiles, changes: Changes, n: int, why: str) -> Entry:
    """Undo entry ``n``, as an entry of its own.

    Raises:
        AgentMemoryError: there is no such entry, or it created the memory.
        MemoryConflict: a later entry changed the same text; nothing was written.
    """
    journal = files.journal()
    entry = next((entry for entry in journal if entry.n == n), None)
    if entry is None:
        raise AgentMemoryError(f"the journal has no entry {n}")
    if entry.what == WHAT:
        raise AgentMemoryError(f"entry {n} created the memory; delete the copies one by one instead")
    for name, change in entry.files.items():
        data = files.read(name)
        if (None if data is None else digest(data)) != change.after:
            later = [other.n for other in journal if other.n > n and name in other.files]
            raise MemoryConflict(
                f"entry {n} cannot be undone alone: {name} was changed later, by entry "
                + ", ".join(map(str, later))
            )
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
