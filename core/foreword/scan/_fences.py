"""Fenced code and raw HTML in Markdown, found without a full parse; what is in doubt is left open."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from foreword.scan._findings import MARKUP_BUDGET

Span = tuple[int, int]

BLANK: Final = re.compile(r"\n[ \t>]*\n")
"""A line without text, also in a quote; no code span and no paragraph reaches over it."""

_EMPTY = re.compile(r"\n[ \t]*\n")
_PREFIX = r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+"
_EVENT = re.compile(rf"\n({_PREFIX})(`{{3,}}|~{{3,}}|<(?=[A-Za-z/!?]))")
_FENCE_LINE = re.compile(rf"\n{_PREFIX}(?:```|~~~)")
_LIST = re.compile(r"\n[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t\n])")
_LINE_LIMIT = 200
_QUOTED = re.compile(r" {0,3}> {0,4}")
_LISTED = re.compile(r"(?: {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4})?+ *")
_ITEM = re.compile(r" *(?:[-*+]|\d{1,9}[.)]) {1,4}(?=[^ ])")
_LEAVES_QUOTE = re.compile(r"\n(?! {0,3}>)")
_RAW = re.compile(
    r"<(?:(!--)|(\?)|(!\[CDATA\[)|(![A-Za-z])|((?:pre|script|style|textarea)(?=[\s>]|\Z)))", re.IGNORECASE
)
_RAW_LINE = re.compile(rf"\n{_PREFIX}(?={_RAW.pattern})", re.IGNORECASE)
_RAW_ENDS = tuple(
    re.compile(end, re.IGNORECASE) for end in ("-->", r"\?>", r"\]\]>", ">", "</(?:pre|script|style|textarea)>")
)


class Blocks(NamedTuple):
    """Where fenced code and raw HTML stand, and from where on nothing is known."""

    fences: list[Span]
    html: list[Span]
    known: int


def read_fences(text: str) -> Blocks:
    """Return where the fenced code of a text stands, up to the first place that parsers could read in two ways."""
    reader = _Reader(text)
    reader.read()
    return Blocks(reader.fences, reader.html, reader.known)


class _Reader:
    def __init__(self, text: str) -> None:
        # A newline before the first line, so that every line begins behind one; offsets are one too large in here.
        self._text = "\n" + text
        self._length = len(self._text)
        first = _LIST.search(self._text)
        self._lists_from = self._length if first is None else first.start()
        self._budget = MARKUP_BUDGET
        self.fences: list[Span] = []
        self.html: list[Span] = []
        self.known = len(text)

    def read(self) -> None:
        position: int | None = 0
        while position is not None:
            event = self._next(position)
            if event is None:
                return
            position = self._raw(event) if event[2] == "<" else self._fence(event)

    def _next(self, position: int) -> re.Match[str] | None:
        event = _EVENT.search(self._text, position)
        self._budget -= 1
        if event is not None and self._budget < 0:
            self._doubt(event.start())
            return None
        return event

    def _doubt(self, position: int) -> None:
        self.known = max(0, position - 1)

    def _container(self, event: re.Match[str]) -> str | None:
        # Below a list item all may be indented; elsewhere four spaces make a code block, and nothing begins there.
        prefix = event[1]
        if ">" in prefix:
            return "quote"
        if prefix.strip() or (self._lists_from < event.start() and prefix):
            return "list"
        return "" if len(prefix) <= 3 and "\t" not in prefix else None

    def _line_end(self, position: int) -> int:
        end = self._text.find("\n", position)
        return self._length if end < 0 else end

    def _fence(self, event: re.Match[str]) -> int | None:
        container = self._container(event)
        body = self._line_end(event.end())
        if container is None or (event[2][0] == "`" and "`" in self._text[event.end() : body]):
            return event.end()
        position, end, doubtful = body, self._length, False
        while True:
            closing = self._next(position)
            if closing is None:
                break
            position = closing.end()
            if closing[2].startswith(event[2]) and self._closes(closing, container):
                end = self._line_end(position)
                doubtful = container == "list" and len(closing[1]) != len(event[1])
                break
        if doubtful or self._budget < 0 or not self._is_held(event, container, body, end):
            self._doubt(event.start())
            return None
        self.fences.append((event.start(), end - 1))
        return end

    def _closes(self, closing: re.Match[str], container: str) -> bool:
        indent = closing[1]
        if container == "quote":
            fits = _QUOTED.fullmatch(indent) is not None
        else:
            fits = not indent.strip(" ") and (container == "list" or len(indent) <= 3)
        return fits and not self._text[closing.end() : self._line_end(closing.end())].strip(" \t")

    def _is_held(self, event: re.Match[str], container: str, body: int, end: int) -> bool:
        # Whether a quote or list surely holds all of a fence: it ends with them, and its last line would open one.
        prefix = event[1]
        if container == "quote":
            leaves = _LEAVES_QUOTE.search(self._text, body, end)
            return _QUOTED.fullmatch(prefix) is not None and leaves is None
        if container == "":
            return True
        outside = re.search(rf"\n(?! {{{len(prefix)}}})[ \t]*[^ \t\n]", self._text[body:end])
        if outside is not None or _LISTED.fullmatch(prefix) is None:
            return False
        before = self._text[max(0, event.start() - _LINE_LIMIT) : event.start()].rpartition("\n")[2]
        item = _ITEM.match(before)
        if prefix.strip():
            # A list item begins here; a number begins none where a paragraph goes on.
            return not before.strip()
        return len(prefix) <= 3 or not before.strip() or (item is not None and 0 <= len(prefix) - item.end() <= 3)

    def _raw(self, event: re.Match[str]) -> int | None:
        container = self._container(event)
        if container is None:
            return event.end()
        begin = event.start(2)
        end = self._raw_end(begin, self._length)
        if end == 0:
            blank = _EMPTY.search(self._text, begin)
            end = self._length if blank is None else blank.start() + 1
            if not self._is_simple(begin, end):
                end = -1
        elif end > 0:
            end = self._line_end(end)
        if end < 0 or (container and "\n" in self._text[begin : end - 1]):
            self._doubt(event.start())
            return None
        self.html.append((event.start(), end - 1))
        return max(end - 1, event.end())

    def _raw_end(self, begin: int, limit: int) -> int:
        # 0 when it ends with a blank line, negative when it does not end.
        raw = _RAW.match(self._text, begin)
        if raw is None or raw.lastindex is None:
            return 0
        end = _RAW_ENDS[raw.lastindex - 1].search(self._text, begin + 2, limit)
        return -1 if end is None else end.end()

    def _is_simple(self, begin: int, end: int) -> bool:
        # Whether a line is HTML may depend on much; where both readings go on alike after it, it does not matter.
        if _FENCE_LINE.search(self._text, begin, end):
            return False
        position = begin
        while True:
            raw = _RAW_LINE.search(self._text, position, end)
            if raw is None:
                return True
            position = self._raw_end(raw.end(), end)
            if position <= 0:
                return False
