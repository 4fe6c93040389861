"""Changes of a memory: each is an entry of the journal first, then in effect, and never half of it.

The entry is written before the files are: whoever dies in between leaves an entry that the next command
brings into effect. The record says which entry is the last that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from foreword._memory_record import CopyRecord, MemoryRecord
from foreword.store._store import DurabilityError, StoreError

from ._entry import Bases, Entry, FileChange, Who
from ._errors import MemoryConflict
from ._memory_files import TOOLS, MemoryFiles, digest, entry_name, is_document, text_name
from ._sections import section_of

_Value = TypeVar("_Value")


class Changes:
    """The one way in which files of a memory change; used under the memory's lock.

    Args:
        files: the memory's files.
        who: in whose name the changes are made.
        now: gives the time, in UTC, as text.
        landed: is called with the paths that a change wrote, after each change.
    """

    def __init__(
        self,
        files: MemoryFiles,
        who: Who,
        now: Callable[[], str],
        landed: Callable[[Entry, list[str]], None],
    ) -> None:
        self._files = files
        self._who: Who = who
        self._now = now
        self._landed = landed

    def settle(self) -> list[Entry]:
        """Bring an interrupted change into effect, and take in what was changed past foreword.

        Returns:
            The entries that were added for changes past foreword.
        """
        self._sweep()
        self.complete()
        return self._take_in()

    def complete(self) -> None:
        """Bring into effect what the journal holds and the record does not know."""
        for number in range(self._files.record().applied + 1, self._files.last() + 1):
            entry = self._files.entry(number)
            if entry is not None:
                self._redo(entry)
                self.landed(entry)

    def landed(self, entry: Entry) -> None:
        """Tell which files an entry that is in effect has changed."""
        texts = {name for change in entry.files.values() for name in change if name is not None}
        texts |= {bases.copy.base for pair in entry.bases.values() for bases in pair if bases.copy is not None}
        names = [*entry.files, MemoryRecord.FILE, entry_name(entry.n), *map(text_name, sorted(texts))]
        self._landed(entry, [self._files.path(name) for name in names])

    def apply(
        self,
        *,
        id: str | None,
        what: str,
        why: str,
        writes: Mapping[str, bytes | None],
        copies: Mapping[str, CopyRecord | None] | None = None,
        overrides: Mapping[str, str | None] | None = None,
        expected: Mapping[str, bytes | None] | None = None,
        undoes: int | None = None,
    ) -> Entry:
        """Make one change: an entry of the journal, then the files, then the record.

        Args:
            id: the section, or None where there are several.
            what: what is done, in a few words.
            why: the reason.
            writes: the new bytes of each file, None to delete it.
            copies: what the record is to say of copies, None to forget one.
            overrides: the base that the record is to name for overrides, None to forget it.
            expected: the bytes of files as they were when the change was thought out.
            undoes: the entry that this change undoes.

        Raises:
            MemoryConflict: a file of ``expected`` was changed in the meantime.
            StoreError: the disk would not take it; everything is as it was.
            DurabilityError: it is in effect, and the disk did not confirm it.
        """
        files = self._files
        record = files.record()
        present: dict[str, bytes | None] = {name: files.read(name) for name in sorted(writes)}
        for name, data in (expected or {}).items():
            if present[name] != data:
                raise MemoryConflict(_changed(name))
        changes: dict[str, FileChange] = {}
        for name, data in sorted(writes.items()):
            old = present[name]
            before = None if old is None else files.keep(old)
            after = None if data is None else files.keep(data)
            changes[name] = FileChange(before, after)
        bases: dict[str, tuple[Bases, Bases]] = {}
        for name, copy in (copies or {}).items():
            bases[_path(MemoryRecord.COPIES, name)] = (Bases(copy=record.copies.get(name)), Bases(copy=copy))
        for name, base in (overrides or {}).items():
            path = _path(MemoryRecord.OVERRIDES, name)
            bases[path] = (Bases(override=record.overrides.get(name)), Bases(override=base))
        entry = Entry(
            n=files.last() + 1,
            id=id,
            who=self._who,
            when=self._now(),
            why=why,
            what=what,
            files=changes,
            bases=bases,
            undoes=undoes,
        )
        self._commit(entry, present, writes)
        return entry

    # -- inside ------------------------------------------------------------------------------------

    def _commit(self, entry: Entry, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None]) -> None:
        files = self._files
        unconfirmed: DurabilityError | None = None
        try:
            files.write_entry(entry)
        except DurabilityError as doubt:
            unconfirmed = doubt
        done: list[str] = []
        try:
            for name in entry.files:
                done.append(name)
                try:
                    files.write(name, after[name])
                except DurabilityError as doubt:
                    unconfirmed = doubt
            try:
                self._enter(entry)
            except DurabilityError as doubt:
                unconfirmed = doubt
        except (OSError, StoreError) as failure:
            self._take_back(entry, {name: before[name] for name in done}, failure)
            raise
        self.landed(entry)
        if unconfirmed is not None:
            raise unconfirmed

    def _take_back(self, entry: Entry, before: Mapping[str, bytes | None], failure: Exception) -> None:
        try:
            for name, data in before.items():
                if self._files.read(name) != data:
                    self._files.write(name, data)
            self._files.remove_entry(entry.n)
        except (OSError, StoreError) as second:
            failure.add_note(f"it could not be taken back either ({second}); the next command completes it")

    def _redo(self, entry: Entry) -> None:
        files = self._files
        for name, change in entry.files.items():
            data = files.readable(name)
            now = None if data is None else digest(data)
            # Whoever changed the file since keeps the change: it is taken in as one of its own.
            if now == change.before and now != change.after and files.is_plain(name):
                files.write(name, None if change.after is None else files.kept(change.after))
        self._enter(entry)

    def _enter(self, entry: Entry) -> None:
        """Say in the record that the entry is in effect."""
        record = self._files.record()
        copies, overrides, known = dict(record.copies), dict(record.overrides), dict(record.files)
        for path, (_, bases) in entry.bases.items():
            folder, _, name = path.partition("/")
            if folder == MemoryRecord.COPIES:
                _set(copies, name, bases.copy)
            else:
                _set(overrides, name, bases.override)
        for name, change in entry.files.items():
            if is_document(name):
                _set(known, name, change.after)
        changed = replace(record, applied=entry.n, copies=copies, overrides=overrides, files=known)
        self._files.write(MemoryRecord.FILE, changed.dump())

    def _take_in(self) -> list[Entry]:
        files = self._files
        present = files.documents()
        record = files.record()
        known = record.files
        entries: list[Entry] = []
        for name in sorted({*present, *known}):
            data = present.get(name)
            now = None if data is None else files.keep(data)
            if now == known.get(name):
                continue
            folder, _, inside = name.partition("/")
            copy = record.copies.get(inside) if folder == MemoryRecord.COPIES else None
            base = record.overrides.get(inside) if folder == MemoryRecord.OVERRIDES and data is None else None
            entry = Entry(
                n=files.last() + 1,
                id=copy.id if copy is not None else section_of(name, data),
                who="unknown",
                when=self._now(),
                why="",
                what=f"{'deleted' if data is None else 'changed' if name in known else 'added'} past foreword: {name}",
                files={name: FileChange(known.get(name), now)},
                bases={} if base is None else {name: (Bases(override=base), Bases())},
            )
            files.write_entry(entry)
            self._enter(entry)
            self.landed(entry)
            entries.append(entry)
        return entries

    def _sweep(self) -> None:
        folders = [MemoryRecord.FOLDER, *(f"{MemoryRecord.FOLDER}/{name}" for name in ("texts", "journal", "pending"))]
        for kind in (MemoryRecord.COPIES, MemoryRecord.OVERRIDES):
            folders += [kind, f"{kind}/{TOOLS}"]
        for folder in folders:
            # What cannot be swept is no reason to do without the change.
            with suppress(StoreError):
                self._files.store.sweep(self._files.path(folder))


def check_unchanged(files: MemoryFiles, expected: Mapping[str, str | None], now: Mapping[str, str | None]) -> None:
    """Raise unless each file still has the bytes that were read, and no other came to them.

    Args:
        files: the memory's files.
        expected: the hash of each file that was read.
        now: the hash of each file that would be read now.

    Raises:
        MemoryConflict: somebody changed one in the meantime.
    """
    present = files.documents()
    for name, wanted in expected.items():
        data = present.get(name)
        if (None if data is None else digest(data)) != wanted:
            raise MemoryConflict(_changed(name))
    for name, hashed in now.items():
        if hashed is not None and name not in expected:
            raise MemoryConflict(_changed(name))


def _changed(name: str) -> str:
    return f"{name} was changed by somebody else in the meantime; read it again"


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}"


def _set(mapping: dict[str, _Value], name: str, value: _Value | None) -> None:
    if value is None:
        mapping.pop(name, None)
    else:
        mapping[name] = value
