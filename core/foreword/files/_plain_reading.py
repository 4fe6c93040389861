"""Plain reading: a directory of which there is nothing to say but what its Markdown files hold is read in one go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from foreword._named_tuple import new as _new
from foreword.files._entries import Entry, are_as_read, restless
from foreword.files._kinds import Kind, kind_of
from foreword.files._questions import DirectoryKey
from foreword.files._reading import Reading, read
from foreword.files._stamps import Evidence, is_settled, now, stamp, stand
from foreword.files._taking import Taking
from foreword.files._walk import Enclosure, Opened, open_real

if TYPE_CHECKING:
    from collections.abc import Collection


def read_plain(
    asked: DirectoryKey,
    enclosure: Enclosure,
    top: int | None,
    around: Evidence,
    max_bytes: int,
    known: Mapping[str, Entry],
    *,
    by_stamp: bool,
) -> Reading | None:
    """Return what `read_whole` returns, or None where a directory is not as simple as that, or did not stand still.

    Args:
        asked: what to read, with neither ``only`` nor ``skip``.
        enclosure: where to stay.
        top: the root, where it is open already; it is closed.
        around: what shows that the way to the directory is where it is.
        max_bytes: as for `read_whole`.
        known: as for `read_whole`.
        by_stamp: as for `read_whole`.
    """
    _, root, sub, *_ = asked
    real = f"{enclosure.root}/{sub}" if sub else enclosure.root
    if top is not None and sub:
        os.close(top)
        top = None
    at = now()
    # No link leads to what has this path, whatever the system went through to open it.
    fd = open_real(real) if top is None else top
    if fd is None:
        return None
    try:
        own = stamp(os.fstat(fd))
        files: list[str] = []
        names = _names(fd, () if asked.recursive else asked.known, files)
        if names is None or not is_settled(own, at):
            return None
        files.sort()
        taking = Taking(root, enclosure, max_bytes, at, known, by_stamp=by_stamp)
        taking.plain(Opened(fd, real), f"{sub}/" if sub else "", files)
    except OSError:
        return None
    finally:
        os.close(fd)
    entries, path = taking.entries, root.path
    roots, stamps = (around.roots, ((f"{path.rstrip('/')}/{sub}", own),)) if sub else (((path, own),), ())
    places: Evidence = _new(Evidence, (roots, around.places, stamps))
    # Only what is found unchanged afterwards was read in one state.
    if len(entries) != len(files) or not (are_as_read(entries) and (stand(stamps) if sub else places.holds())):
        return None
    if restless(entries):
        return None
    return read(taking, {sub: names}, (), places, settled=True, trusted=enclosure.trusted, real=enclosure.root)


def _names(fd: int, known: Collection[str], files: list[str]) -> dict[str, bool] | None:
    """Return the names in a directory, and put those of its files in a list.

    None unless all are Markdown files, and directories that are somebody else's to read.
    """
    names: dict[str, bool] = {}
    # The descriptor is fresh and listed only here: listing one that is shared loses entries.
    with os.scandir(fd) as listing:
        for entry in listing:
            name = entry.name
            if entry.is_file(follow_symlinks=False):
                if kind_of(name) is not Kind.MARKDOWN:
                    return None
                files.append(name)
                names[name] = False
            elif name in known and kind_of(name) is Kind.OTHER and entry.is_dir(follow_symlinks=False):
                names[name] = True
            else:
                return None
    return names
