"""Files: the one reader of Markdown files, which every source of a build reads through."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeVar

from foreword._diagnostics import Diagnostic
from foreword._named_tuple import new as _new
from foreword.files._batch_roots import BatchRoots
from foreword.files._cache import Cache
from foreword.files._entries import file_of
from foreword.files._evidence import MISSING, evidence_of
from foreword.files._fresh import changed_meanwhile, is_as_read, read_again, read_whole
from foreword.files._markdown_file import Directory, MarkdownFile
from foreword.files._names import Names, Readings
from foreword.files._questions import Answer, DirectoryKey, FileKey, Kept, Key, NamesKey, Observation, TreeKey
from foreword.files._read_open import read_open
from foreword.files._reading import Reading
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, is_settled, now, stamp
from foreword.files._tree import tree
from foreword.files._walk import FILE, Refused, below, opening, paths_of, shown
from foreword.files._ways import evidence_of_absence, places_around

__all__ = ["MAX_BYTES", "Directory", "MarkdownFile", "Observation", "Reader", "Readings", "Root"]

MAX_BYTES: Final = 262144
"""The most bytes that a file may have unless the operator says otherwise."""

_TRIES: Final = 4
_NO_PATHS: Final = frozenset[str]()

A = TypeVar("A", bound=Answer)


class Reader:
    """Reads the files of one batch of builds, each directory once.

    Args:
        max_bytes: The most bytes that a file may have.
        link_roots: Directories outside of the roots that links may lead to.
        readings: What earlier batches have read; what has not changed since is not read again.
        by_stamp: Whether a file's stamp tells that it has not changed; else its content is compared.
    """

    def __init__(
        self,
        max_bytes: int = MAX_BYTES,
        link_roots: Sequence[str] = (),
        readings: Readings | None = None,
        *,
        by_stamp: bool = True,
    ) -> None:
        self._max_bytes = max_bytes
        self._roots = BatchRoots(link_roots)
        self._readings: Readings = readings if readings is not None else Cache()
        self._by_stamp = by_stamp
        self._directories: dict[DirectoryKey, Directory] = {}
        self._names = Names(self._roots, self._readings, by_stamp=by_stamp)
        self._watched: list[Observation] | None = None

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
        paths = paths_of(skip) if skip else _NO_PATHS
        asked = ("directory", root, sub, frozenset(known), recursive, only, depth, paths, trusted_links)
        key: DirectoryKey = _new(DirectoryKey, asked)
        found = self._directory(key)
        if self._watched is not None:
            self._watched.append(_new(Observation, (key, found)))
        return found

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
        key = FileKey("file", root, name, trusted_links, max_bytes or self._max_bytes)
        return self._seen(key, self._file(key))

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
        key = TreeKey("tree", root, paths_of(skip), depth, limit, start, hidden, trusted_links)
        return list(self._seen(key, self._tree(key)))

    def is_absent(self, root: Root, folder: str, names: Iterable[str]) -> bool:
        """Say whether a directory below a root has none of some names, as far as the names in it tell."""
        present = self._names.within(root, folder)
        return present is not None and not any(map(present.__contains__, names))

    def present(self, root: Root, folder: str) -> Collection[str] | None:
        """Return the names in a directory below a root, None where those cannot be told."""
        return self._names.within(root, folder)

    def names(self, root: Root, folder: str) -> tuple[Collection[str], Evidence] | None:
        """Return the names in a directory below a root, and what shows that those are all; None where nothing shows it.

        In a directory that is not there are none.
        """
        present = self._names.within(root, folder)
        if present is None or not self._by_stamp:
            return None
        if self._names.lack(root, folder):
            gone = evidence_of_absence(root, folder)
            return ((), gone) if gone is not None else None
        kept = self._readings.get(NamesKey("names", root, folder))
        if not isinstance(kept, Kept) or kept.evidence is None or kept.answer != present:
            return None
        return present, kept.evidence

    # -- what was asked, and whether it would be answered alike --------------------------------------

    def watch(self) -> list[Observation]:
        """Return a list to which every answer is added until the next call."""
        self._watched = []
        return self._watched

    def confirms(self, observations: Sequence[Observation]) -> bool:
        """Say whether each question would be answered as it was."""
        for key, answer in observations:
            if isinstance(key, DirectoryKey):
                if self._directory(key) is not answer:
                    return False
            elif not self._holds(key, answer) and self.answer(key) != answer:
                return False
        return True

    def answer(self, key: Key) -> Answer:
        """Return the answer to a question, without a note of it."""
        if isinstance(key, DirectoryKey):
            return self._directory(key)
        return self._tree(key) if isinstance(key, TreeKey) else self._file(key)

    def evidence(
        self, observations: Sequence[Observation], absent: Sequence[tuple[Root, str]] = ()
    ) -> Evidence | None:
        """Return what shows that all answers still hold, or None where they have to be asked for again.

        Args:
            observations: what was asked.
            absent: paths below a root at which nothing is.
        """
        return evidence_of(self._readings, observations, absent) if self._by_stamp else None

    # -- inside ------------------------------------------------------------------------------------

    def _seen(self, key: Key, answer: A) -> A:
        if self._watched is not None:
            self._watched.append(Observation(key, answer))
        return answer

    def _directory(self, key: DirectoryKey) -> Directory:
        if key.sub and self._names.lack(key.root, key.sub):
            return MISSING
        found = self._directories.get(key)
        if found is None:
            found = self._directories.setdefault(key, self._read_directory(key))
        return found

    def _read_directory(self, key: DirectoryKey) -> Directory:
        root = key.root
        kept = self._readings.get(key)
        reading = self._read_again(root, kept) if isinstance(kept, Reading) else None
        if reading is None:
            known = {file_of(entry).name: entry for entry in kept.entries} if isinstance(kept, Reading) else {}
            try:
                reading = read_whole(key, self._roots, self._max_bytes, known, by_stamp=self._by_stamp)
            except Refused as refused:
                return Directory((), (refused.at(shown(root.written)),), exists=True)
            if reading.directory == MISSING:
                return MISSING
            if isinstance(kept, Reading) and kept.directory == reading.directory:
                reading = reading._replace(directory=kept.directory)
        if reading is not kept:
            self._readings.put(key, reading)
        self._names.add(root, reading.names)
        return reading.directory

    def _read_again(self, root: Root, kept: Reading) -> Reading | None:
        if not self._roots.is_current(root, kept.real):
            return None
        if self._by_stamp:
            reading = read_again(kept, root, self._max_bytes)
        else:
            reading = kept if is_as_read(kept, root) else None
        if reading is not None and reading.places is not None:
            self._roots.pin(root, reading.real, reading.places)
        return reading

    def _tree(self, key: TreeKey) -> tuple[str, ...]:
        kept = self._readings.get(key)
        root = key.root
        if isinstance(kept, Kept) and isinstance(kept.answer, tuple) and self._still_holds(root, kept):
            return kept.answer
        at = now()
        around = places_around(root, key.start, key.skip)
        try:
            enclosure, top = self._roots.enclosure(root, key.trusted_links, key.skip)
            found = tree(enclosure, key.skip, key.depth, key.limit, top=top, start=key.start, hidden=key.hidden)
        except (FileNotFoundError, Refused):
            return ()
        evidence: Evidence | None = None
        if around is not None and found.certain and all(is_settled(one, at) for one in found.directories.values()):
            stamps = [(below(root.path, name), one) for name, one in found.directories.items() if name]
            roots = ((root.path, found.directories[""]),) if not key.start else around.roots
            evidence = Evidence(roots, around.places, tuple(stamps))
        self._readings.put(key, Kept(found.paths, evidence, enclosure.root))
        return found.paths

    def _file(self, key: FileKey) -> bytes | Diagnostic | None:
        root = key.root
        try:
            at = now()
            around = places_around(root, key.name, frozenset())
            enclosure, top = self._roots.enclosure(root, key.trusted_links, ())
            for _ in range(_TRIES):
                at_top, top = top, None
                with opening(enclosure, key.name, FILE, at_top) as file:
                    before = os.fstat(file.fd)
                    data = read_open(file.fd, before, key.max_bytes)
                    if stamp(os.fstat(file.fd)) != stamp(before):
                        continue
                    if around is not None and not file.linked and is_settled(stamp(before), at):
                        stamps = ((below(root.path, key.name), stamp(before)),)
                        self._readings.put(key, Kept(data, around._replace(stamps=stamps), enclosure.root))
                    return data
            return changed_meanwhile(_place(root, key.name), "error")
        except FileNotFoundError:
            return None
        except Refused as refused:
            return refused.at(_place(root, key.name))

    def _holds(self, key: Key, answer: Answer) -> bool:
        if answer is None and isinstance(key, FileKey):
            return self._names.lack(key.root, key.name)
        kept = self._readings.get(key)
        return isinstance(kept, Kept) and kept.answer == answer and self._still_holds(key.root, kept)

    def _still_holds(self, root: Root, kept: Kept) -> bool:
        return self._by_stamp and self._roots.still_holds(root, kept)


def _place(root: Root, name: str) -> str:
    return shown(below(root.written, name))
