"""Stamps: what changes whenever a file does, and when that can be relied on."""

from __future__ import annotations

import os
import stat
import time
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Stamp = tuple[int, int, int, int, int]
"""Device, inode, size, and the times of the last change to the content and to the file, in nanoseconds."""

State = Stamp | tuple[Stamp, Stamp] | tuple[()]
"""The stamp of an entry, with that of what it leads to where it is a link; nothing where neither can be had."""

Identity = tuple[int, int, int]
"""Device, inode and mode: what says that a name still leads to the same directory."""

stamp: Callable[[os.stat_result], Stamp] = attrgetter(
    "st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"
)
"""Return the stamp of a file from its status."""

identity: Callable[[os.stat_result], Identity] = attrgetter("st_dev", "st_ino", "st_mode")
"""Return the identity of a directory from its status."""

_FINE_GRAIN: Final = 20_000_000
COARSE_GRAIN: Final = 2_000_000_000
"""The longest grain in which a file system counts time, in nanoseconds."""

_COARSE_UNIT: Final = 1_000_000


def now() -> int:
    """Return the time by the clock of the machine, in nanoseconds."""
    return time.time_ns()


def is_settled(status: Stamp, at: int) -> bool:
    """Say whether a file that changes after it was read is sure to have another stamp.

    A file system counts time in grains: two changes within one leave the same times. So a file that changed
    just before it was read is read again. Times that are whole milliseconds may be those of a file system
    that counts in seconds.

    Args:
        status: the stamp that the file had when it was read.
        at: the time before that, in nanoseconds.

    >>> is_settled((1, 2, 3, 5_000_000_001, 5_000_000_001), 5_100_000_000)
    True
    >>> is_settled((1, 2, 3, 5_000_000_000, 5_000_000_000), 5_100_000_000)
    False
    """
    modified, changed = status[3], status[4]
    last = modified if modified > changed else changed
    if last < at - COARSE_GRAIN:
        return True
    return last < at - _FINE_GRAIN and modified % _COARSE_UNIT != 0 and changed % _COARSE_UNIT != 0


class Evidence(NamedTuple):
    """What shows, without reading anything, that a reading still holds.

    ``roots`` are looked at through links, ``places`` and ``stamps`` are not; a place that was not there is None. The
    stamp is None of a file that has to be read again whatever its stamp says.
    """

    roots: tuple[tuple[str, Stamp | Identity], ...] = ()
    places: tuple[tuple[str, Identity | None], ...] = ()
    stamps: tuple[tuple[str, Stamp | None], ...] = ()

    def holds(self) -> bool:
        """Say whether everything is as it was."""
        return self.first_changed() == len(self.stamps)

    def first_changed(self) -> int:
        """Return the place of the first stamp that is not as it was, where that is of a regular file.

        Where all are and nothing else has changed, it is how many there are; -1 where anything else has changed, or
        something is not there any more.
        """
        roots, places, stamps = self
        lstat = os.lstat
        try:
            for nth, (path, expected) in enumerate(stamps):
                found = lstat(path)
                if stamp(found) != expected:
                    return nth if stat.S_ISREG(found.st_mode) else -1
            for path, known in roots:
                found = os.stat(path)
                if (stamp(found) if len(known) == 5 else identity(found)) != known:
                    return -1
            for path, place in places:
                try:
                    here = identity(lstat(path))
                except FileNotFoundError:
                    here = None
                if here != place:
                    return -1
        except (OSError, ValueError):
            return -1
        return len(stamps)

    @staticmethod
    def of_all(parts: Iterable[Evidence]) -> Evidence:
        """Return the evidence that shows everything that each of several shows."""
        roots: dict[tuple[str, Stamp | Identity], None] = {}
        places: dict[tuple[str, Identity | None], None] = {}
        stamps: dict[tuple[str, Stamp | None], None] = {}
        for part in parts:
            roots.update(dict.fromkeys(part.roots))
            places.update(dict.fromkeys(part.places))
            stamps.update(dict.fromkeys(part.stamps))
        # What comes into a directory changes the stamp of that.
        listed = {path for path, known in roots if len(known) == 5}
        others = [place for place in places if place[1] is not None or place[0].rpartition("/")[0] not in listed]
        return Evidence(tuple(roots), tuple(others), tuple(stamps))


def stand(stamps: Iterable[tuple[str, Stamp | None]]) -> bool:
    """Say whether everything still has the stamp that it had."""
    lstat = os.lstat
    try:
        for path, expected in stamps:
            if stamp(lstat(path)) != expected:
                return False
    except (OSError, ValueError):
        return False
    return True


def place_of(path: str) -> Identity | None:
    """Return the identity of what a path leads to, itself no link, or None where nothing is."""
    try:
        return identity(os.lstat(path))
    except FileNotFoundError:
        return None


def ancestry(path: str) -> Evidence:
    """Return what shows that an absolute path still leads the way it does, and through the same links."""
    places: list[tuple[str, Identity | None]] = []
    stamps: list[tuple[str, Stamp]] = []
    while path != (above := path.rpartition("/")[0] or "/"):
        try:
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode):
                stamps.append((path, stamp(found)))
            else:
                places.append((path, identity(found)))
        except OSError:
            places.append((path, None))
        path = above
    return Evidence((), tuple(places), tuple(stamps))
