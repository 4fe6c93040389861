"""Taking: each Markdown file that a listing comes by is opened and read, or known to be as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from foreword._diagnostics import Diagnostic
from foreword.files._decode import decode
from foreword.files._listing import Found
from foreword.files._markdown_file import MarkdownFile
from foreword.files._reading import Entry
from foreword.files._roots import Root
from foreword.files._stamps import Stamp, is_settled, stamp
from foreword.files._walk import FILE, Enclosure, Opened, Refused, below, not_regular, open_entry, read_open, shown


class Taking:
    """Reads the entries that a listing comes by.

    Args:
        root: the directory that was asked for.
        enclosure: where to stay.
        max_bytes: the most bytes that a file may have.
        at: the time before the first of them is looked at, in nanoseconds.
        known: what an earlier reading found, by path.
        by_stamp: whether an entry of it need not be read again when its stamp is as it was.
    """

    def __init__(
        self,
        root: Root,
        enclosure: Enclosure,
        max_bytes: int,
        at: int,
        known: Mapping[str, Entry],
        *,
        by_stamp: bool,
    ) -> None:
        self.entries: list[Entry] = []
        self._root = root
        self._top = root.path.rstrip("/")
        self._enclosure = enclosure
        self._max_bytes = max_bytes
        self._at = at
        self._known = known
        self._by_stamp = by_stamp

    def __call__(self, directory: Opened, found: Found) -> tuple[Stamp, ...] | None:
        """Read one entry and return its stamps, or None where nothing is any more."""
        known = self._known.get(found.path) if self._known else None
        try:
            if known is not None and self._by_stamp and known.settled and not (found.linked or known.linked):
                status = os.stat(found.name, dir_fd=directory.fd, follow_symlinks=False)
                if stamp(status) == known.stamps[0] and status.st_nlink == known.links:
                    self.entries.append(known)
                    return known.stamps
            entry = self.read(directory, found, known)
        except FileNotFoundError:
            return None
        self.entries.append(entry)
        return entry.stamps

    def read(self, directory: Opened, found: Found, known: Entry | None) -> Entry:
        """Read one entry; where it says what it said before, its file is the same object.

        Raises:
            FileNotFoundError: nothing is there any more.
        """
        stamps: tuple[Stamp, ...] = ()
        identity: tuple[int, int] | None = None
        links = 0
        data: bytes | None = None
        error: Diagnostic | None = None
        try:
            if found.linked:
                stamps = _of_link(directory, found.name)
            if not found.regular:
                # Opening a device can do something to it.
                status = os.stat(found.name, dir_fd=directory.fd, follow_symlinks=False)
                if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                    stamps = (stamp(status),)
                    raise not_regular(status.st_mode)
            file = open_entry(self._enclosure, directory, found.name, FILE)
            try:
                status = os.fstat(file.fd)
                stamps = stamps or (stamp(status),)
                identity = (status.st_dev, status.st_ino)
                links = status.st_nlink
                data = read_open(file.fd, status, self._max_bytes)
            finally:
                os.close(file.fd)
            settled = is_settled(stamps[0], self._at)
            if known is not None and known.data == data and known.file.identity == identity and not known.file.error:
                return known._replace(linked=found.linked, stamps=stamps, settled=settled, links=links)
            made = self._made(found, decode(data), identity, len(data))
            return Entry(
                found.linked, found.path, f"{self._top}/{found.path}", stamps, settled, links, data, made
            )
        except Refused as refused:
            error = refused.at(self.place(found.path))
        if not stamps:
            stamps = _own_stamp(directory, found.name)
        made = MarkdownFile(self._root, found.path, self.place(found.path), None, error, identity, len(data or b""))
        if known is not None and known.file.error == error and known.file.identity == identity:
            made = known.file
        # What could not be read may become readable without a trace in any stamp.
        return Entry(found.linked, found.path, f"{self._top}/{found.path}", stamps, False, links, data, made)

    def place(self, path: str) -> str:
        """Return a path below the root as it is shown."""
        return shown(below(self._root.written, path))

    def _made(self, found: Found, source: str, identity: tuple[int, int], size: int) -> MarkdownFile:
        from foreword.markdown._front_matter import parse

        place = self.place(found.path)
        return MarkdownFile(self._root, found.path, place, parse(source, place), None, identity, size)


def _of_link(directory: Opened, name: str) -> tuple[Stamp, ...]:
    try:
        own = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
        if not stat.S_ISLNK(own.st_mode):
            return (stamp(own),)
        return stamp(own), stamp(os.stat(name, dir_fd=directory.fd))
    except FileNotFoundError:
        return _own_stamp(directory, name)
    except OSError:
        return ()


def _own_stamp(directory: Opened, name: str) -> tuple[Stamp, ...]:
    try:
        return (stamp(os.stat(name, dir_fd=directory.fd, follow_symlinks=False)),)
    except OSError:
        return ()
