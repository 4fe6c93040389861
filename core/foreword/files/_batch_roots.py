"""The roots of one batch: each is one directory for all of it, though it be a link that is pointed elsewhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Final

from foreword._named_tuple import new as _new
from foreword.files._questions import Kept
from foreword.files._roots import Root
from foreword.files._stamps import Evidence
from foreword.files._walk import Enclosure, below, leads_to_nothing, open_real, real_path
from foreword.files._ways import places_around

_NOTHING: Final = Evidence()


class BatchRoots:
    """Knows the real path of each root, and the ways from there: what many have above them is looked at once for all.

    Args:
        link_roots: directories outside of the roots that links may lead to.
    """

    __slots__ = ("_link_roots", "_pinned", "_real", "_real_link_roots", "_ways")

    def __init__(self, link_roots: Sequence[str]) -> None:
        self._link_roots = link_roots
        self._real_link_roots: tuple[str, ...] | None = None if link_roots else ()
        self._real: dict[str, str] = {}
        self._pinned: dict[str, tuple[str, int, int]] = {}
        self._ways: dict[tuple[str, str], Evidence] = {}

    def is_current(self, root: Root, real: str) -> bool:
        """Say whether what was read below a real path was read below the directory that this batch reads."""
        current = self._real.get(root.path)
        if current is None and (pinned := self._pinned.get(root.path)) is not None:
            current = pinned[0]
        return current is None or current == real

    def pin(self, root: Root, real: str, evidence: Evidence) -> None:
        """Keep to the directory that was looked at, though the root is a link and may be pointed elsewhere."""
        if root.path not in self._pinned:
            _, found = evidence.roots[0]
            self._pinned[root.path] = (real, found[0], found[1])

    def still_holds(self, root: Root, kept: Kept) -> bool:
        """Say whether what was answered earlier would be answered by this batch, by its evidence."""
        evidence = kept.evidence
        if evidence is None or not self.is_current(root, kept.real) or not evidence.holds():
            return False
        self.pin(root, kept.real, evidence)
        return True

    def around(self, root: Root, sub: str, skip: frozenset[str]) -> Evidence | None:
        """Return what `places_around` returns for a directory, or returned earlier in the batch for one beside it.

        What was looked at earlier only shows less: whatever changed since, it no longer holds. For a root itself
        it is nothing, for its own stamp shows more.
        """
        if skip:
            return places_around(root, sub, skip)
        if not sub:
            return _NOTHING
        key = root.path, sub.rpartition("/")[0]
        known = self._ways.get(key)
        if known is None:
            known = places_around(root, sub, skip)
            if known is not None:
                self._ways[key] = known
        return known

    def enclosure(self, root: Root, trusted_links: bool, skip: Collection[str]) -> tuple[Enclosure, int | None]:
        """Return where a reading below a root stays, and an open descriptor of it where it had to be opened for that.

        Raises:
            Refused: the root is a link that leads to nothing.
        """
        top: int | None = None
        real = self._real.get(root.path)
        if real is None:
            real, top = self._resolved(root)
        left_out = tuple([real_path(below(real, path)) for path in skip]) if skip else ()
        link_roots = self._real_link_roots
        if not trusted_links:
            link_roots = ()
        elif link_roots is None:
            link_roots = self._real_link_roots = tuple([os.path.realpath(one) for one in self._link_roots])
        return _new(Enclosure, (real, link_roots, left_out, trusted_links)), top

    def _resolved(self, root: Root) -> tuple[str, int | None]:
        path = root.path
        top = open_real(path)
        real = path
        if top is None:
            real = os.path.realpath(path)
            if real != path and os.path.islink(path) and not os.path.lexists(real):
                raise leads_to_nothing()
        pinned = self._pinned.get(path)
        if pinned is not None and not _is_directory(real, pinned[1], pinned[2]):
            real = pinned[0]
        # Resolved once: a root that is a link stays the same directory for the whole batch.
        real = self._real.setdefault(path, real)
        if top is not None and (real != path or pinned is not None):
            os.close(top)
            top = None
        return real, top


def _is_directory(path: str, device: int, inode: int) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return found.st_dev == device and found.st_ino == inode
