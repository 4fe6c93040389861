"""Opening what lies below a directory, without ever being led out of it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from typing import Final, NamedTuple

from foreword._diagnostics import Diagnostic, Place, Severity

if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
    raise ImportError("foreword needs a system on which files can be opened below a directory (POSIX)")

FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
DIRECTORY: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY

_NO_NAMES: Final = frozenset({"", ".", ".."})
# What opening a link with O_NOFOLLOW says: Linux and macOS, with O_DIRECTORY, the BSDs.
_PERHAPS_A_LINK: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})


class Refused(Exception):
    """Something is there but is not read; it carries all of a diagnostic but its place."""

    def __init__(
        self, code: str, message: str, remedy: str, *, severity: Severity = "error", line: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.severity: Severity = severity
        self.line = line

    def at(self, place: str) -> Diagnostic:
        """Return the diagnostic for the file or directory shown as ``place``."""
        return Diagnostic(self.code, self.severity, self.message, Place(place, self.line), self.remedy)


class Opened:
    """An open descriptor, the real path of what it stands for, and whether a link led there; it closes in the end."""

    __slots__ = ("fd", "linked", "real")

    def __init__(self, fd: int, real: str, linked: bool = False) -> None:
        self.fd = fd
        self.real = real
        self.linked = linked

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


class Enclosure(NamedTuple):
    """The real directories that a reading stays in: a root, and those that its links may also lead to.

    ``left_out`` are real paths inside them that no link may lead into.
    """

    root: str
    link_roots: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    trusted: bool = True

    def base_of(self, target: str) -> str | None:
        """Return the directory of the enclosure in which a real path lies."""
        for base in (self.root, *self.link_roots):
            if lies_in(target, base):
                return base
        return None

    def leaves_out(self, real: str) -> bool:
        """Say whether a real path is one of those left out, or below one."""
        return any(lies_in(real, left_out) for left_out in self.left_out)


def lies_in(path: str, base: str) -> bool:
    """Say whether a real path is another one or lies below it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def below(directory: str, name: str) -> str:
    """Return the path of an entry of a directory; the empty path is the root itself."""
    return f"{directory.rstrip('/')}/{name}" if directory else name


def paths_of(paths: Collection[str]) -> frozenset[str]:
    """Return paths as they are asked for: without slashes at either end, in no order."""
    return frozenset([path.strip("/") for path in paths])


def shown(path: str) -> str:
    r"""Return a path as text that can be encoded, whatever bytes its names hold.

    >>> shown("bad\udcff.md")
    'bad\\udcff.md'
    """
    return path if path.isascii() else path.encode("utf-8", "backslashreplace").decode("utf-8")


def parts_of(name: str) -> list[str]:
    """Split a path below a root into its components, and refuse one that could lead elsewhere."""
    if not name:
        return []
    parts = name.split("/")
    if not _NO_NAMES.isdisjoint(parts) or "\0" in name or not (name.isascii() or _encodable(name)):
        raise Refused("FW007", "the path does not stay below its directory", "give a plain relative path")
    return parts


def opening(enclosure: Enclosure, path: str, flags: int, top: int | None = None) -> Opened:
    """Open what lies below the root of an enclosure, component by component.

    Args:
        enclosure: where to stay.
        path: the path below the root; empty for the root itself.
        flags: how to open the last component.
        top: the root, where it is open already as a directory; it is closed, or becomes what is returned.

    Raises:
        FileNotFoundError: Nothing is there.
        Refused: Something is there that may not or cannot be opened.
    """
    real, linked = enclosure.root, False
    here = top
    try:
        parts = parts_of(path)
        if here is None:
            here = _open_root(real, DIRECTORY if parts else flags)
        left = len(parts)
        for part in parts:
            left -= 1
            how = DIRECTORY if left else flags
            try:
                found = os.open(part, how, dir_fd=here)
                real = f"{real}/{part}"
            except OSError:
                # It may be a link; else this says what is wrong.
                entry = open_entry(enclosure, Opened(here, real, linked), part, how)
                found, real, linked = entry.fd, entry.real, entry.linked
            os.close(here)
            here = found
    except BaseException:
        if here is not None:
            os.close(here)
        raise
    return Opened(here, real, linked)


