"""Readings: what a directory gave when it was read, and what shows that it would give the same again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import NamedTuple

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import KNOWN
from foreword.files._listing import Listing
from foreword.files._markdown_file import Directory, MarkdownFile
from foreword.files._stamps import Evidence, Stamp


class Entry(NamedTuple):
    """One Markdown file of a reading.

    ``stamps`` are those of its name and, where that is a link, of what it leads to. ``settled`` is whether they
    alone tell that it has changed, ``links`` how many names the file has, ``data`` what was read.
    """

    linked: bool
    path: str
    full: str
    stamps: tuple[Stamp, ...]
    settled: bool
    links: int
    data: bytes | None
    file: MarkdownFile


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
        if self.places is None or not self.settled or not all(map(_is_settled, self.entries)):
            return None
        return self.places._replace(stamps=(*self.places.stamps, *self.stamps()))

    def stamps(self) -> list[tuple[str, Stamp]]:
        """The stamps of the files, by their paths."""
        return [(entry.full, entry.stamps[0]) for entry in self.entries]

    def with_entries(self, entries: tuple[Entry, ...]) -> Reading:
        """Return the reading with other states of the same files."""
        exchanged: dict[int, MarkdownFile] = {}
        size, quiet = self.size, not self.directory.diagnostics
        for old, new in zip(self.entries, entries, strict=True):
            if old is not new and (old.file is not new.file or old.links != new.links):
                size += 3 * (len(new.data or b"") - len(old.data or b""))
                exchanged[id(old.file)] = new.file
                document = new.file.document
                quiet = quiet and document is not None and not document.diagnostics and new.links == old.links
                quiet = quiet and new.file.identity == old.file.identity
        directory = self.directory
        if quiet:
            # The same files with nothing to say of them, some with another text.
            get = exchanged.get
            files = tuple([get(id(file), file) for file in directory.files])
            directory = Directory(files, (), directory.exists) if exchanged else directory
        elif exchanged:
            directory = assembled(entries, self.said, exists=True, trusted=self.trusted)
        return self._replace(entries=entries, directory=directory, size=size)


def read(
    listing: Listing,
    entries: tuple[Entry, ...],
    places: Evidence | None,
    settled: bool,
    changed: Iterable[Diagnostic],
    *,
    trusted: bool,
    real: str,
) -> Reading:
    """Return the reading that a listing and the files it came by make."""
    said = (*listing.diagnostics, *changed)
    directory = assembled(entries, said, exists=listing.exists, trusted=trusted)
    size = 2000 + sum([1000 + 3 * len(entry.data or b"") for entry in entries])
    return Reading(directory, entries, places, settled, said, listing.names, trusted, real, size)


def assembled(
    entries: Sequence[Entry], said: Sequence[Diagnostic], *, exists: bool, trusted: bool
) -> Directory:
    """Return what a directory holds: each file once, by name, and everything there is to say."""
    files: list[MarkdownFile] = []
    diagnostics = list(said)
    first: dict[tuple[int, int], MarkdownFile] = {}
    for entry in sorted(entries, key=_place):
        file = entry.file
        if file.identity is not None and first.setdefault(file.identity, file) is not file:
            message = f"it is the same file as {first[file.identity].place}, which is read already"
            known = file.name.rpartition("/")[2].upper() in KNOWN
            severity: Severity = "error" if known else "info"
            twice = Diagnostic("FW019", severity, message, Place(file.place), "remove one of them")
            if not known:
                diagnostics.append(twice)
                continue
            # A known name asks for a section of its own: that it has none is never passed over.
            file = MarkdownFile(file.root, file.name, file.place, None, twice, file.identity, file.size)
        files.append(file)
        if file.error is not None:
            diagnostics.append(file.error)
        elif file.document is not None and file.document.diagnostics:
            diagnostics.extend(file.document.diagnostics)
    if not trusted:
        diagnostics.extend(_hard_linked(entries))
    files.sort(key=_name)
    if len(diagnostics) > 1:
        diagnostics.sort(key=_order)
    return Directory(tuple(files), tuple(diagnostics), exists)


def _hard_linked(entries: Sequence[Entry]) -> Iterator[Diagnostic]:
    """Yield a note about each untrusted file that has a name besides those that were come by."""
    if all(entry.links <= 1 for entry in entries):
        return
    names = {entry.file.identity: entry.links for entry in entries}
    met = Counter(entry.file.identity for entry in entries if not entry.linked)
    for entry in entries:
        identity = entry.file.identity
        if identity is not None and names[identity] > max(1, met[identity]):
            message = "the file has another name elsewhere (a hard link), through which it can be changed"
            yield Diagnostic("FW019", "info", message, Place(entry.file.place), "put a copy in its place")


_place = itemgetter(0, 1)
_name = attrgetter("name")


def _is_settled(entry: Entry) -> bool:
    return entry.settled


def _order(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
    place = diagnostic.place if diagnostic.place is not None else Place("")
    return place.path, place.line or 0, diagnostic.code, diagnostic.message
