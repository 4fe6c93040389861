"""Listing: which Markdown files a directory holds, in which state, and what else lies there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Final, NamedTuple

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import is_leftover, is_readme
from foreword.files._walk import (
    DIRECTORY,
    Enclosure,
    Opened,
    Refused,
    below,
    open_entry,
    opened,
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

Stamp = tuple[int, ...]
"""What changes whenever a file does: device, inode, size, mtime and ctime in nanoseconds."""


class Found(NamedTuple):
    """An entry to be read: its name, its path below the root, whether a link leads there, its mode or 0."""

    name: str
    path: str
    linked: bool
    mode: int


Take = Callable[[Opened, Found], None]
"""Called with an open directory and an entry of it."""


class Request(NamedTuple):
    """What to list: a directory below a root, and how far to go."""

    written: str
    sub: str
    known: frozenset[str]
    recursive: bool
    only: str | None
    depth: int
    skip: frozenset[str]


class Listing:
    """One pass over what was asked for: regular directories first, then those that links lead to."""

    def __init__(self, enclosure: Enclosure, request: Request, take: Take | None = None) -> None:
        self.exists = True
        self.state: dict[str, tuple[Stamp, ...]] = {}
        self.diagnostics: list[Diagnostic] = []
        self._enclosure = enclosure
        self._request = request
        self._take = take
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
            with opened(self._enclosure, parts_of(name), DIRECTORY) as directory:
                self._enter(directory, name, level, linked=linked)
        except FileNotFoundError:
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
            return
        self._entered[identity] = name
        try:
            # The descriptor is fresh and listed only here: listing one that is shared loses entries.
            with os.scandir(directory.fd) as listing:
                entries = sorted(listing, key=_by_name)
        except OSError as error:
            raise refusal(error) from None
        self._list(directory, name, entries, level, linked=linked)

    def _list(
        self, directory: Opened, name: str, entries: list[os.DirEntry[str]], level: int, *, linked: bool
    ) -> None:
        only = self._request.only
        for entry in entries:
            if only is not None and entry.name == only:
                self._markdown(directory, entry, below(name, only), linked=linked)
                return
        for entry in entries:
            path = below(name, entry.name)
            if path in self._request.skip:
                continue
            if entry.name.startswith("."):
                if entry.name.lower().endswith(_SWAP_FILES):
                    self._pass_over(path, *_LEFTOVER)
            elif only is None and entry.name.lower().endswith(".md"):
                passed = is_readme(entry.name) or is_leftover(entry.name)
                if not passed or (_is_directory(directory, entry) and not entry.is_symlink()):
                    self._markdown(directory, entry, path, linked=linked)
                else:
                    self._pass_over(path, *(_README if is_readme(entry.name) else _LEFTOVER))
            elif _is_directory(directory, entry):
                self._directory(directory, entry, path, level, linked=linked)
            else:
                self._pass_over(path, *(_LEFTOVER if is_leftover(entry.name) else _OTHER))

    def _markdown(self, directory: Opened, entry: os.DirEntry[str], path: str, *, linked: bool) -> None:
        mode = 0
        stamps: list[Stamp] = [()]
        try:
            status = os.stat(entry.name, dir_fd=directory.fd, follow_symlinks=False)
            mode, stamps = status.st_mode, [stamp(status)]
            if stat.S_ISLNK(mode):
                linked = True
                stamps.append(stamp(os.stat(entry.name, dir_fd=directory.fd)))
        except FileNotFoundError:
            if not mode:
                return
        except OSError:
            # Opening it says why.
            pass
        self.state[path] = tuple(stamps)
        if self._take is not None:
            self._take(directory, Found(entry.name, path, linked, mode))

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

    def _refuse(self, refused: Refused, name: str) -> None:
        self.diagnostics.append(refused.at(self._shown(name)))

    def _pass_over(self, name: str, reason: str, remedy: str) -> None:
        if self._request.only is None:
            self._say("FW008", "info", name, f"{reason} and is not read", remedy)

    def _say(self, code: str, severity: Severity, name: str, message: str, remedy: str) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, Place(self._shown(name)), remedy))

    def _shown(self, name: str) -> str:
        return shown(below(self._request.written, name) if name else self._request.written)


def stamp(status: os.stat_result) -> Stamp:
    """Return the stamp of a file from its status."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_directory(directory: Opened, entry: os.DirEntry[str]) -> bool:
    try:
        if not entry.is_symlink():
            return entry.is_dir(follow_symlinks=False)
        return stat.S_ISDIR(os.stat(entry.name, dir_fd=directory.fd).st_mode)
    except OSError:
        # It may be a directory; opening it says what is wrong.
        return True
