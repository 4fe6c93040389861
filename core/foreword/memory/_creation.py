"""Creating a memory: all templates are copied, or none."""

from __future__ import annotations

from collections.abc import Sequence

from foreword._memory_record import MemoryRecord

from ._changes import Changes
from ._entry import Bases, Entry, FileChange, Who
from ._memory_files import TOOLS, MemoryFiles
from ._status import as_copy, copies, says
from ._templates import Template
from ._upgrade import copy_record

WHAT = "create"


def create(
    files: MemoryFiles, changes: Changes, agent: str, who: Who, when: str, templates: Sequence[Template]
) -> None:
    """Copy the templates into a memory that has no record yet, under its lock.

    The last step is a single rename of the copies' directory: until then whatever was written counts for
    nothing, so a creation that was interrupted is simply made again. Where that directory is there already the
    last step is the record; what is missing is then copied as any change is made, and what is there stays as it
    is. Of a copy that equals its template the origin is known, of others it is not.

    Raises:
        StoreError: the disk would not take it; the memory holds no copies.
    """
    existing = MemoryRecord.COPIES in files.names("")
    there = _there(files) if existing else set[str]()
    present = copies(files) if existing else {}
    known = {one.file: one for one in templates if one.file not in there or says(present.get(one.file), one)}
    staging = f"{MemoryRecord.FOLDER}/.staging-{MemoryRecord.COPIES}"
    _clear(files, staging)
    made: dict[str, FileChange] = {}
    for name, template in known.items():
        files.keep(template.text.encode())
        if name not in there:
            data = (as_copy(template.text) + "\n").encode()
            made[f"{MemoryRecord.COPIES}/{name}"] = FileChange(None, files.keep(data))
            if not existing:
                files.write(f"{staging}/{name}", data)
    bases = {f"{MemoryRecord.COPIES}/{name}": (Bases(), Bases(copy=copy_record(one))) for name, one in known.items()}
    number = _number(files, made)
    entry = Entry(number, None, who, when, f"the memory of {agent}", WHAT, made, bases)
    files.write_entry(entry)
    if existing:
        files.write(MemoryRecord.FILE, MemoryRecord(agent=agent, applied=number - 1).dump())
        changes.complete()
        return
    record = MemoryRecord(
        agent=agent,
        applied=number,
        copies={name: copy_record(template) for name, template in known.items()},
        files={name: change.after for name, change in made.items() if change.after is not None},
    )
    files.write(MemoryRecord.FILE, record.dump())
    files.store.make_directory(files.path(staging))
    files.store.rename_into_place(files.path(staging), files.path(MemoryRecord.COPIES))
    changes.landed(entry)


def _number(files: MemoryFiles, made: dict[str, FileChange]) -> int:
    """Return the number of the entry: that of the same creation, if it was interrupted, else the next."""
    last = files.last()
    previous = files.entry(last) if last else None
    return last if previous is not None and previous.what == WHAT and previous.files == made else last + 1


def _there(files: MemoryFiles) -> set[str]:
    """Return the names of everything that stands where copies do."""
    names = files.names(MemoryRecord.COPIES)
    inside = files.names(f"{MemoryRecord.COPIES}/{TOOLS}") if TOOLS in names else []
    return {*names, *(f"{TOOLS}/{name}" for name in inside)}


def _clear(files: MemoryFiles, folder: str) -> None:
    """Take away what an interrupted creation left."""
    for inside in (f"{folder}/{TOOLS}", folder):
        for name in files.names(inside):
            if name != TOOLS:
                files.write(f"{inside}/{name}", None)
