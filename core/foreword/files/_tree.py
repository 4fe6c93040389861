"""The tree: what lies below a root, by name only."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from typing import Final, NamedTuple

from foreword.files._stamps import Stamp, stamp
from foreword.files._walk import DIRECTORY, Enclosure, Refused, below, opening, real_target, shown

_HIDDEN_FROM_ALL: Final = frozenset({".git", ".DS_Store"})
"""What version control and file managers keep in a directory: no part of what is in it."""


class Tree(NamedTuple):
    """The paths below a root, and the stamps of the directories that tell whether they are still the same.

    ``certain`` is whether they do: no link was met, and nothing refused.
    """

    paths: tuple[str, ...]
    directories: dict[str, Stamp]
    certain: bool


def tree(
    enclosure: Enclosure,
    skip: Collection[str],
    depth: int,
    limit: int,
    *,
    top: int | None = None,
    start: str = "",
    hidden: bool = False,
) -> Tree:
    """List the entries below the root of an enclosure, level by level, and sort them by path.

    Args:
        enclosure: where to stay.
        skip: paths that are left out.
        depth: how many levels to list.
        limit: the most entries to list.
        top: the root of the enclosure, where it is open already; it is closed.
        start: the directory below the root to begin in.
        hidden: whether to list dot entries too.

    Directories end in ``/``. Dot entries, what is left out, and links that lead out of the root are not
    listed; a directory that several ways lead to is listed under each, but entered once, and not by a link
    where there is a regular way.

    Raises:
        Refused: The root cannot be read.
    """
    entries: list[str] = []
    directories: dict[str, Stamp] = {}
    certain = True
    entered: set[tuple[int, int]] = set()
    regular, links = [start], list[str]()
    deepest = depth + (start.count("/") + 1 if start else 0)
    while (regular or links) and len(entries) < limit:
        name = (regular or links).pop(0)
        try:
            at, top = top, None
            with opening(enclosure, name, DIRECTORY, at) as directory:
                status = os.fstat(directory.fd)
                if (status.st_dev, status.st_ino) in entered:
                    continue
                entered.add((status.st_dev, status.st_ino))
                directories[name] = stamp(status)
                with os.scandir(directory.fd) as listing:
                    found = sorted(listing, key=_by_name)
                for entry in found:
                    path = below(name, entry.name)
                    if path in skip or (entry.name in _HIDDEN_FROM_ALL if hidden else entry.name.startswith(".")):
                        continue
                    certain = certain and not entry.is_symlink() and not directory.linked
                    is_directory = _is_directory(enclosure, below(directory.real, entry.name), entry)
                    if is_directory is None:
                        continue
                    entries.append(f"{path}/" if is_directory else path)
                    if is_directory and path.count("/") + 1 < deepest:
                        (links if entry.is_symlink() else regular).append(path)
        except (OSError, Refused):
            certain = False
            if name == start:
                raise
    if top is not None:
        os.close(top)
    return Tree(tuple(sorted(shown(path) for path in entries[:limit])), directories, certain)


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_directory(enclosure: Enclosure, real: str, entry: os.DirEntry[str]) -> bool | None:
    """Say whether an entry is a directory, or None when it is not to be listed."""
    if not entry.is_symlink():
        return None if enclosure.leaves_out(real) else entry.is_dir(follow_symlinks=False)
    try:
        target = real_target(real)
        if enclosure.base_of(target) is None or enclosure.leaves_out(target):
            return None
        return stat.S_ISDIR(os.lstat(target).st_mode)
    except (OSError, Refused):
        return None
