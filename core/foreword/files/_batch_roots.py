"""The roots of one batch: each is one directory for all of it, though it be a link that is pointed elsewhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from foreword.files._questions import Kept
from foreword.files._roots import Root
from foreword.files._stamps import Evidence
from foreword.files._walk import Enclosure, below, leads_to_nothing, real_path


class BatchRoots:
    """Knows the real path of each root.

    Args:
        link_roots: directories outside of the roots that links may lead to.
    """

    def __init__(self, link_roots: Sequence[str]) -> None:
        self._link_roots = link_roots
        self._real_link_roots: tuple[str, ...] | None = None
        self._real: dict[str, str] = {}
        self._pinned: dict[str, tuple[str, int, int]] = {}

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

    def enclosure(self, root: Root, trusted_links: bool, skip: Collection[str]) -> Enclosure:
        """Return where a reading below a root stays.

        Raises:
            Refused: the root is a link that leads to nothing.
        """
        real = self._real.get(root.path)
        if real is None:
            real = real_path(root.path)
            if real != root.path and os.path.islink(root.path) and not os.path.lexists(real):
                raise leads_to_nothing()
            pinned = self._pinned.get(root.path)
            if pinned is not None and not _is_directory(real, pinned[1], pinned[2]):
                real = pinned[0]
            # Resolved once: a root that is a link stays the same directory for the whole batch.
            real = self._real.setdefault(root.path, real)
        left_out = tuple([real_path(below(real, path)) for path in skip])
        if trusted_links and self._real_link_roots is None:
            self._real_link_roots = tuple(os.path.realpath(link_root) for link_root in self._link_roots)
        return Enclosure(real, (self._real_link_roots or ()) if trusted_links else (), left_out, trusted_links)


def _is_directory(path: str, device: int, inode: int) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return found.st_dev == device and found.st_ino == inode
