"""Blocks: CommonMark's block structure, read line by line, as far as the borders of a section need it.

The time is linear in the length of the text whatever the text holds, which no general parser promises;
the tests hold the reading against one. Only what can begin or end a heading is told apart: containers
(quotes and list items), paragraphs, fences and raw HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from foreword.markdown._raw_html import ANY_TAG, closing, is_unclear, raw_html

MAX_DEPTH: Final = 50
"""The most quotes and list items that may stand inside one another."""

_QUOTE: Final = 0
_ATX: Final = re.compile(r"(#{1,6})(?: |\Z)")
_FENCE: Final = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)\Z")
_MARKER: Final = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |\Z)")
_BEGINS: Final = re.compile(r"[#`~<>_*+=-]|[0-9]{1,9}(?=[.)])")
_LABEL: Final = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_DEFINITION: Final = re.compile(
    r"\[(?=[ .-]*\w)[\w .-]+\]:[ \t]+(?:https?://|[./#])[\w./#?&=%~+:@!,-]*[ \t]*", re.ASCII
)


class BlockHeading(NamedTuple):
    """A heading: its level, its lines (half open), where in the first its text or its ``#`` begins, and its source."""

    level: int
    start: int
    end: int
    at: int
    text: str
    underlined: bool
    outermost: bool


class Open(NamedTuple):
    """What a text leaves open at its end: the line that opens it, what it is, and the line that closes it."""

    line: int
    what: Literal["code fence", "raw HTML"]
    closing: str


class Mend(NamedTuple):
    """A place that parsers of CommonMark read in two ways, and the text in its stead that makes them agree."""

    line: int
    start: int
    end: int
    text: str


class Blocks(NamedTuple):
    """What a text holds, in the order of its lines; it is so for every parser once the mends are made."""

    headings: list[BlockHeading]
    mends: list[Mend]
    open: Open | None


class TooDeepError(ValueError):
    """Quotes and list items stand too deep inside one another to be read."""


def read_blocks(lines: Sequence[str]) -> Blocks:
    r"""Return the headings of a text, also of those in quotes and lists, and what it leaves open.

    Args:
        lines: the lines of the text, without line ends.

    Raises:
        TooDeepError: more than `MAX_DEPTH` quotes and list items stand inside one another.

    >>> [heading.level for heading in read_blocks(["# One", "> Two", "> ---"]).headings]
    [1, 2]
    """
    reader = _Reader(lines)
    for number, raw in enumerate(lines):
        reader.read(number, raw)
    return reader.finished()


