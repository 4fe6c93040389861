"""Listing: which Markdown files a directory holds, in which state, and what else lies there."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import MOST_NAMES, is_leftover, is_readme
from foreword.files._stamps import Stamp, State, stamp
from foreword.files._walk import (
    DIRECTORY,
    Enclosure,
    Opened,
    Opening,
    Refused,
    below,
    open_entry,
    parts_of,
    refusal,
    shown,
)

MAX_DIRECTORIES: Final = 2000
"""The most directories that one listing walks through."""

_SWAP_FILES: Final = (".swp", ".swo")
_README: Final = ("it explains its directory to people", "rename it to have it read")
_LEFTOVER: Final = ("it is what a program left behind", "remove it, or rename it to have it read")
_OTHER: Final = ("it is no Markdown file", "let its name end in .md to have it read")
_SUB_DIRECTORY: Final = ("it is a sub-directory", "move what should be read out of it")


class Take(Protocol):
    """Takes the entries that a listing comes by."""

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> State | None:
        """Take an entry of an open directory; return its state, or None where nothing is any more.

        Args:
            directory: the directory.
            name: the name of the entry.
            path: its path below the root.
            linked: whether a link leads there.
            regular: whether the listing of the directory itself says that it is a regular file.
        """
        ...

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> Mapping[str, State]:
        """Take entries that are regular files to which no link leads; return the state of each, by path.

        Args:
            directory: the directory.
            before: what their paths begin with: that of the directory, with a slash.
            names: their names.
        """
        ...


class Request(NamedTuple):
    """What to list: a directory below a root, and how far to go."""

    written: str
    sub: str
    known: frozenset[str]
    recursive: bool
    only: str | None
    depth: int
    skip: frozenset[str]


class _Kind(Enum):
    MARKDOWN = 1
    README = 2
    LEFTOVER = 3
    HIDDEN = 4
    SWAP_FILE = 5
    OTHER = 6


@lru_cache(MOST_NAMES)
def _kind(name: str) -> _Kind:
    """Return what a name says of its entry; a large prompts directory has few thousands of names."""
    if name.startswith("."):
        return _Kind.SWAP_FILE if name.lower().endswith(_SWAP_FILES) else _Kind.HIDDEN
    markdown = name.lower().endswith(".md")
    if is_leftover(name):
        return _Kind.LEFTOVER if markdown else _Kind.OTHER
    if not markdown:
        return _Kind.OTHER
    return _Kind.README if is_readme(name) else _Kind.MARKDOWN


class Listing:
    """One pass over what was asked for: regular directories first, then those that links lead to.

    Attributes:
        exists: whether the directory is there.
        state: the state of every Markdown file, by its path below the root.
        directories: the stamp of every directory that was listed, before that.
        names: what each of them holds, and whether that is a directory.
        certain: whether stamps alone tell if a later pass would find the same: no link was met, and nothing refused.
    """

    def __init__(self, enclosure: Enclosure, request: Request, take: Take | None = None) -> None:
        self.exists = True
        self.certain = True
        self.state: dict[str, State] = {}
        self.directories: dict[str, Stamp] = {}
        self.names: dict[str, dict[str, bool]] = {}
        self.diagnostics: list[Diagnostic] = []
        self._enclosure = enclosure
        self._request = request
        self._take = take or _Look()
        self._entered: dict[tuple[int, int], str] = {}
        self._links: list[str] = []
        self._full = False
        self._walk()

    def changed_in(self, later: Listing) -> list[str]:
        """Return the paths of the Markdown files that a later listing finds otherwise, or not, or new."""
        names = self.state.keys() | later.state.keys()
        return sorted(name for name in names if self.state.get(name) != later.state.get(name))

    def _walk(self) -> None:
        sub = self._request.sub
        self._open(sub, 0, linked=False)
        start = len(sub.split("/")) if sub else 0
        while self._links:
            name = self._links.pop(0)
            self._open(name, len(name.split("/")) - start, linked=True)

    def _open(self, name: str, level: int, *, linked: bool) -> None:
        try:
            with Opening(self._enclosure, parts_of(name), DIRECTORY) as directory:
                self._enter(directory, name, level, linked=linked)
        except FileNotFoundError:
            self.certain = False
            self.exists = level > 0
        except Refused as refused:
            self._refuse(refused, name)

    def _enter(self, directory: Opened, name: str, level: int, *, linked: bool) -> None:
        if level and self._enclosure.leaves_out(directory.real):
            return
        status = os.fstat(directory.fd)
        identity = (status.st_dev, status.st_ino)
        if identity in self._entered:
            first = self._shown(self._entered[identity])
            message = f"it is the same directory as {first}, which is read already"
            self._say("FW019", "info", name, message, "remove the link")
            return
        if len(self._entered) == MAX_DIRECTORIES:
            if not self._full:
                message = f"more than {MAX_DIRECTORIES} directories: this one and those after it are not read"
                self._say("FW008", "warning", name, message, "keep what should be read by itself")
            self._full = True
            self.certain = False
            return
        self._entered[identity] = name
        self.directories[name] = stamp(status)
        self.certain = self.certain and not linked and not directory.linked
        try:
            # The descriptor is fresh and listed only here: listing one that is shared loses entries.
            with os.scandir(directory.fd) as listing:
                entries = {entry.name: entry for entry in listing}
        except OSError as error:
            raise refusal(error) from None
        self._list(directory, name, entries, level, linked=linked)

    def _list(
        self, directory: Opened, name: str, entries: dict[str, os.DirEntry[str]], level: int, *, linked: bool
    ) -> None:
        request = self._request
        only, skip = request.only, request.skip
        names = self.names[name] = dict.fromkeys(sorted(entries), False)
        regular: set[str] = set()
        for entry in entries.values():
            if entry.is_file(follow_symlinks=False):
                regular.add(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                names[entry.name] = True
        if only is not None and only in names:
            self._markdown(directory, entries[only], below(name, only), linked=linked)
            return
        before = f"{name.rstrip('/')}/" if name else ""
        plain: list[str] = []
        for called in names:
            if skip and before + called in skip:
                continue
            kind = _kind(called)
            if kind is _MARKDOWN and only is None:
                if not linked and called in regular:
                    plain.append(called)
                else:
                    self._markdown(directory, entries[called], before + called, linked=linked)
            elif kind is not _Kind.HIDDEN:
                self._other(directory, entries[called], before + called, level, kind, linked=linked)
        if plain:
            self.state.update(self._take.plain(directory, before, plain))

    def _other(
        self, directory: Opened, entry: os.DirEntry[str], path: str, level: int, kind: _Kind, *, linked: bool
    ) -> None:
        if kind is _Kind.SWAP_FILE:
            self._pass_over(path, *_LEFTOVER)
        elif self._request.only is None and kind in (_Kind.README, _Kind.LEFTOVER):
            if self._is_directory(directory, entry) and not entry.is_symlink():
                self._markdown(directory, entry, path, linked=linked)
            else:
                self._pass_over(path, *(_README if kind is _Kind.README else _LEFTOVER))
        elif self._is_directory(directory, entry):
            self._directory(directory, entry, path, level, linked=linked)
        else:
            self._pass_over(path, *(_LEFTOVER if is_leftover(entry.name) else _OTHER))

    def _markdown(self, directory: Opened, entry: os.DirEntry[str], path: str, *, linked: bool) -> None:
        if entry.is_symlink():
            linked = True
            self.certain = False
        found = self._take.one(directory, entry.name, path, linked, entry.is_file(follow_symlinks=False))
        if found is not None:
            self.state[path] = found

    def _directory(
        self, directory: Opened, entry: os.DirEntry[str], path: str, level: int, *, linked: bool
    ) -> None:
        request = self._request
        if not request.recursive and request.only is None:
            if entry.name not in request.known:
                self._pass_over(path, *_SUB_DIRECTORY)
        elif level >= request.depth:
            reason = f"it lies more than {request.depth} directories deep"
            self._pass_over(path, reason, "move it nearer to the top")
        elif entry.is_symlink():
            self._links.append(path)
        else:
            try:
                child = open_entry(self._enclosure, directory, entry.name, DIRECTORY)
            except FileNotFoundError:
                self.certain = False
                return
            except Refused as refused:
                self._refuse(refused, path)
                return
            try:
                self._enter(child, path, level + 1, linked=linked)
            except Refused as refused:
                self._refuse(refused, path)
            finally:
                os.close(child.fd)

    def _is_directory(self, directory: Opened, entry: os.DirEntry[str]) -> bool:
        try:
            if not entry.is_symlink():
                return entry.is_dir(follow_symlinks=False)
            self.certain = False
            return stat.S_ISDIR(os.stat(entry.name, dir_fd=directory.fd).st_mode)
        except OSError:
            # It may be a directory; opening it says what is wrong.
            return True

    def _refuse(self, refused: Refused, name: str) -> None:
        self.certain = False
        self.diagnostics.append(refused.at(self._shown(name)))

    def _pass_over(self, name: str, reason: str, remedy: str) -> None:
        if self._request.only is None:
            self._say("FW008", "info", name, f"{reason} and is not read", remedy)

    def _say(self, code: str, severity: Severity, name: str, message: str, remedy: str) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, Place(self._shown(name)), remedy))

    def _shown(self, name: str) -> str:
        return shown(below(self._request.written, name) if name else self._request.written)


def state_of(directory: Opened, name: str) -> State | None:
    """Return the state of an entry of an open directory, or None where nothing is."""
    found: State = ()
    try:
        status = os.stat(name, dir_fd=directory.fd, follow_symlinks=False)
        found = own = stamp(status)
        if stat.S_ISLNK(status.st_mode):
            found = (own, stamp(os.stat(name, dir_fd=directory.fd)))
    except FileNotFoundError:
        return found or None
    except OSError:
        # Opening it says why.
        pass
    return found


class _Look:
    """Takes nothing of an entry but its state."""

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> State | None:
        return state_of(directory, name)

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> Mapping[str, State]:
        found = {before + name: state_of(directory, name) for name in names}
        return {path: state for path, state in found.items() if state is not None}


_MARKDOWN: Final = _Kind.MARKDOWN
