"""The files of a memory that foreword keeps: copies, overrides, record, journal and the texts of its past."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterator

from foreword._memory_record import MemoryRecord
from foreword._names import is_leftover, is_readme
from foreword.files._reader import Reader
from foreword.files._roots import Root
from foreword.store._store import DurabilityError, Store, StoreError

from ._entry import Entry

TOOLS = "tools"


class MemoryFiles:
    """The namespace inside one memory, below which every name here is meant.

    Args:
        store: durable access to the memory's root.
        namespace: the directory that foreword keeps there.
    """

    def __init__(self, store: Store, namespace: str) -> None:
        self.store = store
        self.namespace = namespace

    def path(self, name: str) -> str:
        """Return a name below the memory's root."""
        return f"{self.namespace}/{name}"

    @property
    def created(self) -> bool:
        """Whether the memory holds copies and a record of them: what a creation leaves when it is through."""
        names = self.names("")
        return MemoryRecord.COPIES in names and self.read(MemoryRecord.FILE) is not None

    def names(self, folder: str) -> list[str]:
        """Return the names in a directory, sorted; none where it is not there."""
        return self.store.names(self.path(folder).rstrip("/"))

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None."""
        return self.store.read(self.path(name))

    def write(self, name: str, data: bytes | None) -> None:
        """Write a file durably, or remove it for None."""
        if data is None:
            self.store.remove(self.path(name))
        else:
            self.store.write(self.path(name), data)

    def record(self) -> MemoryRecord:
        """Return the record; an empty one where there is none or it is damaged."""
        data = self.read(MemoryRecord.FILE)
        if data is None or MemoryRecord.COPIES not in self.names(""):
            return MemoryRecord()
        try:
            return MemoryRecord.parse(data)
        except ValueError:
            return MemoryRecord(applied=self.last())

    def documents(self) -> dict[str, bytes]:
        """Return the copies and overrides as a build takes them: bytes by name.

        What a build refuses to read, such as a link that leads out of the memory, is left out.

        Raises:
            StoreError: the disk cannot be read.
        """
        found: dict[str, bytes] = {}
        for folder in (MemoryRecord.COPIES, MemoryRecord.OVERRIDES):
            for inside in (folder, f"{folder}/{TOOLS}"):
                for name in self._listed(inside):
                    path = f"{inside}/{name}"
                    if is_document(path):
                        data = self.readable(path)
                        if data is not None:
                            found[path] = data
        return found

    def readable(self, name: str) -> bytes | None:
        """Return the bytes of a file as a build takes them, also through a link inside the memory, or None."""
        try:
            return self.read(name)
        except StoreError as problem:
            if not _is_in_the_way(problem):
                raise
        found = Reader().read_file(Root(self.store.root, self.store.root), self.path(name), trusted_links=False)
        return found if isinstance(found, bytes) else None

    def is_plain(self, name: str) -> bool:
        """Return whether a file can be written: it is one, or nothing is there.

        Raises:
            StoreError: the disk does not say.
        """
        try:
            self.read(name)
        except StoreError as problem:
            if not _is_in_the_way(problem):
                raise
            return False
        return True

    def _listed(self, folder: str) -> list[str]:
        try:
            return self.names(folder)
        except StoreError as problem:
            if not _is_in_the_way(problem):
                raise
            return []

    # -- texts and journal -------------------------------------------------------------------------

    def keep(self, data: bytes) -> str:
        """Keep a text for ever, under its hash, and return that."""
        name = digest(data)
        if self.read(text_name(name)) != data:
            try:
                self.write(text_name(name), data)
            except DurabilityError as doubt:
                # Nothing refers to it yet, so the change that it is for is not made.
                raise StoreError(doubt.path, "the disk did not confirm it, and nothing is changed") from doubt
        return name

    def kept(self, name: str) -> bytes:
        """Return a kept text.

        Raises:
            StoreError: it is not there, or is not what it was.
        """
        data = self.read(text_name(name))
        if data is None or digest(data) != name:
            where = self.store.path(self.path(text_name(name)))
            raise StoreError(where, "this text of the journal is missing or damaged")
        return data

    def last(self) -> int:
        """Return the number of the last entry of the journal, 0 where there is none."""
        return max((number for number, _ in self._numbered()), default=0)

    def entry(self, number: int) -> Entry | None:
        """Return one entry of the journal, or None where it is not there or damaged."""
        data = self.read(entry_name(number))
        try:
            return None if data is None else Entry.parse(number, data)
        except ValueError:
            return None

    def journal(self) -> list[Entry]:
        """Return the entries of the journal, oldest first; a damaged one is left out."""
        entries: list[Entry] = []
        for number, name in sorted(self._numbered()):
            data = self.readable(f"{MemoryRecord.FOLDER}/journal/{name}")
            if data is None:
                continue
            try:
                entries.append(Entry.parse(number, data))
            except ValueError:
                continue
        return entries

    def write_entry(self, entry: Entry) -> None:
        """Write one entry of the journal."""
        self.write(entry_name(entry.n), entry.dump())

    def remove_entry(self, number: int) -> None:
        """Take back an entry that never came into effect."""
        self.write(entry_name(number), None)

    def _numbered(self) -> Iterator[tuple[int, str]]:
        for name in self.names(f"{MemoryRecord.FOLDER}/journal"):
            stem, _, ending = name.partition(".")
            if ending == "json" and stem.isascii() and stem.isdigit():
                yield int(stem), name


def digest(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def as_json(content: object) -> bytes:
    """Return the bytes of a JSON file: the same for equal content."""
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def is_document(name: str) -> bool:
    """Return whether a file is a copy or an override by its name, as a build has it.

    >>> is_document("prompts/SAFETY.md"), is_document("prompts/SAFETY.md.new"), is_document("prompts/README.md")
    (True, False, False)
    """
    folder, _, base = name.rpartition("/")
    known = folder.removesuffix(f"/{TOOLS}") in (MemoryRecord.COPIES, MemoryRecord.OVERRIDES)
    return known and base.lower().endswith(".md") and not is_leftover(base) and not is_readme(base)


def text_name(name: str) -> str:
    """Return the name of the file in which the text of that hash is kept."""
    return f"{MemoryRecord.FOLDER}/texts/{name}"


def entry_name(number: int) -> str:
    """Return the name of the file of an entry of the journal."""
    return f"{MemoryRecord.FOLDER}/journal/{number:08}.json"


def _is_in_the_way(problem: StoreError) -> bool:
    """Return whether something else stands where a file or directory should, and not the disk has failed."""
    cause = problem.__cause__
    return not isinstance(cause, OSError) or cause.errno in (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)
