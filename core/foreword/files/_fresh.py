"""Fresh readings: a directory is read whole, or only where it has changed since it was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Final

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._named_tuple import new as _new
from foreword.files._batch_roots import BatchRoots
from foreword.files._entries import Entry, are_as_read, are_proven, file_of, first_changed, restless
from foreword.files._listing import Listing
from foreword.files._plain_reading import read_plain
from foreword.files._questions import DirectoryKey
from foreword.files._reading import Reading, read
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, Stamp, identity, is_settled, now, place_of, stand
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, FILE, Enclosure, Refused, below, opening, shown

_TRIES: Final = 4


def read_whole(
    asked: DirectoryKey,
    roots: BatchRoots,
    max_bytes: int,
    known: Mapping[str, Entry],
    *,
    by_stamp: bool,
) -> Reading:
    """Read a directory, all of it in one state.

    Args:
        asked: what to read.
        roots: knows where to stay, and the way to it.
        max_bytes: the most bytes that a file may have.
        known: what an earlier reading found, by path.
        by_stamp: whether a file with the same stamp need not be read again.

    Raises:
        Refused: the root is a link that leads to nothing.
    """
    root = asked.root
    enclosure, top = roots.enclosure(root, asked.trusted_links, asked.skip)
    tries = 0
    if asked.only is None and not asked.skip and (around := roots.around(root, asked.sub, asked.skip)) is not None:
        plain = read_plain(asked, enclosure, top, around, max_bytes, known, by_stamp=by_stamp)
        if plain is not None:
            return plain
        top = None
    while True:
        tries += 1
        at = now()
        around = roots.around(root, asked.sub, asked.skip)
        taking = Taking(root, enclosure, max_bytes, at, known, by_stamp=by_stamp)
        listing, top = Listing(enclosure, asked, taking, top), None
        directories = listing.directories
        settled = True
        for one in directories.values():
            settled = settled and is_settled(one, at)
        places: Evidence | None = None
        changed: Sequence[str] = ()
        if around is not None and listing.certain:
            places = _places(asked, around, directories)
        # Only what is found unchanged afterwards was read in one state.
        if places is None or not settled or not _stand(places, asked) or not are_as_read(taking.entries):
            changed = listing.changed_in(Listing(enclosure, asked))
        changed = changed or restless(taking.entries)
        if not changed or tries == _TRIES:
            break
    said = [changed_meanwhile(shown(below(root.written, name)), "warning") for name in changed] if changed else ()
    return read(
        taking,
        listing.names,
        (*listing.diagnostics, *said),
        None if changed else places,
        settled=settled,
        trusted=enclosure.trusted,
        real=enclosure.root,
        exists=listing.exists,
    )


def read_again(kept: Reading, root: Root, max_bytes: int) -> Reading | None:
    """Return the reading as it would be now, or None where the directory has to be read whole.

    What has the stamp that it had is taken to be as it was; only the other files are read.
    """
    places = kept.places
    if places is None or not kept.settled:
        return None
    entries = kept.entries
    changed: dict[int, Entry] = {}
    try:
        index, regular = first_changed(entries, 0)
        if index == len(entries):
            return kept if places.holds() else None
        last = index
        enclosure: Enclosure = _new(Enclosure, (kept.real, (), (), kept.trusted))
        known: dict[str, Entry] = {}
        taking = Taking(root, enclosure, max_bytes, now(), known, by_stamp=False)
        taken = taking.entries
        while index < len(entries):
            entry = entries[index]
            path = file_of(entry).name
            folder, slash, name = path.rpartition("/")
            known[path] = entry
            directory = opening(enclosure, folder, DIRECTORY)
            try:
                if directory.linked:
                    return None
                if regular:
                    taking.plain(directory, folder + slash, (name,))
                else:
                    taking.one(directory, name, path, False, False)
            finally:
                os.close(directory.fd)
            if len(taken) == len(changed):
                # It is gone.
                return None
            changed[index] = taken[-1]
            last = index
            if are_proven(entries[last + 1 :]):
                break
            index, regular = first_changed(entries, last + 1)
    except (OSError, ValueError, Refused):
        return None
    # Those that were looked at after the last reading are in one state with it; the others are looked at again.
    looked_at = list(entries[: last + 1])
    for nth, new in changed.items():
        looked_at[nth] = new
    # Where the directories are still as they were, they have been all the while.
    if not (are_as_read(looked_at) and places.holds()) or restless(changed.values()):
        return None
    return kept.with_changed(changed)


def is_as_read(kept: Reading, root: Root) -> bool:
    """Say whether a directory holds what it held, by the content of its files and not by any stamp."""
    if kept.places is None:
        return False
    enclosure = Enclosure(kept.real, trusted=kept.trusted)
    by_folder: dict[str, list[Entry]] = {}
    for entry in kept.entries:
        by_folder.setdefault(file_of(entry).name.rpartition("/")[0], []).append(entry)
    try:
        if identity(os.stat(root.path)) != identity(os.stat(kept.real)):
            return False
        # What is left out may have become a link to what is not.
        if any(place_of(path) != place for path, place in kept.places.places):
            return False
        for folder, names in kept.names.items():
            with opening(enclosure, folder, DIRECTORY) as directory:
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


def _places(asked: DirectoryKey, around: Evidence, directories: Mapping[str, Stamp]) -> Evidence:
    path = asked.root.path
    top = path.rstrip("/")
    stamps = [(f"{top}/{name}", one) for name, one in directories.items() if name]
    roots = around.roots if asked.sub else ((path, directories[""]),)
    places: Evidence = _new(Evidence, (roots, around.places, tuple(stamps)))
    return places


def _stand(places: Evidence, asked: DirectoryKey) -> bool:
    """Say whether the directories that were just listed still stand, unchanged, where they were."""
    if asked.sub and not asked.skip:
        # Their own stamps say so: what stands above them was looked at before they were entered.
        return stand(places.stamps)
    return places.holds()


def _holds(fd: int, names: Mapping[str, bool], entries: list[Entry] | tuple[()], trusted: bool) -> bool:
    with os.scandir(fd) as listing:
        inodes: dict[str, int] = {}
        for found in listing:
            if found.is_symlink() or names.get(found.name) is not found.is_dir(follow_symlinks=False):
                return False
            inodes[found.name] = found.inode()
    if len(inodes) != len(names):
        return False
    for _, _, _, _, links, data, read_file in entries:
        known, name = read_file.identity, read_file.name.rpartition("/")[2]
        # Two names of one file are one section, and the same text in two files is two.
        if data is None or known is None or read_file.error is not None or inodes.get(name) != known[1]:
            return False
        file = os.open(name, FILE, dir_fd=fd)
        try:
            if not data or not trusted:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode) or status.st_nlink != links:
                    return False
            if os.read(file, len(data) + 1) != data:
                return False
        finally:
            os.close(file)
    return True
