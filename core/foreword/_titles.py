"""Titles: which are reserved for the operator, and when a text's own heading stands instead."""

from __future__ import annotations

from collections.abc import Container, Iterable

from ._names import KNOWN, title_key
from ._prepared import PreparedEdit
from ._standing import Standing

RESERVED = frozenset(title_key(known.title) for known in KNOWN.values() if known.title is not None)


NOTHING_RESERVED: frozenset[str] = frozenset()


def reserved_by(edits: Iterable[PreparedEdit]) -> frozenset[str]:
    """Return the keys of the titles of a section that no third party and no agent may take.

    They are the titles that the edits of operator layers give, and the headings with which their texts begin.
    The known titles are reserved whatever the operator says.
    """
    keys: list[str] = []
    for edit in edits:
        if edit.trusted and edit.verdict is None:
            opens = edit.leading_heading
            if edit.title:
                keys.append(title_key(edit.title))
            if edit.default_title:
                keys.append(title_key(edit.default_title))
            if opens:
                keys.append(title_key(opens))
    return frozenset([key for key in keys if key not in RESERVED]) if keys else NOTHING_RESERVED


def unreserved(title: str, id: str, reserved: Container[str]) -> str:
    """Return the title, or where that is the operator's, the id, or where even that reads so, words around it."""
    return next((name for name in (title, id) if title_key(name) not in reserved), f"Section {id}")


def own_heading(standing: Standing) -> str | None:
    """Return the heading with which an operator's text begins, which stands instead of a derived title."""
    first = standing.spans[0].edit
    if first is None or not first.trusted or not standing.winner.trusted:
        return None
    return first.leading_heading


class ReservedTitles:
    """The keys of the titles that are reserved, and which of all keys were asked for: only those decide anything.

    Attributes:
        keys: the keys.
        asked: what was asked for.
    """

    __slots__ = ("asked", "keys")

    def __init__(self, keys: frozenset[str]) -> None:
        self.keys = keys
        self.asked: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return key in self.keys
