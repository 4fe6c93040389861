"""Names: what the directories below the roots of one batch hold, by name only, so that most need not be opened."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TypeAlias

from foreword.files._batch_roots import BatchRoots
from foreword.files._cache import Cache
from foreword.files._questions import Kept, Key, NamesKey
from foreword.files._reading import Reading
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, is_settled, now, stamp
from foreword.files._walk import DIRECTORY, Refused, below, opening, parts_of
from foreword.files._ways import places_around

Readings: TypeAlias = "Cache[Key | NamesKey, Reading | Kept]"


class Names:
    """Knows the names in each directory as they were when one batch first came by it.

    Args:
        roots: the roots of the batch.
        readings: what earlier batches have read.
        by_stamp: whether the stamp of a directory tells that its names have not changed.
    """

    __slots__ = ("_by_stamp", "_known", "_readings", "_roots")

    def __init__(self, roots: BatchRoots, readings: Readings, *, by_stamp: bool) -> None:
        self._roots = roots
        self._readings = readings
        self._by_stamp = by_stamp
        self._known: dict[tuple[str, str], Collection[str] | None] = {}

    def add(self, root: Root, names: Mapping[str, Collection[str]]) -> None:
        """Take the names in directories below a root that were listed."""
        for sub, found in names.items():
            self._known[root.path, sub] = found

    def within(self, root: Root, sub: str) -> Collection[str] | None:
        """Return the names in a directory, or None where that cannot be said; those of what is not there are none."""
        known = self._known.get((root.path, sub))
        if known is not None:
            return known
        if (root.path, sub) not in self._known and self.lack(root, sub):
            self._known[root.path, sub] = ()
        return self._listed(root, sub)

    def lack(self, root: Root, sub: str) -> bool:
        """Say whether nothing is there, as far as the names of the directories on the way tell."""
        folder, _, name = sub.rpartition("/")
        beside = self._known.get((root.path, folder))
        if beside is not None:
            if name in beside:
                return False
            if name.isascii() and name.isalnum():
                # What is beside it was listed, and such a name leads nowhere else.
                return True
        try:
            parts = parts_of(sub)
        except Refused:
            return False
        if beside is not None:
            return True
        way = ""
        for part in parts:
            names = self._listed(root, way)
            if names is None:
                return False
            if part not in names:
                return True
            way = f"{way}/{part}" if way else part
        return False

    def _listed(self, root: Root, sub: str) -> Collection[str] | None:
        key = root.path, sub
        if key not in self._known:
            self._known[key] = self._list(NamesKey("names", root, sub))
        return self._known[key]

    def _list(self, key: NamesKey) -> Collection[str] | None:
        kept = self._readings.get(key)
        root, sub = key.root, key.sub
        if isinstance(kept, Kept) and isinstance(kept.answer, frozenset) and self._still_holds(root, kept):
            return kept.answer
        at = now()
        around = places_around(root, sub, frozenset())
        try:
            enclosure, top = self._roots.enclosure(root, False, ())
            with opening(enclosure, sub, DIRECTORY, top) as directory:
                status = stamp(os.fstat(directory.fd))
                names = frozenset(os.listdir(directory.fd))
        except FileNotFoundError:
            return frozenset()
        except (OSError, Refused):
            return None
        if around is not None and not directory.linked and is_settled(status, at):
            evidence = Evidence(((root.path, status),))
            if sub:
                evidence = around._replace(stamps=((below(root.path, sub), status),))
            self._readings.put(key, Kept(names, evidence, enclosure.root))
        return names

    def _still_holds(self, root: Root, kept: Kept) -> bool:
        return self._by_stamp and self._roots.still_holds(root, kept)