class _Reader:
    """The state between two lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._headings: list[BlockHeading] = []
        self._mends: list[Mend] = []
        # A quote is 0; a list item is how far its text is indented, counted from its parent's text.
        self._containers: list[int] = []
        self._empty_item = False
        self._leaf: Literal["", "paragraph", "fence", "html"] = ""
        self._paragraph: list[tuple[int, int]] = []
        self._escapes: list[tuple[int, int]] = []
        self._odd = False
        self._fence = ""
        self._html_end: re.Pattern[str] | None = None
        self._open: Open | None = None

    def read(self, number: int, raw: str) -> None:
        """Read the next line."""
        line = raw.expandtabs(4).rstrip(" ")
        start, at, matched = self._matched(line)
        began_empty, self._empty_item = self._empty_item, False
        whole = matched == len(self._containers)
        if whole and self._leaf in ("fence", "html"):
            self._inside(line, start, at)
            self._even(number, line, at)
        elif at == len(line):
            if began_empty:
                # Spaces would let the item go on for some.
                self._mends.append(Mend(number, len(raw.rstrip(" \t")), len(raw), ""))
            self._close(matched)
        else:
            at = self._block(number, line, start, at, matched)
            self._even(number, line, at)

    def finished(self) -> Blocks:
        """Return what was read."""
        left = self._open if self._leaf == "fence" or (self._leaf == "html" and self._html_end is not None) else None
        self._close(0)
        return Blocks(self._headings, self._mends, left)

    def _matched(self, line: str) -> tuple[int, int, int]:
        """Return where the text of the innermost open container begins, its first mark, and how many go on."""
        start, matched = 0, 0
        at = len(line) - len(line.lstrip(" "))
        for width in self._containers:
            if at == len(line):
                # Nothing but a quote ends at a blank line, or a list item that began with one.
                try:
                    matched = self._containers.index(_QUOTE, matched)
                except ValueError:
                    matched = len(self._containers) - self._empty_item
                break
            if width == _QUOTE:
                if at - start > 3 or line[at] != ">":
                    break
                start = at + 1 + line.startswith(" ", at + 1)
                at = _skip(line, start)
            elif at - start >= width:
                start += width
            else:
                break
            matched += 1
        return start, at, matched

    def _inside(self, line: str, start: int, at: int) -> None:
        if self._leaf == "fence":
            ended = at - start <= 3 and line.startswith(self._fence, at) and not line[at:].strip(self._fence[0])
        elif self._html_end is None:
            ended = at == len(line)
        else:
            ended = self._html_end.search(line, start) is not None
        if ended:
            self._leaf = ""

    def _block(self, number: int, line: str, start: int, at: int, matched: int) -> int:
        """Read a line that is not blank, in no fence and no raw HTML; return where its innermost block begins."""
        goes_on = self._leaf == "paragraph" and matched == len(self._containers)
        while at - start < 4:
            if line[at] == ">":
                self._enter(matched, _QUOTE)
                start = at + 1 + line.startswith(" ", at + 1)
                at = _skip(line, start)
            elif self._leaf_block(number, line, at, matched, goes_on):
                return at
            else:
                marker = _MARKER.match(line, at)
                if marker is None:
                    break
                text = _skip(line, marker.end())
                blank = text == len(line)
                if goes_on and (blank or int(marker[1] or 1) != 1):
                    break
                spaces = text - marker.end()
                # More than four spaces are one, and indented code.
                text_at = text if not blank and spaces <= 4 else marker.end() + 1
                self._enter(matched, text_at - start)
                self._empty_item = blank
                start, at = text_at, text
            if at == len(line):
                return at
            matched, goes_on = len(self._containers), False
        self._text(number, line, start, at, matched)
        return at

    def _leaf_block(self, number: int, line: str, at: int, matched: int, goes_on: bool) -> bool:
        """Read a block that holds no others, if one begins here; a paragraph is none of these."""
        char = line[at]
        if char == "#" and (atx := _ATX.match(line, at)):
            self._close(matched)
            raw = self._lines[number]
            index = raw.index("#")
            outermost = not self._containers
            self._headings.append(BlockHeading(len(atx[1]), number, number + 1, index, raw[index:], False, outermost))
        elif char in "`~" and (fence := _FENCE.match(line, at)):
            self._close(matched)
            self._leaf, self._fence = "fence", fence[0]
            self._open = Open(number, "code fence", _under(line[:at]) + fence[0])
        elif char == "<":
            return self._html(number, line, at, matched)
        elif goes_on and char in "=-" and _UNDERLINE.match(line, at) and not self._only_definitions(line[at:]):
            self._underlined(number, 1 if char == "=" else 2)
        elif char in "*-_" and at >= len(line.rstrip(char + " ")) and line.count(char, at) >= 3:
            if goes_on and self._only_definitions(line[at:]):
                # Some let the paragraph go on that was nothing but definitions.
                self._part(number, line[:at])
            self._close(matched)
        else:
            return False
        return True

    def _html(self, number: int, line: str, at: int, matched: int) -> bool:
        kind = raw_html(line, at)
        if kind is None or (kind is ANY_TAG and self._leaf == "paragraph") or is_unclear(line, at, kind):
            return False
        self._close(matched)
        self._html_end = kind.end
        if kind.end is None or kind.end.search(line, at) is None:
            self._leaf = "html"
            self._open = Open(number, "raw HTML", _under(line[:at]) + closing(line, at, kind))
        return True

    def _text(self, number: int, line: str, start: int, at: int, matched: int) -> None:
        indented = at - start > 3
        if self._leaf != "paragraph":
            if indented and line[at] == ">" and self._containers[matched : matched + 1] == [_QUOTE]:
                # Code, but some let the quote go on: a blank line ends it for all.
                self._part(number, line[:start])
            self._close(matched)
            if indented:
                return
            self._leaf, self._paragraph, self._odd = "paragraph", [], False
        # Also where a container ends: a paragraph goes on without its marks.
        lazy = matched < len(self._containers)
        kind = raw_html(line, at)
        self._odd |= lazy or indented or kind is not None or _MARKER.match(line, at) is not None
        begins = _BEGINS.match(line, at) if lazy and indented else None
        if begins is not None or (kind is not None and (lazy or is_unclear(line, at, kind))):
            # Some take it for what it looks like, wherever the containers end.
            escaped = begins.end() if begins is not None and line[at].isdigit() else at
            self._escapes.append((number, escaped))
        self._paragraph.append((number, at))

    def _underlined(self, number: int, level: int) -> None:
        start, at = self._paragraph[0]
        text = " ".join(part.strip(" \t") for part in self._written())
        index = _index(self._lines[start], at)
        self._headings.append(BlockHeading(level, start, number + 1, index, text, True, not self._containers))
        self._leaf = ""
        self._escapes.clear()

    def _only_definitions(self, underline: str) -> bool:
        """Whether an underline, which may also be a rule, stands under definitions and nothing else."""
        if self._odd or len(underline) < 3 or underline.strip("-"):
            return False
        return all(map(_DEFINITION.fullmatch, self._written()))

    def _written(self) -> list[str]:
        return [self._lines[number][_index(self._lines[number], at) :] for number, at in self._paragraph]

    def _part(self, number: int, prefix: str) -> None:
        """Put a blank line before a line."""
        self._mends.append(Mend(number, 0, 0, _under(prefix).rstrip(" ") + "\n"))

    def _even(self, number: int, line: str, at: int) -> None:
        """Have spaces instead of tabs behind two quotes, where parsers count the columns differently."""
        raw = self._lines[number]
        if "\t" in raw:
            end = _index(raw, at)
            if raw.count(">", 0, end) > 1 and "\t" in raw[:end]:
                self._mends.append(Mend(number, 0, end, line[:at]))

    def _enter(self, matched: int, container: int) -> None:
        self._close(matched)
        self._containers.append(container)
        if len(self._containers) > MAX_DEPTH:
            raise TooDeepError

    def _close(self, matched: int) -> None:
        """End the innermost block, and the containers that do not go on."""
        # Parsers end a link definition at different lines when what follows could begin a block.
        if self._leaf == "paragraph" and self._odd and _LABEL.match("\n".join(self._written())):
            self._escapes.append(self._paragraph[0])
        for number, column in self._escapes:
            index = _index(self._lines[number], column)
            self._mends.append(Mend(number, index, index, "\\"))
        self._escapes.clear()
        self._leaf = ""
        del self._containers[matched:]


def _skip(line: str, start: int) -> int:
    return len(line) - len(line[start:].lstrip(" "))


def _index(raw: str, column: int) -> int:
    """Return the index of the character that stands in a column, tabs being stops four columns apart."""
    if "\t" not in raw:
        return column
    reached = 0
    for index, char in enumerate(raw):
        if reached >= column:
            return index
        reached += 4 - reached % 4 if char == "\t" else 1
    return len(raw)


def _under(prefix: str) -> str:
    """Return what a further line of the containers begins with whose first line begins with ``prefix``."""
    return re.sub("[^> ]", " ", re.sub(">(?! )", "> ", prefix))
