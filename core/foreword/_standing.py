"""What stands of one section while the layers are laid over one another."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from foreword.markdown._headings import targets

from ._prepared import PreparedEdit, Span
from ._text import exchange, join, whole


class Standing(NamedTuple):
    """A section as it stands below the next layer.

    ``raw`` is its text before rendering, as the operator's and the agent's layers make it: what a
    memory's copies and overrides are compared with.
    """

    definer: PreparedEdit
    winner: PreparedEdit
    spans: tuple[Span, ...]
    title: str | None
    title_given: bool
    titled_by: PreparedEdit
    priority: int
    placed_by: PreparedEdit
    raw: str | None = None


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal: how a record names the text below."""
    return hashlib.sha256(text.encode()).hexdigest()


def raw_after(raw: str | None, edit: PreparedEdit) -> str:
    """Return the text before rendering as it is after one edit of it."""
    if raw is None or edit.mode not in ("prepend", "append", "patch"):
        return edit.raw
    if edit.mode == "prepend":
        return f"{edit.raw}\n\n{raw}"
    if edit.mode == "append":
        return f"{raw}\n\n{edit.raw}"
    found = targets(raw, edit.heading or "")
    if len(found) != 1:
        # The heading reads so only when it is rendered.
        return raw
    body = (found[0].start, found[0].end, edit.with_text(edit.raw))
    return join(exchange(whole(edit.with_text(raw)), [body]))
