"""Code in Markdown, found without a full parse: fenced blocks and code spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import NamedTuple

from foreword._scan_findings import BUDGET

_FENCE = re.compile(r"```+|~~~+")
_OPENS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_CLOSES = re.compile(r"[ \t>]*+")
_LIST = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t\n]", re.MULTILINE)
_LEAVES_QUOTE = re.compile(r"^(?! {0,3}>)", re.MULTILINE)
_LEAVES_LIST = re.compile(r"^[ \t]?[^ \t\n]", re.MULTILINE)
_TICKS = re.compile(r"`+")
_BLANK = re.compile(r"\n[ \t>]*\n")
_INDENT_LIMIT = 200

Span = tuple[int, int]


class Code:
    """Says of a place in a text whether it stands in code; in doubt it does not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._fences: list[Span] | None = None
        self._paragraph = (0, -1)
        self._spans: list[Span] = []

    def holds(self, offset: int) -> bool:
        """Whether the character at ``offset`` stands in a fenced block or in a code span."""
        if "`" not in self._text and "~~~" not in self._text:
            return False
        if self._fences is None:
            self._fences = _fences(self._text)
        return _within(self._fences, offset) or _within(self._spans_around(self._fences, offset), offset)

    def _spans_around(self, fences: list[Span], offset: int) -> list[Span]:
        begin, end = self._paragraph
        if not begin <= offset < end:
            nth = bisect_right(fences, offset, key=_begin)
            low = fences[nth - 1][1] if nth else 0
            high = fences[nth][0] if nth < len(fences) else len(self._text)
            # Offsets mostly rise: what was looked at before is not looked at again.
            low = end if low <= end <= offset else low
            for blank in _BLANK.finditer(self._text, max(0, low - 1), offset):
                low = blank.end() - 1
            after = _BLANK.search(self._text, offset, high)
            self._paragraph = (low, high if after is None else after.start() + 1)
            self._spans = _code_spans(self._text, *self._paragraph)
        return self._spans


class _Opened(NamedTuple):
    start: int
    fence: str
    body: int
    container: str


def _begin(span: Span) -> int:
    return span[0]


def _within(spans: list[Span], offset: int) -> bool:
    nth = bisect_right(spans, offset, key=_begin) - 1
    return nth >= 0 and offset < spans[nth][1]


def _fences(text: str) -> list[Span]:
    found: list[Span] = []
    first_list = _LIST.search(text)
    lists_from = len(text) if first_list is None else first_list.start()
    opened: _Opened | None = None
    for match in islice(_FENCE.finditer(text), BUDGET):
        start = text.rfind("\n", max(0, match.start() - _INDENT_LIMIT), match.start()) + 1
        if not start and match.start() > _INDENT_LIMIT:
            continue
        before = text[start : match.start()]
        if opened is None:
            opened = _open(text, start, before, match, lists_from)
        elif match[0].startswith(opened.fence) and _closes(text, before, match.end(), opened):
            if _leaves(text, opened, start):
                return found
            found.append((opened.start, match.end()))
            opened = None
    if opened is not None and not _leaves(text, opened, len(text)):
        found.append((opened.start, len(text)))
    return found


def _open(text: str, start: int, before: str, match: re.Match[str], lists_from: int) -> _Opened | None:
    if _OPENS.fullmatch(before) is None:
        return None
    end = text.find("\n", match.end())
    end = len(text) if end < 0 else end
    if match[0][0] == "`" and "`" in text[match.end() : end]:
        return None
    # Below a list item a fence may be indented; elsewhere four spaces make a code block.
    listed = (lists_from <= match.start() and before.strip(" \t>") != "") or (lists_from < start and before != "")
    if ">" in before:
        container = "quote and list" if listed else "quote"
    else:
        container = "list" if listed else ""
    if not container and (len(before) > 3 or "\t" in before):
        return None
    return _Opened(start, match[0], min(end + 1, len(text)), container)


def _closes(text: str, before: str, after: int, opened: _Opened) -> bool:
    if _CLOSES.fullmatch(before) is None:
        return False
    if not opened.container and (len(before) > 3 or before.strip(" ")):
        return False
    end = text.find("\n", after)
    return not text[after : len(text) if end < 0 else end].strip()


def _leaves(text: str, opened: _Opened, end: int) -> bool:
    # A fence ends with the quote or list that holds it; where that is so, no more is known of what follows.
    leaves_quote = "quote" in opened.container and _LEAVES_QUOTE.search(text, opened.body, max(opened.body, end))
    leaves_list = opened.container == "list" and _LEAVES_LIST.search(text, opened.body, end)
    return bool(leaves_quote or leaves_list)


def _code_spans(text: str, begin: int, end: int) -> list[Span]:
    runs = [match.span() for match in islice(_TICKS.finditer(text, begin, end), BUDGET)]
    following: dict[int, int] = {}
    opening: list[tuple[int, int | None]] = []
    for nth in range(len(runs) - 1, -1, -1):
        start, stop = runs[nth]
        # A backslash takes a backtick from the beginning of code, and none from its end.
        first = start + _escaped(text, start)
        opening.append((first, following.get(stop - first)))
        following[stop - start] = nth
    spans: list[Span] = []
    nth = 0
    while nth < len(runs):
        first, closing = opening[len(runs) - 1 - nth]
        if closing is not None:
            spans.append((first, runs[closing][1]))
            nth = closing
        nth += 1
    return spans


def _escaped(text: str, start: int) -> int:
    before = text[max(0, start - _INDENT_LIMIT) : start]
    return (len(before) - len(before.rstrip("\\"))) % 2
