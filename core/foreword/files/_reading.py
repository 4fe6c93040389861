"""Readings: what a directory gave when it was read, and what shows that it would give the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from foreword._diagnostics import Diagnostic
from foreword._named_tuple import new as _new
from foreword.files._assembled import assembled
from foreword.files._entries import Entry, file_of
from foreword.files._listing import Listing
from foreword.files._markdown_file import Directory
from foreword.files._stamps import Evidence
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
        stamps = [(full, proof) for full, _, proof, _, _, _, _ in self.entries if proof is not None]
        if len(stamps) != len(self.entries):
            return None
        return Evidence(places.roots, places.places, (*places.stamps, *stamps))

    def with_changed(self, changed: Mapping[int, Entry]) -> Reading:
        """Return the reading with other states of some of the same files, by their place among the entries."""
        same = list(self.entries)
        size, quiet, exchanged = self.size, not self.directory.diagnostics, False
        files = list(self.directory.files)
        for index in sorted(changed, reverse=True):
            _, _, _, _, old_links, old_data, old = same.pop(index)
            _, _, _, _, links, data, new = changed[index]
            if old is new and old_links == links:
                continue
            size += 3 * (len(data or b"") - len(old_data or b""))
            exchanged = True
            quiet = quiet and new.is_quiet and links == old_links
            if quiet and new.identity == old.identity:
                # The same files with nothing to say of them, some with another text.
                files[files.index(old)] = new
            else:
                quiet = False
        # What changed last is looked at first: who changes a file changes it again.
        entries = (*changed.values(), *same)
        directory = self.directory
        if exchanged and quiet:
            directory = _new(Directory, (tuple(files), (), directory.exists))
        elif exchanged:
            directory = assembled(entries, self.said, exists=True, trusted=self.trusted)
        _, _, places, settled, said, names, trusted, real, _ = self
        return _new(Reading, (directory, entries, places, settled, said, names, trusted, real, size))


def read(
    listing: Listing,
    taking: Taking,
    places: Evidence | None,
    settled: bool,
    changed: Iterable[Diagnostic],
    *,
    trusted: bool,
    real: str,
) -> Reading:
    """Return the reading that a listing and the files it came by make."""
    said = (*listing.diagnostics, *changed)
    entries = tuple(taking.entries)
    if taking.is_quiet and not said:
        # Where there is nothing to say, the files come as they were taken, in the order of their names.
        directory: Directory = _new(Directory, (tuple(map(file_of, entries)), (), listing.exists))
    else:
        directory = assembled(entries, said, exists=listing.exists, trusted=trusted)
    fields = (directory, entries, places, settled, said, listing.names, trusted, real, taking.size)
    return _new(Reading, fields)
