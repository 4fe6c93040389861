"""A batch: builds that see every file in one state, and look at each only once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from foreword.files._reader import Observation, Reader

    from ._sources import Given
    from ._variant import Variants


class Ahead(NamedTuple):
    """What was asked for some agents before their turn, and answered.

    ``common`` is what they have in common, and ``place`` where what is their own comes among what all are given.
    """

    common: Variants
    place: int
    seen: dict[str, list[Observation]]


class Batch:
    """What one batch of builds shares.

    Attributes:
        reader: reads the files.
        checked: the roots that were found in order.
        given: what our own sources gave, by their scope.
        ahead: what was read for agents before their turn.
        shared: what our own sources gave all agents; None while one of them has still to be asked.
        is_large: whether the prompts are so many that they should take little room.
    """

    __slots__ = ("ahead", "checked", "given", "is_large", "reader", "shared")

    def __init__(self, reader: Reader, *, is_large: bool = False) -> None:
        self.reader = reader
        self.is_large = is_large
        self.checked: set[Hashable] = set()
        self.given: dict[Hashable, Given] = {}
        self.ahead: Ahead | None = None
        self.shared: list[Given] | None = None
