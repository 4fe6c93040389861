"""Exchange: some files of those that were read say something else, and everything else is as it was."""

from __future__ import annotations

from typing import Final, NamedTuple

from foreword._named_tuple import new as _new
from foreword.files._entries import Entry, full_of, restless
from foreword.files._markdown_file import Directory
from foreword.files._names import Readings
from foreword.files._questions import DirectoryKey
from foreword.files._reading import Reading
from foreword.files._stamps import Evidence, now
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, Enclosure, Refused, opening

MOST_READ: Final = 4
"""So many files of one directory are read again one by one; where it is more, the directory is read."""


class Exchange(NamedTuple):
    """A directory as it is now, the paths of its files that were read again, and what shows all there was evidence for.

    The evidence is of the same things as before.
    """

    directory: Directory
    read: tuple[str, ...]
    evidence: Evidence


def exchange(
    readings: Readings, key: DirectoryKey, evidence: Evidence, place: int, max_bytes: int
) -> Exchange | None:
    """Return a directory as it is now where some of its files have changed, None where anything else may have.

    Args:
        readings: what was read.
        key: the directory.
        evidence: what shows that all is as it was.
        place: the place there of the first stamp that is not as it was.
        max_bytes: the most bytes that a file may have.
    """
    kept = readings.get(key)
    if not isinstance(kept, Reading):
        return None
    roots, places, stamps = evidence
    enclosure: Enclosure = _new(Enclosure, (kept.real, (), (), kept.trusted))
    fulls = list(map(full_of, kept.entries))
    changed: dict[int, Entry] = {}
    try:
        # What has changed since it was read here is not read once more.
        while len(changed) <= place < len(stamps):
            full, _ = stamps[place]
            index = fulls.index(full)
            if len(changed) == MOST_READ:
                return None
            changed[index] = entry = _read(kept.entries[index], key, enclosure, max_bytes)
            # What changed last is looked at first: who changes a file changes it again.
            stamps = ((full, entry[1]), *stamps[:place], *stamps[place + 1 :])
            as_read: Evidence = _new(Evidence, (roots, places, stamps))
            # All that is found unchanged afterwards was there when the files were read.
            place = as_read.first_changed()
    except (OSError, ValueError, Refused):
        return None
    if place != len(stamps) or (len(changed) > 1 and restless(changed.values())):
        return None
    reading = kept.with_changed(changed)
    readings.put(key, reading)
    proven = [(full, proof) for full, _, proof, _, _, _, _ in reversed(changed.values())]
    shown: Evidence = _new(Evidence, (roots, places, (*proven, *stamps[len(proven) :])))
    return _new(Exchange, (reading.directory, tuple(map(full_of, changed.values())), shown))


def _read(known: Entry, key: DirectoryKey, enclosure: Enclosure, max_bytes: int) -> Entry:
    """Return an entry as it is now.

    Raises:
        OSError, Refused: it cannot be read, or a link leads there now.
    """
    path = known[6].name
    folder, slash, name = path.rpartition("/")
    taking = Taking(key.root, enclosure, max_bytes, now(), {path: known}, by_stamp=False)
    with opening(enclosure, folder, DIRECTORY) as directory:
        if directory.linked:
            raise FileNotFoundError(folder)
        taking.plain(directory, folder + slash, (name,))
    if not taking.entries:
        raise FileNotFoundError(name)
    return taking.entries[0]
