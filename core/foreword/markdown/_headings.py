"""Markdown structure: which lines are headings, and what text stands under them.

The CommonMark parser does the reading. It is loaded only when it is needed: whether a text starts with
a heading is, nearly always, seen on its first line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ATX: Final = tuple(["#" * level + " " for level in range(1, 7)])
"""With what a text begins that, at a glance, begins with a heading."""

_ATX: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_PLAIN_ATX: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]+([^\\`*_\[<&\r\0]*))?")
_CLOSING: Final = re.compile(r"(?:^|[ \t])#+$")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_UNDERLINED: Final = re.compile(r"\n {0,3}(?:=+|-+)[ \t]*(?:\n|\Z)")


class Heading(NamedTuple):
    """A heading: its level, how it reads when rendered, and its lines, half open and from 0."""

    level: int
    text: str
    start: int
    end: int


class Target(NamedTuple):
    """The lines of the text under a heading, half open and from 0, up to the next one that ends it."""

    start: int
    end: int
    heading: Heading


def headings(text: str) -> list[Heading]:
    r"""Return the headings of a document: not those in code, in a quote or in a list.

    >>> headings("# One\n\n> # Two\n\nThree\n---\n")
    [Heading(level=1, text='One', start=0, end=1), Heading(level=2, text='Three', start=4, end=6)]
    """
    environment: dict[str, object] = {}
    tokens = _block_parser().parse(_in_lines(text), environment)
    return [
        Heading(int(token.tag[1:]), _rendered(tokens[place + 1].content, environment), *token.map)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


def targets(text: str, heading: str) -> list[Target]:
    """Return what stands under each heading that reads like ``heading``.

    Args:
        text: the document.
        heading: a heading as it reads when rendered, or, when none reads like that, as it is written.
    """
    wanted = heading.strip()
    found = headings(text)
    if not any(candidate.text == wanted for candidate in found):
        wanted = _rendered(wanted, {})
    last = text.count("\n") + 1
    return [
        Target(candidate.end, _end(found[place + 1 :], candidate.level, last), candidate)
        for place, candidate in enumerate(found)
        if candidate.text == wanted
    ]


def leading_heading(text: str) -> str | None:
    r"""Return how the heading reads with which a text starts, or None when it starts with none.

    >>> leading_heading("## Style ##\nBe brief.")
    'Style'
    >>> leading_heading("Be brief.\n\n## Style")
    """
    text = text.strip()
    if text.startswith("#"):
        end = text.find("\n")
        first = text if end < 0 else text[:end]
        plain = _PLAIN_ATX.fullmatch(first)
        if plain is not None:
            title = (plain[1] or "").rstrip(" \t")
            return (_CLOSING.sub("", title) if title.endswith("#") else title).strip()
        if _ATX.match(first) is None and not has_underline(text):
            return None
    elif not has_underline(text):
        return None
    for heading in headings(text)[:1]:
        if heading.start == 0:
            return heading.text
    return None


def has_underline(text: str) -> bool:
    """Say whether a line that could make a heading of the lines above it stands before the first blank one."""
    end = text.find("\n\n")
    if _UNDERLINED.search(text, 0, len(text) if end < 0 else end) is None:
        return False
    # A line of nothing but spaces is blank, too.
    for line in text.split("\n")[1:]:
        if not line.strip(" \t"):
            return False
        if _UNDERLINE.fullmatch(line):
            return True
    return False


def _end(following: Sequence[Heading], level: int, last: int) -> int:
    return next((heading.start for heading in following if heading.level <= level), last)


def _in_lines(text: str) -> str:
    """The text with line ends only where foreword has them, so that the parser counts the same lines."""
    return text.replace("\r\n", "\n").replace("\r", " ") if "\r" in text else text


def _rendered(source: str, environment: dict[str, object]) -> str:
    parts: list[str] = []
    for token in _inline_parser().parseInline(source, environment):
        parts += _texts(token.children or ())
    return "".join(parts).strip()


def _texts(tokens: Sequence[Token]) -> list[str]:
    parts: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts += _texts(token.children or ())
    return parts


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable("inline")


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
