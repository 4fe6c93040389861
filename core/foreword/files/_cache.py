"""The cache of readings: what was read in earlier batches, to be looked at and not read again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, Generic, Protocol, TypeVar

MOST_READINGS: Final = 4096
MOST_BYTES: Final = 1 << 27


class Sized(Protocol):
    """What knows about how many bytes it takes to keep it."""

    @property
    def size(self) -> int:
        """The bytes."""
        ...


K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Sized)


class Cache(Generic[K, V]):
    """Keeps the values used last, no more than a number of them and of bytes.

    It has no lock that a forked process could find held: each step is one operation of a dict, and what is
    lost between two of them is only read again.
    """

    def __init__(self, most: int = MOST_READINGS, most_bytes: int = MOST_BYTES) -> None:
        self._kept: dict[K, V] = {}
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0

    def get(self, key: K) -> V | None:
        """Return what is kept, or None."""
        return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep a value, and let go of those that were kept longest ago when they are too many."""
        old = self._kept.pop(key, None)
        self._kept[key] = value
        # Counting takes time, in which other threads come by: the sum is read and written in one step.
        more = value.size - (old.size if old is not None else 0)
        self._bytes += more
        if len(self._kept) > self._most or self._bytes > self._most_bytes:
            self._shrink()

    def __len__(self) -> int:
        return len(self._kept)

    def _shrink(self) -> None:
        kept = list(self._kept.items())
        left = sum(value.size for _, value in kept)
        for count, (key, value) in enumerate(kept[:-1]):
            if len(kept) - count <= self._most // 2 and left <= self._most_bytes // 2:
                break
            self._kept.pop(key, None)
            left -= value.size
        self._bytes = left
