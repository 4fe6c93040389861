"""Entries: the Markdown files of one reading, and whether they still are as they were read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from operator import itemgetter, ne
from typing import TypeAlias

from foreword.files._markdown_file import MarkdownFile
from foreword.files._stamps import Stamp, stamp

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
