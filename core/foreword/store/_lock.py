"""The lock of a store: one writer at a time, across threads and processes.

It is ``flock`` on a file opened through the store, and not a package, because that file too must never be reached
through a link, and has to name its holder.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from foreword.store._store import Store, StoreError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_PAUSE: Final = 0.01


class LockTimeout(StoreError):
    """Another process, or another thread, held the lock all the time; the message names the process."""


class Lock:
    """A lock that is held inside ``with`` and that the kernel frees when its holder dies.

    Each object is for one thread at a time; two objects of one process exclude each other like two processes.

    Args:
        store: The store that is locked.
        name: The lock file in it; it stays there for ever.
        timeout: How many seconds to wait for another holder.
    """

    def __init__(self, store: Store, name: str = ".foreword/lock", timeout: float = 10.0) -> None:
        self._parent, self._entry = store.split(name)
        self._store = store
        self._name = name
        self._timeout = timeout
        self._fd = -1

    def __enter__(self) -> Self:
        until = time.monotonic() + self._timeout
        while True:
            with self._store.reported(self._name, "locked"):
                fd = self._attempt()
            if fd is not None:
                self._fd = fd
                return self
            if time.monotonic() >= until:
                reason = f"{self._holder()} holds this lock; gave up after {self._timeout:g} seconds"
                raise LockTimeout(self._store.path(self._name), reason)
            time.sleep(_PAUSE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Not by closing alone: a process forked meanwhile would go on holding it.
        with suppress(OSError):
            self._store.system.flock(self._fd, fcntl.LOCK_UN)
        self._store.close(self._fd)
        self._fd = -1

    def _attempt(self) -> int | None:
        """Return the descriptor that holds the lock, or None when somebody else does."""
        system = self._store.system
        with self._store.directory(self._parent, create=True) as directory:
            self._store.regular(directory, self._name, self._entry)
            fd = system.open(self._entry, _OPEN, 0o644, directory=directory)
            try:
                self._store.must_be(stat.S_IFREG, system.fstat(fd), self._name)
                system.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._sign(fd)
                return fd
            except BlockingIOError:
                pass
            except BaseException:
                self._store.close(fd)
                raise
            self._store.close(fd)
            return None

    def _sign(self, fd: int) -> None:
        # A full disk is no reason to do without the lock: the number is only there to be told.
        with suppress(OSError):
            self._store.system.truncate(fd, 0)
            self._store.system.write(fd, f"{os.getpid()}\n".encode())

    def _holder(self) -> str:
        with suppress(StoreError):
            number = (self._store.read(self._name, max_bytes=32) or b"").strip()
            if number.isdigit():
                return f"process {number.decode()}"
        return "another process"
