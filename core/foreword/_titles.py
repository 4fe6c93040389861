"""Titles: which are reserved for the operator, and when a text's own heading stands instead."""

from __future__ import annotations

from collections.abc import Iterable

from foreword.markdown._headings import leading_heading

from ._names import KNOWN, title_key
from ._prepared import PreparedEdit
from ._standing import Standing

RESERVED = frozenset(title_key(known.title) for known in KNOWN.values() if known.title is not None)


def reserved_titles(operator_edits: Iterable[PreparedEdit]) -> frozenset[str]:
    """Return the keys of all titles that no third party and no agent may take.

    They are the known titles, the titles that operator layers give, and the headings with which
    their texts begin.
    """
    keys: set[str] = set()
    for edit in operator_edits:
        for title in (edit.title, edit.default_title, leading_heading(edit.text)):
            if title:
                keys.add(title_key(title))
    return RESERVED | keys


def unreserved(title: str, id: str, reserved: frozenset[str]) -> str:
    """Return the title, or where that is the operator's, the id, or where even that reads so, words around it."""
    return next((name for name in (title, id) if title_key(name) not in reserved), f"Section {id}")


def own_heading(standing: Standing) -> str | None:
    """Return the heading with which an operator's text begins, which stands instead of a derived title."""
    first = standing.spans[0].edit
    if first is None or not first.trusted or not standing.winner.trusted:
        return None
    return leading_heading(first.text)
