"""Front matter: what a Markdown file says about itself, and the one parser that reads it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from foreword._diagnostics import Diagnostic
from foreword._named_tuple import new as _new
from foreword.markdown._front_matter_model import EMPTY, KEYS, FrontMatter, When

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EMPTY", "KEYS", "Document", "FrontMatter", "When", "parse"]


class Document(NamedTuple):
    """A Markdown file, read: its text, where that begins, and what its front matter says."""

    text: str
    line: int = 1
    front_matter: FrontMatter = EMPTY
    diagnostics: tuple[Diagnostic, ...] = ()
    failed: bool = False
    only_front_matter: bool = False


def parse(source: str, path: str) -> Document:
    """Read one Markdown file.

    Args:
        source: The decoded file, with or without a byte order mark, with any newlines.
        path: The path as its owner wrote it, for diagnostics.

    Returns:
        The text and the front matter; ``failed`` says that the edit must not count. Nothing is raised.
    """
    source = source.lstrip("\ufeff")
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    body = source.lstrip()
    text = body.rstrip()
    if not text.startswith("---"):
        # Where nothing was taken away, the same string comes back, and the text begins at once.
        line = 1 if body is source else 1 + source.count("\n", 0, len(source) - len(body))
        return _new(Document, (text, line, EMPTY, (), False, False))
    return _document()(source, text, path)


@cache
def _document() -> Callable[[str, str, str], Document]:
    # What reads front matter is paid for only by files that have some.
    from foreword.markdown._plain_front_matter import document

    return document


def line_of_text(source: str, text: str) -> int:
    """Return the line of a source in which its trimmed text begins; behind its last line, where there is none."""
    if not text:
        return 1 + source.count("\n")
    # The first character of the text is no white space, so where it stands first the text begins.
    return 1 if source[0] == text[0] else 1 + source.count("\n", 0, source.index(text[0]))
