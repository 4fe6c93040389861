"""Opening and making directories below a root, with no link on the way."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from foreword.files._walk import DIRECTORY, Refused, below, parts_of
from foreword.store._errors import StoreError
from foreword.store._system import SYSTEM, System

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_ROOT: Final = DIRECTORY & ~os.O_NOFOLLOW
_NO_DIRECTORY: Final = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})
_KINDS: Final = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


class Descent:
    """The way down into a directory tree, by descriptors, so that no exchange of a directory for a link leads out.

    Names are paths below the root. The root may be a link; nothing below it may be. Nothing is opened before the
    first call.

    Args:
        root: The path of the directory; it is made when something is written.
        system: The calls of the operating system.
    """

    def __init__(self, root: str, system: System = SYSTEM) -> None:
        self.root = os.path.abspath(root)
        self.system = system

    def path(self, name: str) -> str:
        """Return the path of a name, to be shown."""
        return below(self.root, name) if name else self.root

    @contextmanager
    def reported(self, name: str, done: str) -> Generator[None, None, None]:
        """Turn what the system says into a StoreError: ``name`` could not be ``done``."""
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno is not None else str(error)
            raise StoreError(self.path(name), f"it cannot be {done}: {reason}") from error

    @contextmanager
    def directory(self, name: str, *, create: bool = False) -> Generator[int, None, None]:
        """Open a directory below the root, component by component, and close it in the end.

        Raises:
            OSError: It is not there, or cannot be opened or made.
            StoreError: Something on the way is not a directory.
        """
        parts = self._parts(name)
        fd = self._open_root(self.root, create)
        try:
            for position, part in enumerate(parts, 1):
                try:
                    entered = self._open_directory(fd, part, create)
                except OSError as error:
                    if error.errno in _NO_DIRECTORY:
                        status = self.system.lstat(part, directory=fd)
                        self.must_be(stat.S_IFDIR, status, "/".join(parts[:position]))
                    raise
                self.close(fd)
                fd = entered
            yield fd
        finally:
            self.close(fd)

    def split(self, name: str) -> tuple[str, str]:
        parts = self._parts(name)
        if not parts:
            raise StoreError(self.root, "this is the store itself, not something in it")
        return "/".join(parts[:-1]), parts[-1]

    def regular(self, directory: int, name: str, entry: str) -> os.stat_result | None:
        """Return the status of a file, or None when nothing is there; refuse everything else."""
        try:
            status = self.system.lstat(entry, directory=directory)
        except FileNotFoundError:
            return None
        self.must_be(stat.S_IFREG, status, name)
        return status

    def must_be(self, kind: int, status: os.stat_result, name: str) -> None:
        found = stat.S_IFMT(status.st_mode)
        if found != kind:
            raise StoreError(self.path(name), f"this is {_KINDS.get(found, 'a device')}, not {_KINDS[kind]}")

    def close(self, fd: int) -> None:
        with suppress(OSError):
            self.system.close(fd)

    def sync_directory(self, directory: int) -> None:
        try:
            self.system.fsync(directory)
        except OSError as error:
            # Some network file systems cannot do this to a directory at all.
            if error.errno != errno.EINVAL:
                raise

    def _open_root(self, path: str, create: bool) -> int:
        try:
            return self.system.open(path, _ROOT)
        except FileNotFoundError:
            parent, part = os.path.split(path)
            if not create or not part:
                raise
        directory = self._open_root(parent, create)
        try:
            self._make(directory, part)
            return self.system.open(part, _ROOT, directory=directory)
        finally:
            self.close(directory)

    def _open_directory(self, directory: int, part: str, create: bool) -> int:
        try:
            return self.system.open(part, DIRECTORY, directory=directory)
        except FileNotFoundError:
            if not create:
                raise
        self._make(directory, part)
        return self.system.open(part, DIRECTORY, directory=directory)

    def _make(self, directory: int, part: str) -> None:
        try:
            self.system.mkdir(part, 0o755, directory=directory)
        except FileExistsError:
            return
        try:
            self.sync_directory(directory)
        except BaseException:
            # The next try has to find it missing, or nobody would ever confirm it.
            with suppress(OSError):
                self.system.rmdir(part, directory=directory)
            raise

    def _parts(self, name: str) -> Sequence[str]:
        try:
            return parts_of(name)
        except Refused as refused:
            raise StoreError(self.path(name), refused.message) from None
