"""The store: durable writes inside one directory, without ever being led out of it."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from typing import Final

from foreword.files._walk import DIRECTORY, FILE
from foreword.store._descent import Descent
from foreword.store._errors import DurabilityError, StoreError

__all__ = ["DurabilityError", "Store", "StoreError", "staging_name"]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_TEMPORARY: Final = re.compile(r"\..*\.tmp-[0-9]+-[0-9a-f]{16}", re.DOTALL)
_STAGING: Final = ".staging-"
_LEFT_BEHIND: Final = 3600.0
_DEEPEST: Final = 32


class Store(Descent):
    """A directory whose files are replaced whole: whoever reads one sees the old bytes or the new ones.

    Names are paths below the root, which may be a link; nothing below it may be.
    """

    def read(self, name: str, *, max_bytes: int | None = None) -> bytes | None:
        """Return the bytes of a file, or None when it is not there.

        Raises:
            StoreError: Something else is there, it cannot be read, or it has more than ``max_bytes`` bytes.
        """
        parent, entry = self.split(name)
        with self.reported(name, "read"):
            try:
                with self.directory(parent) as directory:
                    self.regular(directory, name, entry)
                    fd = self.system.open(entry, FILE, directory=directory)
            except FileNotFoundError:
                return None
            try:
                self.must_be(stat.S_IFREG, self.system.fstat(fd), name)
                return self._all_of(fd, name, max_bytes)
            finally:
                self.close(fd)

    def write(self, name: str, data: bytes) -> None:
        """Put a file in place of what stands there, and make the directories that lead to it.

        A file that is there keeps its permissions.

        Raises:
            DurabilityError: The new file is in place, but may not survive a power failure.
            StoreError: It could not be written; the old file is as it was.
        """
        parent, entry = self.split(name)
        with self.reported(name, "written"), self.directory(parent, create=True) as directory:
            old = self.regular(directory, name, entry)
            mode = None if old is None else old.st_mode & 0o777
            temporary = f"{_start_of(entry)}.tmp-{os.getpid()}-{secrets.token_hex(8)}"
            fd = self.system.open(temporary, _NEW, 0o644 if mode is None else 0o600, directory=directory)
            try:
                self._fill(fd, data, mode)
                self.system.replace(temporary, entry, directory=directory)
            except BaseException:
                with suppress(OSError):
                    self.system.unlink(temporary, directory=directory)
                raise
            self._confirm(name, directory)

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself; it is no error when nothing is there.

        Raises:
            DurabilityError: It is gone, but might be back after a power failure.
            StoreError: It is a directory or cannot be removed.
        """
        parent, entry = self.split(name)
        with self.reported(name, "removed"):
            try:
                with self.directory(parent) as directory:
                    if stat.S_ISDIR(self.system.lstat(entry, directory=directory).st_mode):
                        raise StoreError(self.path(name), "this is a directory, not a file")
                    self.system.unlink(entry, directory=directory)
                    self._confirm(name, directory)
            except FileNotFoundError:
                return

    def rename_into_place(self, staged: str, final: str) -> None:
        """Give a directory that is complete its final name, in one step.

        Raises:
            DurabilityError: It is in place, but may not survive a power failure.
            StoreError: It could not be renamed, or something other than an empty directory is there already.
        """
        staged_parent, staged_entry = self.split(staged)
        final_parent, final_entry = self.split(final)
        with (
            self.reported(final, "put in place"),
            self.directory(staged_parent) as old,
            self.directory(final_parent, create=True) as new,
        ):
            self.must_be(stat.S_IFDIR, self.system.lstat(staged_entry, directory=old), staged)
            try:
                self.system.rename(staged_entry, final_entry, old_directory=old, new_directory=new)
            except OSError as error:
                if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                    raise StoreError(self.path(final), "it is there already and not empty") from error
                if error.errno == errno.ENOTDIR:
                    self.must_be(stat.S_IFDIR, self.system.lstat(final_entry, directory=new), final)
                raise
            self._confirm(final, new, old)

    def names(self, sub: str = "") -> list[str]:
        """Return the names of all entries of a directory, sorted; none when it is not there."""
        with self.reported(sub, "listed"):
            try:
                with self.directory(sub) as directory:
                    return sorted(self.system.listdir(directory))
            except FileNotFoundError:
                return []

    def make_directory(self, name: str = "") -> None:
        """Make a directory, and those that lead to it, unless it is there."""
        with self.reported(name, "made"), self.directory(name, create=True):
            pass

    def sweep(self, sub: str = "") -> None:
        """Remove what interrupted writers left in a directory more than an hour ago; call it under the lock.

        What cannot be removed stays.
        """
        newest = time.time() - _LEFT_BEHIND
        with self.reported(sub, "swept"), suppress(FileNotFoundError), self.directory(sub) as directory:
            for entry in self.system.listdir(directory):
                if not entry.startswith("."):
                    continue
                with suppress(OSError):
                    status = self.system.lstat(entry, directory=directory)
                    if status.st_mtime > newest:
                        continue
                    if stat.S_ISDIR(status.st_mode) and entry.startswith(_STAGING):
                        self._remove_tree(directory, entry, _DEEPEST)
                    elif stat.S_ISREG(status.st_mode) and _TEMPORARY.fullmatch(entry):
                        self.system.unlink(entry, directory=directory)

    def _fill(self, fd: int, data: bytes, mode: int | None) -> None:
        try:
            if mode is not None:
                self.system.fchmod(fd, mode)
            rest = memoryview(data)
            while rest:
                written = self.system.write(fd, rest)
                if not written:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                rest = rest[written:]
            self.system.fsync(fd)
        except BaseException:
            self.close(fd)
            raise
        # Some file systems say only here that there was no room.
        self.system.close(fd)

    def _all_of(self, fd: int, name: str, max_bytes: int | None) -> bytes:
        chunks: list[bytes] = []
        total = 0
        while chunk := self.system.read(fd, 65536):
            chunks.append(chunk)
            total += len(chunk)
            if max_bytes is not None and total > max_bytes:
                raise StoreError(self.path(name), f"the file is larger than {max_bytes} bytes")
        return b"".join(chunks)

    def _confirm(self, name: str, *directories: int) -> None:
        try:
            for directory in directories:
                self.sync_directory(directory)
        except OSError as error:
            reason = f"the change is committed, but its durability is not confirmed: {os.strerror(error.errno or 0)}"
            raise DurabilityError(self.path(name), reason) from error

    def _remove_tree(self, directory: int, name: str, depth: int) -> None:
        fd = self.system.open(name, DIRECTORY, directory=directory)
        try:
            for entry in self.system.listdir(fd):
                if not stat.S_ISDIR(self.system.lstat(entry, directory=fd).st_mode):
                    self.system.unlink(entry, directory=fd)
                elif depth:
                    self._remove_tree(fd, entry, depth - 1)
        finally:
            self.close(fd)
        self.system.rmdir(name, directory=directory)


def staging_name() -> str:
    """Return a name for a directory that is made complete before it gets its own; a sweep knows such names."""
    return f"{_STAGING}{os.getpid()}-{secrets.token_hex(8)}"


def _start_of(entry: str) -> str:
    """Return the start of a temporary name, short enough for any file system whatever the name."""
    return "." + os.fsencode(entry)[:200].decode("utf-8", "ignore")
