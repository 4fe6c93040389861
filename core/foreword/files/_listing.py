"""Listing: which Markdown files a directory holds, in which state, and what else lies there."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from operator import attrgetter
from typing import Final, Protocol

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import is_leftover
from foreword.files._kinds import Kind, kind_of
from foreword.files._questions import DirectoryKey
from foreword.files._stamps import Stamp, State, stamp
from foreword.files._walk import (
    DIRECTORY,
    Enclosure,
    Opened,
    Refused,
    below,
    open_entry,
    opening,
    parts_of,
    refusal,
    shown,
)

MAX_DIRECTORIES: Final = 2000
"""The most directories that one listing walks through."""

_README: Final = ("it explains its directory to people", "rename it to have it read")
_LEFTOVER: Final = ("it is what a program left behind", "remove it, or rename it to have it read")
_OTHER: Final = ("it is no Markdown file", "let its name end in .md to have it read")
_SUB_DIRECTORY: Final = ("it is a sub-directory", "move what should be read out of it")


class Take(Protocol):
    """Takes the entries that a listing comes by."""

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> None:
        """Take an entry of an open directory, if it is still there.

        Args:
            directory: the directory.
            name: the name of the entry.
            path: its path below the root.
            linked: whether a link leads there.
            regular: whether the listing of the directory itself says that it is a regular file.
        """
        ...

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> None:
        """Take entries that are regular files to which no link leads, those that are still there.

        Args:
            directory: the directory.
            before: what their paths begin with: that of the directory, with a slash.
            names: their names.
        """
        ...

    def states(self) -> dict[str, State]:
        """Return the state of each entry that was taken, by its path below the root."""
        ...


class Listing:
    """One pass over what was asked for: regular directories first, then those that links lead to.

    Attributes:
        exists: whether the directory is there.
        directories: the stamp of every directory that was listed, before that.
        names: what each of them holds, and whether that is a directory.
        certain: whether stamps alone tell if a later pass would find the same: no link was met, and nothing refused.
    """

    __slots__ = (
        "_asked", "_enclosure", "_entered", "_full", "_links", "_take", "certain", "diagnostics", "directories",
        "exists", "names",
    )  # fmt: skip

    def __init__(
        self, enclosure: Enclosure, asked: DirectoryKey, take: Take | None = None, top: int | None = None
    ) -> None:
        self.exists = True
        self.certain = True
        self.directories: dict[str, Stamp] = {}
        self.names: dict[str, dict[str, bool]] = {}
        self.diagnostics: list[Diagnostic] = []
        self._enclosure = enclosure
        self._asked = asked
        self._take = take or _Look()
        self._entered: dict[tuple[int, int], str] = {}
        self._links: list[str] = []
        self._full = False
        sub = asked.sub
        self._open(sub, 0, top, linked=False)
        while self._links:
            name = self._links.pop(0)
            self._open(name, len(parts_of(name)) - len(parts_of(sub)), None, linked=True)

    def changed_in(self, later: Listing) -> list[str]:
        """Return the paths of the Markdown files that a later listing finds otherwise, or not, or new."""
        before, after = self._take.states(), later._take.states()
        return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))

    def _open(self, name: str, level: int, top: int | None, *, linked: bool) -> None:
        try:
            directory = opening(self._enclosure, name, DIRECTORY, top)
            try:
                self._enter(directory, name, level, linked=linked)
            finally:
                os.close(directory.fd)
        except FileNotFoundError:
            self.certain = False
            self.exists = level > 0
        except Refused as refused:
            self._refuse(refused, name)

    def _enter(self, directory: Opened, name: str, level: int, *, linked: bool) -> None:
        if level and self._enclosure.leaves_out(directory.real):
            return
        found = stamp(os.fstat(directory.fd))
        identity = found[:2]
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
        self.directories[name] = found
        if linked or directory.linked:
            self.certain = False
        try:
            # The descriptor is fresh and listed only here: listing one that is shared loses entries.
            with os.scandir(directory.fd) as listing:
                entries = sorted(listing, key=_called)
        except OSError as error:
            raise refusal(error) from None
        self._list(directory, name, entries, level, linked=linked)

    def _list(
        self, directory: Opened, name: str, entries: list[os.DirEntry[str]], level: int, *, linked: bool
    ) -> None:
        asked = self._asked
        only, skip = asked.only, asked.skip
        before = f"{name.rstrip('/')}/" if name else ""
        names: dict[str, bool] = {}
        self.names[name] = names
        plain: list[str] = []
        others: list[tuple[os.DirEntry[str], Kind]] = []
        for entry in entries:
            called = entry.name
            kind = kind_of(called)
            if entry.is_file(follow_symlinks=False):
                names[called] = False
                if kind is _MARKDOWN and not linked and only is None and not (skip and before + called in skip):
                    plain.append(called)
                    continue
            else:
                names[called] = entry.is_dir(follow_symlinks=False)
            if kind is not _HIDDEN or called == only:
                others.append((entry, kind))
        if only is not None and only in names:
            others = [one for one in others if one[0].name == only]
        for entry, kind in others:
            path = before + entry.name
            if entry.name == only:
                self._markdown(directory, entry, path, linked=linked)
            elif skip and path in skip:
                continue
            elif kind is _MARKDOWN and only is None:
                self._markdown(directory, entry, path, linked=linked)
            else:
                self._other(directory, entry, path, level, kind, linked=linked)
        if plain:
            self._take.plain(directory, before, plain)

    def _other(
        self, directory: Opened, entry: os.DirEntry[str], path: str, level: int, kind: Kind, *, linked: bool
    ) -> None:
        if kind is Kind.SWAP_FILE:
            self._pass_over(path, *_LEFTOVER)
        elif self._asked.only is None and kind in (Kind.README, Kind.LEFTOVER):
            if self._is_directory(directory, entry) and not entry.is_symlink():
                self._markdown(directory, entry, path, linked=linked)
            else:
                self._pass_over(path, *(_README if kind is Kind.README else _LEFTOVER))
        elif self._is_directory(directory, entry):
            self._directory(directory, entry, path, level, linked=linked)
        else:
            self._pass_over(path, *(_LEFTOVER if is_leftover(entry.name) else _OTHER))

    def _markdown(self, directory: Opened, entry: os.DirEntry[str], path: str, *, linked: bool) -> None:
        if entry.is_symlink():
            linked = True
            self.certain = False
        self._take.one(directory, entry.name, path, linked, entry.is_file(follow_symlinks=False))

    def _directory(
        self, directory: Opened, entry: os.DirEntry[str], path: str, level: int, *, linked: bool
    ) -> None:
        asked = self._asked
        if not asked.recursive and asked.only is None:
            if entry.name not in asked.known:
                self._pass_over(path, *_SUB_DIRECTORY)
        elif level >= asked.depth:
            reason = f"it lies more than {asked.depth} directories deep"
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
        if self._asked.only is None:
            self._say("FW008", "info", name, f"{reason} and is not read", remedy)

    def _say(self, code: str, severity: Severity, name: str, message: str, remedy: str) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, Place(self._shown(name)), remedy))

    def _shown(self, name: str) -> str:
        return shown(below(self._asked.root.written, name) if name else self._asked.root.written)


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

    def __init__(self) -> None:
        self._states: dict[str, State] = {}

    def one(self, directory: Opened, name: str, path: str, linked: bool, regular: bool) -> None:
        if (found := state_of(directory, name)) is not None:
            self._states[path] = found

    def plain(self, directory: Opened, before: str, names: Sequence[str]) -> None:
        for name in names:
            self.one(directory, name, before + name, False, True)

    def states(self) -> dict[str, State]:
        return self._states


_MARKDOWN: Final = Kind.MARKDOWN
_HIDDEN: Final = Kind.HIDDEN
_called = attrgetter("name")
