"""Assembling: what a directory holds, each file once, and everything there is to say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword._names import KNOWN
from foreword.files._entries import Entry, file_of
from foreword.files._markdown_file import Directory, MarkdownFile


def assembled(
    entries: Sequence[Entry], said: Sequence[Diagnostic], *, exists: bool, trusted: bool
) -> Directory:
    """Return what a directory holds: each file once, by name, and everything there is to say."""
    if not said and _is_quiet(entries, trusted=trusted):
        return Directory(tuple(sorted(map(file_of, entries), key=_name)), (), exists)
    files: list[MarkdownFile] = []
    diagnostics = list(said)
    first: dict[tuple[int, int], MarkdownFile] = {}
    for entry in sorted(entries, key=_place):
        file = file_of(entry)
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
        elif file.more is not None and file.more.diagnostics:
            diagnostics.extend(file.more.diagnostics)
    if not trusted:
        diagnostics.extend(_hard_linked(entries))
    files.sort(key=_name)
    if len(diagnostics) > 1:
        diagnostics.sort(key=_order)
    return Directory(tuple(files), tuple(diagnostics), exists)


def _is_quiet(entries: Sequence[Entry], *, trusted: bool) -> bool:
    """Say whether there is nothing to say of some entries: each was read, and is a file of its own."""
    inodes: set[int] = set()
    for _, stamp, _, linked, links, _, file in entries:
        if linked or stamp is None or not file.is_quiet or (links > 1 and not trusted):
            return False
        inodes.add(stamp[1])
    return len(inodes) == len(entries)


def _hard_linked(entries: Sequence[Entry]) -> Iterator[Diagnostic]:
    """Yield a note about each untrusted file that has a name besides those that were come by."""
    if all(links <= 1 for _, _, _, _, links, _, _ in entries):
        return
    names = {file.identity: links for _, _, _, _, links, _, file in entries}
    met = Counter(file.identity for _, _, _, linked, _, _, file in entries if not linked)
    for file in map(file_of, entries):
        identity = file.identity
        if identity is not None and names[identity] > max(1, met[identity]):
            message = "the file has another name elsewhere (a hard link), through which it can be changed"
            yield Diagnostic("FW019", "info", message, Place(file.place), "put a copy in its place")


_name = attrgetter("name")


def _place(entry: Entry) -> tuple[bool, str]:
    _, _, _, linked, _, _, file = entry
    return linked, file.name


def _order(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
    place = diagnostic.place if diagnostic.place is not None else Place("")
    return place.path, place.line or 0, diagnostic.code, diagnostic.message
