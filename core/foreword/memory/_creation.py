"""Creating a memory: all templates are copied, or none; the last step is a single rename."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foreword._memory_record import MemoryRecord

from ._entry import Entry, FileChange, Who
from ._memory_files import MemoryFiles
from ._status import as_copy
from ._templates import Template
from ._upgrade import copy_record

WHAT = "create"


def create(
    files: MemoryFiles,
    agent: str,
    who: Who,
    when: str,
    templates: Sequence[Template],
    landed: Callable[[Entry, list[str]], None],
) -> None:
    """Copy the templates into a memory that has no copies yet, under its lock.

    Until the rename of the copies' directory whatever was written counts for nothing, so a creation that
    was interrupted is simply made again. Copies that somebody else put there stay as they are: nothing is
    known of their origin.

    Raises:
        StoreError: the disk would not take it; the memory holds no copies.
    """
    existing = MemoryRecord.COPIES in files.names("")
    kept = () if existing else templates
    contents = {template.file: (as_copy(template.text) + "\n").encode() for template in kept}
    staging = f"{MemoryRecord.FOLDER}/.staging-{MemoryRecord.COPIES}"
    _clear(files, staging)
    for template in kept:
        files.keep(template.text.encode())
    changes: dict[str, FileChange] = {}
    for name, data in contents.items():
        changes[f"{MemoryRecord.COPIES}/{name}"] = FileChange(None, files.keep(data))
        files.write(f"{staging}/{name}", data)
    last = files.last()
    previous = files.entry(last) if last else None
    number = last if previous is not None and previous.what == WHAT else last + 1
    entry = Entry(number, None, who, when, f"the memory of {agent}", WHAT, changes)
    record = MemoryRecord(
        agent=agent,
        applied=number,
        copies={template.file: copy_record(template) for template in kept},
        files={name: change.after for name, change in changes.items() if change.after is not None},
    )
    files.write_entry(entry)
    files.write(MemoryRecord.FILE, record.dump())
    if not existing:
        files.store.make_directory(files.path(staging))
        files.store.rename_into_place(files.path(staging), files.path(MemoryRecord.COPIES))
    landed(entry, [files.path(name) for name in (*changes, MemoryRecord.FILE)])


def _clear(files: MemoryFiles, folder: str) -> None:
    """Take away what an interrupted creation left."""
    for inside in (f"{folder}/tools", folder):
        for name in files.names(inside):
            if name != "tools":
                files.write(f"{inside}/{name}", None)
