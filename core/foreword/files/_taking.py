"""Taking: each Markdown file that a listing comes by is opened and read, or known to be as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence

from foreword.files._decode import decode
from foreword.files._listing import state_of
from foreword.files._markdown_file import markdown_file
from foreword.files._reading import Entry
from foreword.files._roots import Root
from foreword.files._stamps import Stamp, State, is_settled, stamp
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

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> Mapping[str, State]:
        """Read regular files to which no link leads, and return the state of each that is still there, by path."""
        found: dict[str, State] = {}
        top, written = f"{self._top}/{before}", f"{self._written}/{before}"
        at, most, root, append, folder = self._at, self._max_bytes, self._root, self.entries.append, directory.fd
        # What there is anything about that can be said is read one by one.
        is_usual = not self._known and written.isascii()
        for name in names:
            path, entry = before + name, None
            if is_usual and name.isascii():
                try:
                    fd, data = os.open(name, FILE, dir_fd=folder), b""
                    try:
                        status = os.fstat(fd)
                        size = status.st_size
                        if size <= most and stat.S_ISREG(status.st_mode):
                            data = os.read(fd, size + 1)
                    finally:
                        os.close(fd)
                    if data and len(data) == size:
                        place, own = written + name, stamp(status)
                        file = markdown_file(root, path, place, parse(decode(data), place), None, own[:2], size)
                        settled = is_settled(own, at)
                        entry = Entry(False, path, top + name, own, settled, status.st_nlink, data, file)
                        append(entry)
                        found[path] = own
                except (OSError, Refused):
                    pass
            if entry is None and (state := self.one(directory, name, path, False, True)) is not None:
                found[path] = state
        return found

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> State | None:
        """Read one entry and return its state, or None where nothing is any more."""
        known = self._known.get(path) if self._known else None
        try:
            if known is not None and self._by_stamp and known.settled and not (linked or known.linked):
                status = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
                if (own := stamp(status)) == known.stamp:
                    self.entries.append(known)
                    return own
            found = state_of(directory, name) if linked else None
            entry = self.read(directory, name, path, linked, regular, known)
        except FileNotFoundError:
            return None
        self.entries.append(entry)
        return (found if linked else entry.stamp) or ()

    def read(
        self, directory: Opened, name: str, path: str, linked: bool, regular: bool, known: Entry | None
    ) -> Entry:
        """Read one entry; where it says what it said before, its file is the same object.

        Raises:
            FileNotFoundError: nothing is there any more.
        """
        own: Stamp | None = None
        identity: tuple[int, int] | None = None
        links = 0
        data: bytes | None = None
        place = f"{self._written}/{path}"
        if not place.isascii():
            place = shown(place)
        try:
            if not regular:
                # Opening a device can do something to it.
                status = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
                if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                    own = stamp(status)
                    raise not_regular(status.st_mode)
            try:
                fd = os.open(name, FILE, dir_fd=directory.fd)
            except OSError:
                # It may be a link; else this says what is wrong.
                fd = open_entry(self._enclosure, directory, name, FILE).fd
            try:
                status = os.fstat(fd)
                own = stamp(status)
                identity = own[:2]
                links = status.st_nlink
                data = read_open(fd, status, self._max_bytes)
            finally:
                os.close(fd)
            settled = is_settled(own, self._at)
            if known is not None and known.data == data and known.file.identity == identity and not known.file.error:
                return Entry(linked, path, known.full, own, settled, links, known.data, known.file)
            document = parse(decode(data), place)
            file = markdown_file(self._root, path, place, document, None, identity, len(data))
        except Refused as refused:
            # What could not be read may become readable without a trace in any stamp.
            settled = False
            error = refused.at(place)
            own = own or _stamp_of(directory, name)
            if known is not None and known.file.error == error and known.file.identity == identity:
                file = known.file
            else:
                file = markdown_file(self._root, path, place, None, error, identity, len(data or b""))
        return Entry(linked, path, f"{self._top}/{path}", own, settled, links, data, file)


def _stamp_of(directory: Opened, name: str) -> Stamp | None:
    try:
        return stamp(os.stat(name, dir_fd=directory.fd, follow_symlinks=False))
    except OSError:
        return None
