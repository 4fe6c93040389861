"""Exchange: one file of those that were read says something else, and everything else is as it was."""

from __future__ import annotations

from typing import NamedTuple

from foreword._named_tuple import new as _new
from foreword.files._entries import file_of
from foreword.files._markdown_file import MarkdownFile
from foreword.files._names import Readings
from foreword.files._questions import Observation
from foreword.files._reading import Reading
from foreword.files._stamps import Evidence, now
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, Enclosure, Refused, opening


class Exchange(NamedTuple):
    """A file as it is now, in the directory that it lies in, and what shows all that there was evidence for."""

    file: MarkdownFile
    seen: Observation
    evidence: Evidence


def exchange(
    readings: Readings, seen: Observation, old: MarkdownFile, evidence: Evidence, place: int, max_bytes: int
) -> Exchange | None:
    """Return a file as it is now, where everything else is as there is evidence for; None where that cannot be said.

    Args:
        readings: what was read.
        seen: the directory in which the file was read.
        old: the file as it was read.
        evidence: what shows that all is as it was.
        place: the place of the file's stamp there.
        max_bytes: the most bytes that a file may have.
    """
    key, directory = seen
    kept = readings.get(key)
    if not isinstance(kept, Reading) or kept.directory is not directory:
        return None
    full, _ = evidence.stamps[place]
    folder, slash, name = old.name.rpartition("/")
    try:
        index = list(map(file_of, kept.entries)).index(old)
        enclosure: Enclosure = _new(Enclosure, (kept.real, (), (), kept.trusted))
        known = {old.name: kept.entries[index]}
        taking = Taking(key.root, enclosure, max_bytes, now(), known, by_stamp=False)
        with opening(enclosure, folder, DIRECTORY) as opened:
            if opened.linked:
                return None
            taking.plain(opened, folder + slash, (name,))
    except (OSError, ValueError, Refused):
        return None
    if not taking.entries:
        return None
    _, own, proof, _, _, _, file = new = taking.entries[0]
    roots, places, stamps = evidence
    # What changed last is looked at first: who changes a file changes it again.
    others = (*stamps[:place], *stamps[place + 1 :])
    as_read: Evidence = _new(Evidence, (roots, places, ((full, own), *others)))
    # All that is found unchanged afterwards was there when the file was read.
    reading = kept.with_one(index, new) if as_read.holds() else None
    if own is None or reading is None:
        return None
    readings.put(key, reading)
    shown = as_read if proof is own else _new(Evidence, (roots, places, ((full, proof), *others)))
    return _new(Exchange, (file, _new(Observation, (key, reading.directory)), shown))
