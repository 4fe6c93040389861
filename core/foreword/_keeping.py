"""Keeping: what was used last, and no more of it than so many."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(kept: dict[K, V], key: K, value: V, most: int) -> None:
    """Keep a value, and let go of the half that was kept longest ago when they are too many.

    There is no lock that a forked process could find held: each step is one operation of the dict, and what is
    lost between two of them is only made again.
    """
    kept[key] = value
    if len(kept) > most:
        for old in list(kept)[: most // 2]:
            kept.pop(old, None)
