"""Roots: the directories that the operator or the caller names."""

from __future__ import annotations

import os
from typing import NamedTuple


class Root(NamedTuple):
    """A directory to read from: the path as its owner wrote it, and the absolute one."""

    written: str
    path: str


def root(written: str | os.PathLike[str], base: str) -> Root:
    """Return the root that a written path names.

    Args:
        written: the path as its owner wrote it; ``~`` is the home directory.
        base: the directory that a relative path starts from.

    >>> root("prompts/", "/srv/bot")
    Root(written='prompts', path='/srv/bot/prompts')
    """
    text = os.fspath(written)
    path = os.path.abspath(os.path.join(base, os.path.expanduser(text)))
    return Root(text.rstrip(os.sep) or text[:1], path)
