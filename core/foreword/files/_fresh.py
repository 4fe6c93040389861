"""Fresh readings: a directory is read whole, or only where it has changed since it was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Final

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword.files._listing import Listing, Request
from foreword.files._reading import Entry, Reading, read
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, Stamp, identity, is_settled, now, place_of, stamp
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, FILE, Enclosure, Refused, below, opened, parts_of, shown

_TRIES: Final = 4


def read_whole(
    root: Root, request: Request, enclosure: Enclosure, max_bytes: int, known: Mapping[str, Entry], *, by_stamp: bool
) -> Reading:
    """Read a directory, all of it in one state.

    Args:
        root: the directory that was asked for.
        request: what to read below it.
        enclosure: where to stay.
        max_bytes: the most bytes that a file may have.
        known: what an earlier reading found, by path.
        by_stamp: whether a file with the same stamp need not be read again.
    """
    tries = 0
    while True:
        tries += 1
        at = now()
        around = places_around(root, request.sub, request.skip)
        taking = Taking(root, enclosure, max_bytes, at, known, by_stamp=by_stamp)
        listing = Listing(enclosure, request, taking)
        entries = tuple(taking.entries)
        places = _places(root, request.sub, around, listing.directories) if listing.certain else None
        settled = all(is_settled(one, at) for one in listing.directories.values())
        # Only what is found unchanged afterwards was read in one state.
        if places is not None and settled and places.holds() and _changed(entries) == {}:
            changed: list[str] = []
        else:
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
    changed = _changed(kept.entries)
    if changed is None:
        return None
    if not changed:
        return kept
    enclosure = Enclosure(kept.real, trusted=kept.trusted)
    taking = Taking(root, enclosure, max_bytes, now(), {}, by_stamp=True)
    entries = list(kept.entries)
    try:
        for index, regular in changed.items():
            entry = kept.entries[index]
            folder, _, name = entry.path.rpartition("/")
            with opened(enclosure, parts_of(folder), DIRECTORY) as directory:
                if directory.linked:
                    return None
                entries[index] = taking.read(directory, name, entry.path, False, regular, entry)
    except (FileNotFoundError, Refused):
        return None
    reading = kept.with_entries(tuple(entries))
    return reading if places.holds() and _same_stamps(reading.entries) else None


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
            with opened(enclosure, parts_of(folder), DIRECTORY) as directory:
                if directory.linked or not _holds(directory.fd, names, by_folder.get(folder, ()), kept.trusted):
                    return False
    except (OSError, Refused):
        return False
    return True


def places_around(root: Root, sub: str, skip: frozenset[str]) -> Evidence | None:
    """Return what shows that the way to a directory below a root, and what is left out, are where they are.

    None where that is a link, which another can take the place of without a trace.
    """
    parts = sub.split("/") if sub else []
    ways = ["/".join(parts[:count]) for count in range(1, len(parts))]
    places: list[tuple[str, tuple[int, int, int] | None]] = []
    try:
        top = identity(os.stat(root.path))
        for way in (*ways, *sorted(skip)):
            found = place_of(below(root.path, way))
            if found is not None and stat.S_ISLNK(found[2]):
                return None
            places.append((below(root.path, way), found))
    except (OSError, ValueError):
        return None
    return Evidence(((root.path, top),), tuple(places))


def changed_meanwhile(place: str, severity: Severity) -> Diagnostic:
    """Return what is said of a file that never stood still while it was read."""
    return Diagnostic(
        "FW002", severity, "it changed while it was read", Place(place), "try again when nothing writes to it"
    )


def _places(root: Root, sub: str, around: Evidence | None, directories: Mapping[str, Stamp]) -> Evidence | None:
    if around is None:
        return None
    roots: tuple[tuple[str, Stamp | tuple[int, int, int]], ...] = around.roots
    if not sub:
        roots = ((root.path, directories[""]),)
    stamps = tuple((below(root.path, name), one) for name, one in directories.items() if name)
    return Evidence(roots, around.places, stamps)


def _changed(entries: tuple[Entry, ...]) -> dict[int, bool] | None:
    """Return which entries have to be read again, and whether each is a regular file; None when one is gone."""
    lstat = os.lstat
    changed: dict[int, bool] = {}
    index = 0
    try:
        for _, _, full, stamps, settled, links, _, _ in entries:
            found = lstat(full)
            if stamp(found) != stamps[0] or not settled or found.st_nlink != links:
                changed[index] = stat.S_ISREG(found.st_mode)
            index += 1
    except (OSError, ValueError, IndexError):
        return None
    return changed


def _same_stamps(entries: tuple[Entry, ...]) -> bool:
    lstat = os.lstat
    try:
        for entry in entries:
            if stamp(lstat(entry.full)) != entry.stamps[0]:
                return False
    except (OSError, ValueError, IndexError):
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