def open_entry(enclosure: Enclosure, directory: Opened, name: str, flags: int) -> Opened:
    """Open one entry of an open directory, following it as a link only inside the enclosure.

    Raises:
        FileNotFoundError: Nothing is there.
        Refused: Something is there that may not or cannot be opened.
    """
    try:
        try:
            return Opened(os.open(name, flags, dir_fd=directory.fd), f"{directory.real}/{name}", directory.linked)
        except OSError as error:
            if error.errno not in _PERHAPS_A_LINK or not _is_link(directory.fd, name):
                raise
        return _follow(enclosure, below(directory.real, name), flags)
    except OSError as error:
        raise refusal(error) from None


def _follow(enclosure: Enclosure, link: str, flags: int) -> Opened:
    target = real_target(link)
    base = enclosure.base_of(target)
    if base is None:
        remedy = (
            "name its target in [files] link_roots, or put a copy in the link's place"
            if enclosure.trusted
            else "put a copy in the link's place; [files] link_roots is for operator layers and skills"
        )
        raise Refused("FW006", f"the link leads out of its root, to {shown(target)}", remedy)
    if enclosure.leaves_out(target):
        message = "the link leads to what is left out here, and is not read"
        raise Refused("FW008", message, "put a copy in the link's place", severity="info")
    return Opened(_open_plain(base, target, flags), target, linked=True)


def real_path(path: str) -> str:
    """Return what `os.path.realpath` returns for a path, at a fraction of the price where it is its own real path."""
    top = open_real(path)
    if top is None:
        return os.path.realpath(path)
    os.close(top)
    return path


def open_real(path: str) -> int | None:
    """Open a directory whose path is its own real path; return None where it is not, or cannot be told to be."""
    try:
        fd = os.open(path, DIRECTORY)
    except (OSError, ValueError):
        return None
    try:
        # What the system calls an open directory is its real path; it does not say so everywhere.
        if os.readlink(f"/proc/self/fd/{fd}") == path:
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


def real_target(link: str) -> str:
    """Return the real path that a link leads to, or refuse one that leads to nothing."""
    try:
        return os.path.realpath(link, strict=True)
    except FileNotFoundError:
        raise leads_to_nothing() from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _leads_in_a_circle() from None
        raise


def not_regular(mode: int) -> Refused:
    """Return the refusal of something that is no regular file."""
    kinds = {
        stat.S_IFDIR: "a directory", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    }  # fmt: skip
    kind = kinds.get(stat.S_IFMT(mode), "no regular file")
    return Refused("FW003", f"this is {kind}, not a file", "put a regular file in its place, or rename it")


def refusal(error: OSError) -> Refused | FileNotFoundError:
    """Return what to raise for what the system said; a file that is not there stays what it is."""
    if isinstance(error, FileNotFoundError):
        return error
    if isinstance(error, NotADirectoryError):
        message = "what should be a directory is a file"
        return Refused("FW003", message, "put a directory in its place, or correct the path")
    if isinstance(error, PermissionError):
        remedy = "give the user that runs foreword the right to read it"
        return Refused("FW002", "it may not be read: permission denied", remedy)
    if error.errno in {errno.ENXIO, errno.EOPNOTSUPP}:
        return not_regular(stat.S_IFSOCK)
    reason = os.strerror(error.errno) if error.errno is not None else str(error)
    return Refused("FW002", f"it cannot be read: {reason}", "repair or remove it")


def _open_root(real: str, flags: int) -> int:
    try:
        return os.open(real, flags)
    except OSError as error:
        raise _leads_in_a_circle() if os.path.islink(real) else refusal(error) from None


def _open_plain(base: str, target: str, flags: int) -> int:
    parts = target[len(base) :].strip("/").split("/") if target != base else []
    fd = os.open(base, DIRECTORY if parts else flags)
    for position, part in enumerate(parts, 1):
        try:
            below = os.open(part, flags if position == len(parts) else DIRECTORY, dir_fd=fd)
        finally:
            os.close(fd)
        fd = below
    return fd


def _encodable(name: str) -> bool:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def _is_link(directory: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def leads_to_nothing() -> Refused:
    """Return the refusal of a dangling link."""
    return Refused("FW002", "the link leads to nothing", "remove the link or point it elsewhere")


def _leads_in_a_circle() -> Refused:
    return Refused("FW002", "the links lead in a circle", "remove the link or point it elsewhere")
