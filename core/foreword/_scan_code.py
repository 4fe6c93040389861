"""Code in Markdown, found without a full parse: fenced blocks and code spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice

from foreword._scan_findings import BUDGET

_FENCE = re.compile(r"```+|~~~+")
_BEFORE_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_LIST = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_TICKS = re.compile(r"(?<!\\)`+")
_BLANK = re.compile(r"\n[ \t]*\n")
_INDENT_LIMIT = 200


class Code:
    """Says of a place in a text whether it stands in code; in doubt it does not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._fences: list[tuple[int, int]] | None = None
        self._paragraph = (0, -1)
        self._spans: list[tuple[int, int]] = []

    def holds(self, offset: int) -> bool:
        """Whether the character at ``offset`` stands in a fenced block or in a code span."""
        if "`" not in self._text and "~~~" not in self._text:
            return False
        if self._fences is None:
            self._fences = list(_fences(self._text))
        return _within(self._fences, offset) or _within(self._around(offset), offset)

    def _around(self, offset: int) -> list[tuple[int, int]]:
        begin, end = self._paragraph
        if not begin <= offset < end:
            fences = self._fences or []
            nth = bisect_right(fences, (offset, len(self._text) + 1))
            low = fences[nth - 1][1] if nth else 0
            high = fences[nth][0] if nth < len(fences) else len(self._text)
            # The last paragraph that was looked at ends before this one begins, or does not matter.
            low = max(low, end) if low <= end <= offset else low
            for blank in _BLANK.finditer(self._text, low, offset):
                low = blank.end() - 1
            after = _BLANK.search(self._text, offset, high)
            self._paragraph = (low, high if after is None else after.start() + 1)
            self._spans = _code_spans(self._text, *self._paragraph)
        return self._spans


def _within(spans: list[tuple[int, int]], offset: int) -> bool:
    nth = bisect_right(spans, (offset, float("inf"))) - 1
    return nth >= 0 and offset < spans[nth][1]


def _fences(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first_list = _LIST.search(text)
    opened: tuple[int, str] | None = None
    for match in islice(_FENCE.finditer(text), BUDGET):
        start = text.rfind("\n", max(0, match.start() - _INDENT_LIMIT), match.start()) + 1
        before = text[start : match.start()]
        if (start == 0 and match.start() > _INDENT_LIMIT) or _BEFORE_FENCE.fullmatch(before) is None:
            continue
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        rest = text[match.end() : end]
        if opened is None:
            # Four spaces make a code block of its own, except below a list item.
            nested = first_list is not None and first_list.start() <= match.start()
            deep = before.startswith(("    ", "\t")) and not nested
            if not deep and not (match[0][0] == "`" and "`" in rest):
                opened = (start, match[0])
        elif match[0].startswith(opened[1]) and not rest.strip():
            found.append((opened[0], end))
            opened = None
    if opened is not None:
        found.append((opened[0], len(text)))
    return found


def _code_spans(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    ticks = [match.span() for match in islice(_TICKS.finditer(text, begin, end), BUDGET)]
    following: dict[int, int] = {}
    closing: dict[int, int] = {}
    for nth in range(len(ticks) - 1, -1, -1):
        size = ticks[nth][1] - ticks[nth][0]
        if size in following:
            closing[nth] = following[size]
        following[size] = nth
    spans: list[tuple[int, int]] = []
    nth = 0
    while nth < len(ticks):
        if nth in closing:
            spans.append((ticks[nth][0], ticks[closing[nth]][1]))
            nth = closing[nth]
        nth += 1
    return spans
