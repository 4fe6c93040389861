"""The files of a memory that foreword keeps: copies, overrides, record, journal and the texts of its past."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from foreword._memory_record import MemoryRecord
from foreword._store import Store, StoreError

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
        """Return the copies and overrides as they are: bytes by name; what cannot be read is left out."""
        found: dict[str, bytes] = {}
        for folder in (MemoryRecord.COPIES, MemoryRecord.OVERRIDES):
            for inside in (folder, f"{folder}/{TOOLS}"):
                for name in self.names(inside):
                    if name.endswith(".md") and not name.startswith("."):
                        data = self._readable(f"{inside}/{name}")
                        if data is not None:
                            found[f"{inside}/{name}"] = data
        return found

    def _readable(self, name: str) -> bytes | None:
        try:
            return self.read(name)
        except StoreError:
            return None

    # -- texts and journal -------------------------------------------------------------------------

    def keep(self, data: bytes) -> str:
        """Keep a text for ever, under its hash, and return that."""
        name = digest(data)
        if self.read(_text(name)) != data:
            self.write(_text(name), data)
        return name

    def kept(self, name: str) -> bytes:
        """Return a kept text.

        Raises:
            StoreError: it is not there, or is not what it was.
        """
        data = self.read(_text(name))
        if data is None or digest(data) != name:
            raise StoreError(self.store.path(self.path(_text(name))), "this text of the journal is missing or damaged")
        return data

    def last(self) -> int:
        """Return the number of the last entry of the journal, 0 where there is none."""
        return max((number for number, _ in self._numbered()), default=0)

    def entry(self, number: int) -> Entry | None:
        """Return one entry of the journal."""
        data = self.read(_entry(number))
        return None if data is None else Entry.parse(number, data)

    def journal(self) -> list[Entry]:
        """Return the entries of the journal, oldest first; a damaged one is left out."""
        entries: list[Entry] = []
        for number, name in sorted(self._numbered()):
            data = self._readable(f"{MemoryRecord.FOLDER}/journal/{name}")
            if data is None:
                continue
            try:
                entries.append(Entry.parse(number, data))
            except ValueError:
                continue
        return entries

    def write_entry(self, entry: Entry) -> None:
        """Write one entry of the journal."""
        self.write(_entry(entry.n), entry.dump())

    def remove_entry(self, number: int) -> None:
        """Take back an entry that never came into effect."""
        self.write(_entry(number), None)

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


def _text(name: str) -> str:
    return f"{MemoryRecord.FOLDER}/texts/{name}"


def _entry(number: int) -> str:
    return f"{MemoryRecord.FOLDER}/journal/{number:08}.json"
