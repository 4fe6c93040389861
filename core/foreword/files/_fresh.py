"""Fresh readings: a directory is read whole, or only where it has changed since it was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from typing import Final

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword.files._listing import Listing, Request
from foreword.files._reading import Entry, Reading, read
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, Stamp, identity, is_settled, now, place_of, stamp
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, FILE, Enclosure, Opening, Refused, below, parts_of, shown
from foreword.files._ways import Ways

_TRIES: Final = 4


def read_whole(
    root: Root,
    request: Request,
    enclosure: Enclosure,
    max_bytes: int,
    known: Mapping[str, Entry],
    ways: Ways,
    *,
    by_stamp: bool,
) -> Reading:
    """Read a directory, all of it in one state.

    Args:
        root: the directory that was asked for.
        request: what to read below it.
        enclosure: where to stay.
        max_bytes: the most bytes that a file may have.
        known: what an earlier reading found, by path.
        ways: tells the way to it.
        by_stamp: whether a file with the same stamp need not be read again.
    """
    tries = 0
    while True:
        tries += 1
        at = now()
        around = ways.around(root, request.sub, request.skip)
        taking = Taking(root, enclosure, max_bytes, at, known, by_stamp=by_stamp)
        listing = Listing(enclosure, request, taking)
        entries = tuple(taking.entries)
        settled = all(is_settled(one, at) for one in listing.directories.values())
        places: Evidence | None = None
        changed: list[str] = []
        if around is not None and listing.certain:
            places = _places(root, request, around, listing.directories)
        # Only what is found unchanged afterwards was read in one state.
        if places is None or not settled or not _stand(places, request) or not _are_as_read(entries):
            changed = listing.changed_in(Listing(enclosure, request))
        if not changed or tries == _TRIES:
            break
    said = [changed_meanwhile(shown(below(root.written, name)), "warning") for name in changed]
    return read(
        listing, entries, None if changed else places, settled, said, trusted=enclosure.trusted, real=enclosure.root
    )


def read_again(kept: Reading, root: Root, max_bytes: int) -> Reading | None:
    """Return the reading as it would be now, or None where the directory has to be read whole.

    What has the stamp that it had is taken to be as it was; only the other files are read.
    """
    places = kept.places
    if places is None or not kept.settled or not places.holds():
        return None
    entries = kept.entries
    changed: dict[int, Entry] = {}
    try:
        index, regular = _first_changed(entries, 0)
        if index == len(entries):
            return kept
        last = index
        enclosure = Enclosure(kept.real, trusted=kept.trusted)
        taking = Taking(root, enclosure, max_bytes, now(), {}, by_stamp=True)
        while index < len(entries):
            entry = entries[index]
            folder, _, name = entry.path.rpartition("/")
            with Opening(enclosure, parts_of(folder), DIRECTORY) as directory:
                if directory.linked:
                    return None
                changed[index] = taking.read(directory, name, entry.path, False, regular, entry)
            last = index
            index, regular = _first_changed(entries, index + 1)
    except (OSError, ValueError, Refused):
        return None
    # Those that were looked at after the last reading are in one state with it; the others are looked at again.
    if not (_are_as_read([changed.get(nth, entries[nth]) for nth in range(last + 1)]) and places.holds()):
        return None
    return kept.with_changed(changed)


def is_as_read(kept: Reading, root: Root) -> bool:
    """Say whether a directory holds what it held, by the content of its files and not by any stamp."""
    if kept.places is None:
        return False
    enclosure = Enclosure(kept.real, trusted=kept.trusted)
    by_folder: dict[str, list[Entry]] = {}
    for entry in kept.entries:
        by_folder.setdefault(entry.path.rpartition("/")[0] if "/" in entry.path else "", []).append(entry)
    try:
        if identity(os.stat(root.path)) != identity(os.stat(kept.real)):
            return False
        # What is left out may have become a link to what is not.
        if any(place_of(path) != place for path, place in kept.places.places):
            return False
        for folder, names in kept.names.items():
            with Opening(enclosure, parts_of(folder), DIRECTORY) as directory:
                if directory.linked or not _holds(directory.fd, names, by_folder.get(folder, ()), kept.trusted):
                    return False
    except (OSError, Refused):
        return False
    return True


def changed_meanwhile(place: str, severity: Severity) -> Diagnostic:
    """Return what is said of a file that never stood still while it was read."""
    return Diagnostic(
        "FW002", severity, "it changed while it was read", Place(place), "try again when nothing writes to it"
    )


def _places(root: Root, request: Request, around: Evidence, directories: Mapping[str, Stamp]) -> Evidence:
    stamps = tuple([(below(root.path, name), one) for name, one in directories.items() if name])
    return Evidence(around.roots if request.sub else ((root.path, directories[""]),), around.places, stamps)


def _stand(places: Evidence, request: Request) -> bool:
    """Say whether the directories that were just listed still stand, unchanged, where they were."""
    if request.sub and not request.skip:
        # Their own stamps say so: what stands above them was looked at before they were entered.
        places = Evidence(stamps=places.stamps)
    return places.holds()


def _first_changed(entries: tuple[Entry, ...], start: int) -> tuple[int, bool]:
    """Return which entry, from one on, is the first that has to be read again, and whether that is a regular file.

    Where none has, it is how many there are.
    """
    lstat = os.lstat
    for index, entry in enumerate(entries[start:], start):
        # A name more or less, a hard link, is a change of the file itself: its stamp says so.
        found = lstat(entry.full)
        if stamp(found) != entry.stamp or not entry.settled:
            return index, stat.S_ISREG(found.st_mode)
    return len(entries), False


def _are_as_read(entries: Iterable[Entry]) -> bool:
    lstat = os.lstat
    try:
        for entry in entries:
            if stamp(lstat(entry.full)) != entry.stamp:
                return False
    except (OSError, ValueError):
        return False
    return True


def _holds(fd: int, names: Mapping[str, bool], entries: list[Entry] | tuple[()], trusted: bool) -> bool:
    with os.scandir(fd) as listing:
        inodes: dict[str, int] = {}
        for found in listing:
            if found.is_symlink() or names.get(found.name) is not found.is_dir(follow_symlinks=False):
                return False
            inodes[found.name] = found.inode()
    if len(inodes) != len(names):
        return False
    for entry in entries:
        data, known, name = entry.data, entry.file.identity, entry.path.rpartition("/")[2]
        # Two names of one file are one section, and the same text in two files is two.
        if data is None or known is None or entry.file.error is not None or inodes.get(name) != known[1]:
            return False
        file = os.open(name, FILE, dir_fd=fd)
        try:
            if not data or not trusted:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode) or status.st_nlink != entry.links:
                    return False
            if os.read(file, len(data) + 1) != data:
                return False
        finally:
            os.close(file)
    return True
