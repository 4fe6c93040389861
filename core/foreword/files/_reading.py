"""Readings: what a directory gave when it was read, and what shows that it would give the same again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from foreword._diagnostics import Diagnostic
from foreword._named_tuple import new as _new
from foreword.files._assembled import assembled
from foreword.files._entries import Entry, file_of
from foreword.files._markdown_file import Directory
from foreword.files._stamps import Evidence, Stamp
from foreword.files._taking import Taking


class Reading(NamedTuple):
    """A directory as it was read.

    ``places`` is the evidence for everything but the files; None where stamps cannot show it. ``settled`` is whether
    the directories' own stamps can be relied on. ``said`` is what there was to say of other entries, ``real`` the
    real path of the root.
    """

    directory: Directory
    entries: tuple[Entry, ...]
    places: Evidence | None
    settled: bool
    said: tuple[Diagnostic, ...]
    names: Mapping[str, Mapping[str, bool]]
    trusted: bool
    real: str
    size: int
    """About how many bytes it takes to keep it."""

    @property
    def evidence(self) -> Evidence | None:
        """What shows that all of it still holds, or None where it has to be looked at again."""
        places = self.places
        if places is None or not self.settled:
            return None
        stamps: list[tuple[str, Stamp | None]] = []
        for full, _, proof, linked, _, data, _ in self.entries:
            # Of a file that was just written, a moment later its stamp says enough.
            if proof is None and (linked or data is None):
                return None
            stamps.append((full, proof))
        return Evidence(places.roots, places.places, (*stamps, *places.stamps))

    def with_changed(self, changed: Mapping[int, Entry]) -> Reading:
        """Return the reading with other states of some of the same files, by their place among the entries."""
        made = self
        # What comes to the front leaves the places of all behind it as they are.
        for index in sorted(changed):
            one = made.with_one(index, changed[index])
            if one is None:
                break
            made = one
        else:
            return made
        same = [entry for index, entry in enumerate(self.entries) if index not in changed]
        size = self.size + sum([_growth(self.entries[index], new) for index, new in changed.items()])
        entries = (*changed.values(), *same)
        directory = assembled(entries, self.said, exists=True, trusted=self.trusted)
        return self._replace(directory=directory, entries=entries, size=size)

    def with_one(self, index: int, new: Entry) -> Reading | None:
        """Return the reading with another state of one of the files, None where there is, or may be, something to say.

        Args:
            index: the place of the file among the entries.
            new: the file as it is now.
        """
        directory, entries, places, settled, said, names, trusted, real, size = self
        _, old_own, _, _, old_links, _, old = before = entries[index]
        _, own, _, _, links, _, file = new
        if links != old_links:
            return None
        # What changed last is looked at first: who changes a file changes it again.
        entries = (new, *entries[:index], *entries[index + 1 :])
        if file is not old:
            # The same file with another text, of which there is nothing to say.
            if directory.diagnostics or not file.is_quiet or old_own is None or own is None or own[:2] != old_own[:2]:
                return None
            size += _growth(before, new)
            files = list(directory.files)
            files[files.index(old)] = file
            directory = _new(Directory, (tuple(files), (), directory.exists))
        return _new(Reading, (directory, entries, places, settled, said, names, trusted, real, size))


def _growth(old: Entry, new: Entry) -> int:
    return 3 * (len(new[5] or b"") - len(old[5] or b""))


def read(
    taking: Taking,
    names: Mapping[str, Mapping[str, bool]],
    said: tuple[Diagnostic, ...],
    places: Evidence | None,
    *,
    settled: bool,
    trusted: bool,
    real: str,
    exists: bool = True,
) -> Reading:
    """Return the reading of some files: each argument is what the field of that name says."""
    entries = tuple(taking.entries)
    if taking.is_quiet and not said:
        # Where there is nothing to say, the files come as they were taken, in the order of their names.
        directory: Directory = _new(Directory, (tuple(map(file_of, entries)), (), exists))
    else:
        directory = assembled(entries, said, exists=exists, trusted=trusted)
    return _new(Reading, (directory, entries, places, settled, said, names, trusted, real, taking.size))
