"""What the store asks of the operating system: each call by itself, so that a test can make any of them fail."""

from __future__ import annotations

import fcntl
import os
from typing import Final


class System:
    """The calls of the operating system; names are entries of the directory that is open as ``directory``."""

    def open(self, name: str, flags: int, mode: int = 0o777, *, directory: int | None = None) -> int:
        return os.open(name, flags, mode, dir_fd=directory)

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, fd: int, size: int) -> bytes:
        return os.read(fd, size)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def truncate(self, fd: int, length: int) -> None:
        os.ftruncate(fd, length)

    def fsync(self, fd: int) -> None:
        os.fsync(fd)

    def fstat(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def lstat(self, name: str, *, directory: int) -> os.stat_result:
        return os.stat(name, dir_fd=directory, follow_symlinks=False)

    def fchmod(self, fd: int, mode: int) -> None:
        os.fchmod(fd, mode)

    def replace(self, old: str, new: str, *, directory: int) -> None:
        os.replace(old, new, src_dir_fd=directory, dst_dir_fd=directory)

    def rename(self, old: str, new: str, *, old_directory: int, new_directory: int) -> None:
        os.rename(old, new, src_dir_fd=old_directory, dst_dir_fd=new_directory)

    def unlink(self, name: str, *, directory: int) -> None:
        os.unlink(name, dir_fd=directory)

    def mkdir(self, name: str, mode: int, *, directory: int) -> None:
        os.mkdir(name, mode, dir_fd=directory)

    def rmdir(self, name: str, *, directory: int) -> None:
        os.rmdir(name, dir_fd=directory)

    def listdir(self, fd: int) -> list[str]:
        return os.listdir(fd)

    def flock(self, fd: int, operation: int) -> None:
        fcntl.flock(fd, operation)


SYSTEM: Final = System()
