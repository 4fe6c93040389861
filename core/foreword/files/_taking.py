"""Taking: each Markdown file that a listing comes by is opened and read, or known to be as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from foreword.files._decode import decode
from foreword.files._markdown_file import MarkdownFile
from foreword.files._reading import Entry
from foreword.files._roots import Root
from foreword.files._stamps import Stamp, is_settled, stamp
from foreword.files._walk import FILE, Enclosure, Opened, Refused, not_regular, open_entry, read_open, shown
from foreword.markdown._front_matter import parse


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
        self._written = root.written.rstrip("/")
        self._enclosure = enclosure
        self._max_bytes = max_bytes
        self._at = at
        self._known = known
        self._by_stamp = by_stamp

    def __call__(
        self, directory: Opened, name: str, path: str, linked: bool, regular: bool
    ) -> tuple[Stamp, ...] | None:
        """Read one entry and return its stamps, or None where nothing is any more."""
        known = self._known.get(path) if self._known else None
        try:
            if known is not None and self._by_stamp and known.settled and not (linked or known.linked):
                status = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
                if stamp(status) == known.stamps[0] and status.st_nlink == known.links:
                    self.entries.append(known)
                    return known.stamps
            entry = self.read(directory, name, path, linked, regular, known)
        except FileNotFoundError:
            return None
        self.entries.append(entry)
        return entry.stamps

    def read(
        self, directory: Opened, name: str, path: str, linked: bool, regular: bool, known: Entry | None
    ) -> Entry:
        """Read one entry; where it says what it said before, its file is the same object.

        Raises:
            FileNotFoundError: nothing is there any more.
        """
        stamps: tuple[Stamp, ...] = ()
        identity: tuple[int, int] | None = None
        links = 0
        data: bytes | None = None
        try:
            if linked:
                stamps = _of_link(directory, name)
            if not regular:
                # Opening a device can do something to it.
                status = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
                if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                    stamps = (stamp(status),)
                    raise not_regular(status.st_mode)
            try:
                fd = os.open(name, FILE, dir_fd=directory.fd)
            except OSError:
                # It may be a link; else this says what is wrong.
                fd = open_entry(self._enclosure, directory, name, FILE).fd
            try:
                status = os.fstat(fd)
                identity = (status.st_dev, status.st_ino)
                links = status.st_nlink
                stamps = stamps or (stamp(status),)
                data = read_open(fd, status, self._max_bytes)
            finally:
                os.close(fd)
            settled = is_settled(stamps[0], self._at)
            if known is not None and known.data == data and known.file.identity == identity and not known.file.error:
                return known._replace(linked=linked, stamps=stamps, settled=settled, links=links)
            place = f"{self._written}/{path}"
            if not place.isascii():
                place = shown(place)
            made = MarkdownFile(self._root, path, place, parse(decode(data), place), None, identity, len(data))
            return Entry(linked, path, f"{self._top}/{path}", stamps, settled, links, data, made)
        except Refused as refused:
            error = refused.at(self.place(path))
        if not stamps:
            stamps = _own_stamp(directory, name)
        made = MarkdownFile(self._root, path, self.place(path), None, error, identity, len(data or b""))
        if known is not None and known.file.error == error and known.file.identity == identity:
            made = known.file
        # What could not be read may become readable without a trace in any stamp.
        return Entry(linked, path, f"{self._top}/{path}", stamps, False, links, data, made)

    def place(self, path: str) -> str:
        """Return a path below the root as it is shown."""
        return shown(f"{self._written}/{path}")


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
