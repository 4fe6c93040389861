"""Readings: what a directory gave when it was read, and what shows that it would give the same again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import KNOWN
from foreword.files._listing import Listing
from foreword.files._markdown_file import Directory, MarkdownFile
from foreword.files._stamps import Evidence, Stamp


class Entry:
    """One Markdown file of a reading; nothing of it changes.

    ``stamp`` is that of the file; None where it could not be had. ``settled`` is whether it alone tells that the file
    has changed, ``links`` how many names the file has, ``data`` what was read.
    """

    __slots__ = ("data", "file", "full", "linked", "links", "path", "settled", "stamp")

    def __init__(
        self,
        linked: bool,
        path: str,
        full: str,
        stamp: Stamp | None,
        settled: bool,
        links: int,
        data: bytes | None,
        file: MarkdownFile,
    ) -> None:
        self.linked = linked
        self.path = path
        self.full = full
        self.stamp = stamp
        self.settled = settled
        self.links = links
        self.data = data
        self.file = file


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
        stamps = [(one.full, one.stamp) for one in self.entries if one.settled and one.stamp is not None]
        if len(stamps) != len(self.entries):
            return None
        return Evidence(places.roots, places.places, (*places.stamps, *stamps))

    def with_changed(self, changed: Mapping[int, Entry]) -> Reading:
        """Return the reading with other states of some of the same files, by their place among the entries."""
        exchanged: dict[int, MarkdownFile] = {}
        size, quiet = self.size, not self.directory.diagnostics
        for index, new in changed.items():
            old = self.entries[index]
            if old.file is not new.file or old.links != new.links:
                size += 3 * (len(new.data or b"") - len(old.data or b""))
                exchanged[id(old.file)] = new.file
                document = new.file.document
                quiet = quiet and document is not None and not document.diagnostics and new.links == old.links
                quiet = quiet and new.file.identity == old.file.identity
        # What changed last is looked at first: who changes a file changes it again.
        same = [entry for index, entry in enumerate(self.entries) if index not in changed]
        entries = (*changed.values(), *same)
        directory = self.directory
        if exchanged and quiet:
            # The same files with nothing to say of them, some with another text.
            get = exchanged.get
            files = tuple([get(id(file), file) for file in directory.files])
            directory = Directory(files, (), directory.exists)
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
    if not said and _is_quiet(entries, trusted=trusted):
        return Directory(tuple(sorted([entry.file for entry in entries], key=_name)), (), exists)
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


def _is_quiet(entries: Sequence[Entry], *, trusted: bool) -> bool:
    """Say whether there is nothing to say of some entries: each was read, and is a file of its own."""
    inodes: set[int] = set()
    for entry in entries:
        document, stamp = entry.file.document, entry.stamp
        if entry.linked or stamp is None or document is None or document.diagnostics:
            return False
        if entry.links > 1 and not trusted:
            return False
        inodes.add(stamp[1])
    return len(inodes) == len(entries)


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


_place = attrgetter("linked", "path")
_name = attrgetter("name")


def _order(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
    place = diagnostic.place if diagnostic.place is not None else Place("")
    return place.path, place.line or 0, diagnostic.code, diagnostic.message
