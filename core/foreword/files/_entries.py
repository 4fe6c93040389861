"""Entries: the Markdown files of one reading, and whether they still are as they were read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter, ne
from typing import TypeAlias

from foreword.files._markdown_file import MarkdownFile
from foreword.files._stamps import Stamp, stamp
from foreword.files._walk import FILE

# A tuple without names costs a third of one with them, and there is one for each file.
Entry: TypeAlias = tuple[str, Stamp | None, Stamp | None, bool, int, bytes | None, MarkdownFile]
"""One Markdown file of a reading: its full path, its stamp, the proof, whether it is linked, its links, data and file.

The stamp is None where it could not be had. The proof is the same where it alone tells that the file has changed, else
None. A file is linked when a link led there; its links are the names that it has; its data is what was read.
"""

full_of: Callable[[Entry], str] = itemgetter(0)
proof_of: Callable[[Entry], Stamp | None] = itemgetter(2)
file_of: Callable[[Entry], MarkdownFile] = itemgetter(6)


def are_as_read(entries: Sequence[Entry]) -> bool:
    """Say whether each file still has the stamp that it had."""
    lstat = os.lstat
    try:
        for full, own, _, _, _, _, _ in entries:
            if stamp(lstat(full)) != own:
                return False
    except (OSError, ValueError):
        return False
    return True


def restless(entries: Collection[Entry]) -> list[str]:
    """Return the names of files that may not have come to rest when they were read, and say something else now.

    The system can give a file its new times a moment before its new text. One file that was read in that moment is as
    it was until then; of two, one can be older than the other ever was.
    """
    fresh = [entry for entry in entries if entry[2] is None and not entry[3] and entry[5] is not None]
    if len(fresh) < 2:
        return []
    return [file.name for full, _, _, _, _, data, file in fresh if not _says(full, data or b"")]


def _says(path: str, data: bytes) -> bool:
    try:
        fd = os.open(path, FILE)
        try:
            return os.read(fd, len(data) + 1) == data
        finally:
            os.close(fd)
    except (OSError, ValueError):
        return False


def are_proven(entries: Sequence[Entry]) -> bool:
    """Say whether stamps alone tell that no file has changed.

    Raises:
        OSError: One is not there any more.
    """
    # A name more or less, a hard link, is a change of the file itself: its stamp says so.
    return not any(map(ne, map(stamp, map(os.lstat, map(full_of, entries))), map(proof_of, entries)))


def first_changed(entries: Sequence[Entry], start: int) -> tuple[int, bool]:
    """Return which entry, from one on, is the first that has to be read again, and whether that is a regular file.

    Where none has, it is how many there are.

    Raises:
        OSError: One is not there any more.
    """
    lstat = os.lstat
    for index in range(start, len(entries)):
        full, _, proof, _, _, _, _ = entries[index]
        found = lstat(full)
        if stamp(found) != proof:
            return index, stat.S_ISREG(found.st_mode)
    return len(entries), False
