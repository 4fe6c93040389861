"""Taking: each Markdown file that a listing comes by is opened and read, or known to be as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Final

from foreword.files._decode import decode
from foreword.files._entries import Entry
from foreword.files._listing import state_of
from foreword.files._markdown_file import is_plain, markdown_file
from foreword.files._read_open import KIND, REGULAR, read_open
from foreword.files._roots import Root
from foreword.files._stamps import COARSE_GRAIN, Stamp, State, is_settled, stamp
from foreword.files._walk import FILE, Enclosure, Opened, Refused, not_regular, open_entry, shown
from foreword.markdown._front_matter import Document, parse

_CAREFUL: Final = "-\ufeff"
"""What front matter and a byte order mark begin with."""


class Taking:
    """Reads the entries that a listing comes by.

    Args:
        root: the directory that was asked for.
        enclosure: where to stay.
        max_bytes: the most bytes that a file may have.
        at: the time before the first of them is looked at, in nanoseconds.
        known: what an earlier reading found, by path.
        by_stamp: whether an entry of it need not be read again when its stamp is as it was.

    Attributes:
        entries: what was read.
    """

    __slots__ = (
        "_at", "_by_stamp", "_enclosure", "_folders", "_inodes", "_known", "_length", "_linked", "_max_bytes", "_root",
        "entries",
    )  # fmt: skip

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
        self._enclosure = enclosure
        self._max_bytes = max_bytes
        self._at = at
        self._known = known
        self._by_stamp = by_stamp
        self._inodes: set[int] = set()
        self._folders = self._length = 0
        self._linked: dict[str, State] = {}

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to say of the entries, each being a file of its own, and they come by name."""
        return self._folders < 2 and len(self._inodes) == len(self.entries)

    @property
    def size(self) -> int:
        """About how many bytes it takes to keep what was read."""
        return 2000 + 1000 * len(self.entries) + 3 * self._length

    def states(self) -> dict[str, State]:
        """Return the state of each entry by its path: of a link, also that of what it leads to."""
        found: dict[str, State] = {file.name: own or () for _, own, _, _, _, _, file in self.entries}
        found.update(self._linked)
        return found

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> None:
        """Read regular files to which no link leads, those of them that are still there."""
        at, most, root, append, folder = self._at, self._max_bytes, self._root, self.entries.append, directory.fd
        top, written = f"{root.path.rstrip('/')}/{before}", f"{root.written.rstrip('/')}/{before}"
        openat, fstat, read, close = os.open, os.fstat, os.read, os.close
        add, long_ago, length, known_as = self._inodes.add, at - COARSE_GRAIN, 0, self._known.get
        # What is known by its stamp need not be opened.
        has_known = len(self._known) > 0
        is_usual = not (self._by_stamp and has_known)
        self._folders += 1
        for name in names:
            path, place = before + name, written + name
            # What there is anything about that can be said is read one by one.
            if is_usual and place.isascii():
                try:
                    fd, data = openat(name, FILE, dir_fd=folder), b""
                    try:
                        status = fstat(fd)
                        own = stamp(status)
                        device, inode, size, modified, changed = own
                        if size <= most and status.st_mode & KIND == REGULAR:
                            data = read(fd, size + 1)
                    finally:
                        close(fd)
                    if len(data) == size > 0:
                        proof = own if modified < long_ago > changed or is_settled(own, at) else None
                        links = status.st_nlink
                        known = known_as(path) if has_known else None
                        if known and _is_same(known, data, (device, inode)):
                            self._append((top + name, own, proof, False, links, known[5], known[6]))
                            continue
                        source = data.decode()
                        text, more = source.lstrip(), None
                        if text is source and text[0] not in _CAREFUL and "\r" not in text and "\0" not in text:
                            text = text.rstrip()
                            if links == 1:
                                add(inode)
                        else:
                            text, more = _parsed(data, place)
                            if links == 1 and not (more and more.diagnostics):
                                add(inode)
                        file = markdown_file(root, path, place, text, more, None, own, size)
                        append((top + name, own, proof, False, links, data, file))
                        length += size
                        continue
                except (OSError, Refused, UnicodeDecodeError):
                    pass
            self.one(directory, name, path, False, True)
        self._length += length

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> None:
        """Read one entry, if it is still there."""
        known = self._known.get(path) if self._known else None
        try:
            if known is not None and self._by_stamp and not linked:
                _, _, proof, was_linked, _, _, _ = known
                # What has no proof is read again, whatever it is.
                if proof and not was_linked and stamp(_status(directory, name)) == proof:
                    self._append(known)
                    return
            found = state_of(directory, name) if linked else None
            entry = self.read(directory, name, path, linked, regular, known)
        except FileNotFoundError:
            return
        self._append(entry)
        if linked:
            self._linked[path] = found or ()

    def _append(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._length += len(entry[5] or b"")

    def read(self, directory: Opened, name: str, path: str, linked: bool, regular: bool, known: Entry | None) -> Entry:
        """Read one entry; where it says what it said before, its file is the same object.

        Raises:
            FileNotFoundError: nothing is there any more.
        """
        own: Stamp | None = None
        identity: tuple[int, int] | None = None
        links = 0
        data: bytes | None = None
        root = self._root
        full, place = f"{root.path.rstrip('/')}/{path}", f"{root.written.rstrip('/')}/{path}"
        if not place.isascii():
            place = shown(place)
        try:
            if not regular:
                # Opening a device can do something to it.
                status = _status(directory, name)
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
            proof = own if is_settled(own, self._at) else None
            if known is not None and _is_same(known, data, identity):
                return (full, own, proof, linked, links, known[5], known[6])
            text, more = _parsed(data, place)
            file = markdown_file(root, path, place, text, more, None, own, len(data))
        except Refused as refused:
            # What could not be read may become readable without a trace in any stamp.
            proof = None
            error = refused.at(place)
            own = own or _stamp_of(directory, name)
            if known is not None and known[6].error == error and known[6].identity == identity:
                file = known[6]
            else:
                file = markdown_file(root, path, place, "", None, error, identity, len(data or b""))
        return (full, own, proof, linked, links, data, file)


def _is_same(known: Entry, data: bytes, identity: tuple[int, int]) -> bool:
    """Say whether a file that was read before is the same one, and says the same."""
    return known[5] == data and known[6].identity == identity and known[6].error is None


def _parsed(data: bytes, place: str) -> tuple[str, Document | None]:
    """Return the text of a file, and what it says where that is more."""
    document = parse(decode(data), place)
    return document.text, None if is_plain(document) else document


def _status(directory: Opened, name: str) -> os.stat_result:
    return os.stat(name, dir_fd=directory.fd, follow_symlinks=False)


def _stamp_of(directory: Opened, name: str) -> Stamp | None:
    try:
        return stamp(_status(directory, name))
    except OSError:
        return None
