"""Files: the one reader of Markdown files, which every source of a build reads through."""

from __future__ import annotations

import os
import stat
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import KNOWN
from foreword.files._decode import decode
from foreword.files._listing import Found, Listing, Request, stamp
from foreword.files._markdown_file import Directory, MarkdownFile
from foreword.files._roots import Root
from foreword.files._tree import tree
from foreword.files._walk import (
    FILE,
    Enclosure,
    Opened,
    Refused,
    below,
    leads_to_nothing,
    not_regular,
    open_entry,
    opened,
    parts_of,
    read_open,
    shown,
)

if TYPE_CHECKING:
    from foreword.markdown._front_matter import Document

__all__ = ["MAX_BYTES", "Directory", "MarkdownFile", "Reader", "Root"]

MAX_BYTES: Final = 262144
"""The most bytes that a file may have unless the operator says otherwise."""

_TRIES: Final = 4


class _Slot:
    """The place of one directory in a reader's memory, filled by whoever comes first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.directory: Directory | None = None


class Reader:
    """Reads the files of one batch of builds, each directory once.

    Args:
        max_bytes: The most bytes that a file may have.
        link_roots: Directories outside of the roots that links may lead to.
    """

    def __init__(self, max_bytes: int = MAX_BYTES, link_roots: Sequence[str] = ()) -> None:
        self._max_bytes = max_bytes
        self._link_roots = tuple(os.path.realpath(link_root) for link_root in link_roots)
        self._lock = threading.Lock()
        self._slots: dict[tuple[Root, Request, bool], _Slot] = {}
        self._real: dict[str, str] = {}

    def read_directory(
        self,
        root: Root,
        sub: str = "",
        *,
        known: Collection[str] = (),
        recursive: bool = False,
        only: str | None = None,
        depth: int = 8,
        skip: Collection[str] = (),
        trusted_links: bool = True,
    ) -> Directory:
        """Read the Markdown files of a directory, all in one state.

        Args:
            root: The directory that was asked for; nothing outside of it is read but what links may lead to.
            sub: The directory below the root, with ``/``; empty for the root itself.
            known: Names of sub-directories that are somebody else's to read.
            recursive: Whether to read sub-directories too.
            only: The one file name to look for, in the directory and below it, but not below where it is.
            depth: How many levels of sub-directories to walk down.
            skip: Paths below the root that are left out, with all below them.
            trusted_links: Whether links may lead to the reader's ``link_roots``.

        Returns:
            The directory; for the same arguments the same object. A missing one says so by ``exists``.
        """
        request = Request(root.written, sub, frozenset(known), recursive, only, depth, _paths(skip))
        with self._lock:
            slot = self._slots.setdefault((root, request, trusted_links), _Slot())
        with slot.lock:
            if slot.directory is None:
                slot.directory = self._read(root, request, trusted_links)
            return slot.directory

    def read_file(
        self, root: Root, name: str, *, trusted_links: bool = True, max_bytes: int | None = None
    ) -> bytes | Diagnostic | None:
        """Read one file of any kind below a root, afresh at every call.

        Args:
            root: The directory that was asked for.
            name: The file below it.
            trusted_links: Whether links may lead to the reader's ``link_roots``.
            max_bytes: The most bytes that it may have, where that is not the reader's limit.

        Returns:
            Its bytes, the reason why it cannot be read, or None where nothing is.
        """
        try:
            enclosure = self._enclosure(root, trusted_links, ())
            for _ in range(_TRIES):
                with opened(enclosure, parts_of(name), FILE) as file:
                    before = os.fstat(file.fd)
                    data = read_open(file.fd, before, max_bytes or self._max_bytes)
                    if stamp(os.fstat(file.fd)) == stamp(before):
                        return data
            return _changed(_place(root, name), "error")
        except FileNotFoundError:
            return None
        except Refused as refused:
            return refused.at(_place(root, name))

    def tree(
        self,
        root: Root,
        *,
        skip: Collection[str] = (),
        depth: int = 8,
        limit: int = 2000,
        start: str = "",
        hidden: bool = False,
        trusted_links: bool = False,
    ) -> list[str]:
        """List what lies below a root, for people and models to look at.

        Args:
            root: The directory that was asked for.
            skip: Paths below the root that are left out, with all below them.
            depth: How many levels to list.
            limit: The most entries to list; those nearest to the top come first.
            start: The directory below the root to begin in.
            hidden: Whether to list dot entries too.
            trusted_links: Whether links may lead to the reader's ``link_roots``.

        Returns:
            The paths below the root, sorted, those of directories with a final ``/``; without dot entries
            and links that lead out of the root.
        """
        left_out = _paths(skip)
        try:
            enclosure = self._enclosure(root, trusted_links, left_out)
            return tree(enclosure, left_out, depth, limit, start=start, hidden=hidden)
        except (FileNotFoundError, Refused):
            return []

    def _enclosure(self, root: Root, trusted_links: bool, skip: Collection[str]) -> Enclosure:
        with self._lock:
            real = self._real.get(root.path)
        if real is None:
            real = os.path.realpath(root.path)
            if os.path.islink(root.path) and not os.path.lexists(real):
                raise leads_to_nothing()
            with self._lock:
                # Resolved once: a root that is a link stays the same directory for the whole batch.
                real = self._real.setdefault(root.path, real)
        left_out = tuple(os.path.realpath(below(real, path)) for path in skip)
        return Enclosure(real, self._link_roots if trusted_links else (), left_out, trusted_links)

    def _read(self, root: Root, request: Request, trusted_links: bool) -> Directory:
        try:
            enclosure = self._enclosure(root, trusted_links, request.skip)
        except Refused as refused:
            return Directory((), (refused.at(shown(root.written)),), exists=True)
        tries = 0
        while True:
            tries += 1
            taking = _Taking(root, enclosure, self._max_bytes)
            before = Listing(enclosure, request, taking)
            # Only what a second listing finds unchanged was read in one state.
            changed = before.changed_in(Listing(enclosure, request))
            if not changed or tries == _TRIES:
                found = [_changed(_place(root, name), "warning") for name in changed]
                return _directory(before, taking.files, [*found, *taking.hard_linked()])


class _Taking:
    """Reads the entries that a listing comes by."""

    def __init__(self, root: Root, enclosure: Enclosure, max_bytes: int) -> None:
        self.files: list[tuple[bool, MarkdownFile]] = []
        self._names: dict[tuple[int, int], int] = {}
        self._root = root
        self._enclosure = enclosure
        self._max_bytes = max_bytes

    def hard_linked(self) -> Iterator[Diagnostic]:
        """Yield a note about each untrusted file that has a name besides those that were come by."""
        met = Counter(file.identity for linked, file in self.files if not linked)
        for _, file in self.files if not self._enclosure.trusted else ():
            if file.identity is not None and self._names[file.identity] > max(1, met[file.identity]):
                message = "the file has another name elsewhere (a hard link), through which it can be changed"
                yield Diagnostic("FW019", "info", message, Place(file.place), "put a copy in its place")

    def __call__(self, directory: Opened, found: Found) -> None:
        from foreword.markdown._front_matter import parse

        place = _place(self._root, found.path)
        identity: tuple[int, int] | None = None
        size = 0
        document: Document | None = None
        error: Diagnostic | None = None
        try:
            if found.mode and not (stat.S_ISREG(found.mode) or stat.S_ISLNK(found.mode)):
                # Opening a device can do something to it.
                raise not_regular(found.mode)
            file = open_entry(self._enclosure, directory, found.name, FILE)
            try:
                status = os.fstat(file.fd)
                identity = (status.st_dev, status.st_ino)
                self._names[identity] = status.st_nlink
                data = read_open(file.fd, status, self._max_bytes)
            finally:
                os.close(file.fd)
            size = len(data)
            document = parse(decode(data), place)
        except FileNotFoundError:
            return
        except Refused as refused:
            error = refused.at(place)
        self.files.append(
            (found.linked, MarkdownFile(self._root, found.path, place, document, error, identity, size))
        )


def _changed(place: str, severity: Severity) -> Diagnostic:
    remedy = "try again when nothing writes to it"
    return Diagnostic("FW002", severity, "it changed while it was read", Place(place), remedy)


def _paths(paths: Collection[str]) -> frozenset[str]:
    return frozenset(path.strip("/") for path in paths)


def _place(root: Root, name: str) -> str:
    return shown(below(root.written, name))


def _directory(
    listing: Listing, taken: list[tuple[bool, MarkdownFile]], changed: Sequence[Diagnostic]
) -> Directory:
    files: list[MarkdownFile] = []
    diagnostics = [*listing.diagnostics, *changed]
    first: dict[tuple[int, int], MarkdownFile] = {}
    for _, file in sorted(taken, key=lambda item: (item[0], item[1].name)):
        if file.identity is not None and first.setdefault(file.identity, file) is not file:
            message = f"it is the same file as {first[file.identity].place}, which is read already"
            known = file.name.rpartition("/")[2].upper() in KNOWN
            severity: Severity = "error" if known else "info"
            twice = Diagnostic("FW019", severity, message, Place(file.place), "remove one of them")
            if not known:
                diagnostics.append(twice)
                continue
            # A known name asks for a section of its own: that it has none is never passed over.
            file = replace(file, document=None, error=twice)
        files.append(file)
        if file.error is not None:
            diagnostics.append(file.error)
        if file.document is not None:
            diagnostics.extend(file.document.diagnostics)
    files.sort(key=lambda file: file.name)
    diagnostics.sort(key=_order)
    return Directory(tuple(files), tuple(diagnostics), listing.exists)


def _order(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
    place = diagnostic.place if diagnostic.place is not None else Place("")
    return place.path, place.line or 0, diagnostic.code, diagnostic.message
