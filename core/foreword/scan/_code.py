"""Code in Markdown: whether a place in a text stands in a fenced block or a code span."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice

from foreword.scan._fences import BLANK, Blocks, Span, read_fences
from foreword.scan._findings import MARKUP_BUDGET

_TICKS = re.compile(r"`+")
# The class comes first, for there the engine is fastest.
_INLINE = re.compile(r"[`<\]](?:(?<=`)`*|(?<=<)|(?<=\])\()")
_DEFINITION = re.compile(r"[\s>*+0-9.)-]*\[(?:[^\[\]\\]|\\.)*+\]:", re.DOTALL)
_LINK = re.compile(r"\]\(\s*+(?:<[^<>\n`]*+>|[^\s()<>`]*+)(?:\s++(?:\"[^\"`]*+\"|'[^'`]*+'|\([^()`]*+\)))?+\s*+\)")
_ATTRIBUTE = r"""\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+"""
_TAG = re.compile(
    rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*+/?>|/[A-Za-z][A-Za-z0-9-]*+\s*+>"
    r"|[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+>|[\w.!#$%&'*+/=?^`{|}~-]++@[^\s<>]*+>)"
)
_DECLARATIONS = tuple(
    (re.compile(begin), end)
    for begin, end in (("<!--", "-->"), (r"<\?", "?>"), (r"<!\[CDATA\[", "]]>"), ("<![A-Za-z]", ">"))
)
_BACKSLASHES = "\\" * 200


class Code:
    """Says of a place in a text whether it stands in code; in doubt it does not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._none = "`" not in text and "~~~" not in text
        self._blocks: Blocks | None = None
        self._paragraph = (0, -1)
        self._spans: list[Span] = []

    def holds(self, offset: int) -> bool:
        """Whether the character at ``offset`` stands in a fenced block or in a code span."""
        if self._none:
            return False
        if self._blocks is None:
            self._blocks = read_fences(self._text)
        if _within(self._blocks.fences, offset):
            return True
        if offset >= self._blocks.known or _within(self._blocks.html, offset):
            return False
        return _within(self._spans_around(self._blocks, offset), offset)

    def _spans_around(self, blocks: Blocks, offset: int) -> list[Span]:
        begin, end = self._paragraph
        if not begin <= offset < end:
            low, high = 0, blocks.known
            for spans in (blocks.fences, blocks.html):
                nth = bisect_right(spans, offset, key=_begin)
                low = max(low, spans[nth - 1][1] if nth else 0)
                high = min(high, spans[nth][0] if nth < len(spans) else high)
            # Offsets mostly rise: what was looked at before is not looked at again.
            low = end if low <= end <= offset else low
            for blank in BLANK.finditer(self._text, max(0, low - 1), offset):
                low = blank.end() - 1
            after = BLANK.search(self._text, offset, high)
            self._paragraph = (low, high if after is None else after.start() + 1)
            self._spans = _code_spans(self._text, *self._paragraph)
        return self._spans


def _begin(span: Span) -> int:
    return span[0]


def _within(spans: list[Span], offset: int) -> bool:
    nth = bisect_right(spans, offset, key=_begin) - 1
    return nth >= 0 and offset < spans[nth][1]


def _code_spans(text: str, begin: int, end: int) -> list[Span]:
    # Up to the first span that reaches over lines: there it matters which block each line belongs to.
    spans: list[Span] = []
    if _DEFINITION.match(text, begin, end):
        return spans
    runs = [match.span() for match in islice(_TICKS.finditer(text, begin, end), MARKUP_BUDGET + 1)]
    if len(runs) > MARKUP_BUDGET:
        return spans
    closing = _closing(text, runs)
    unclosed: set[str] = set()
    position = begin
    for _ in range(MARKUP_BUDGET):
        match = _INLINE.search(text, position, end)
        if match is None:
            break
        position = match.end()
        if match[0][0] == "`":
            first = match.start() + _escaped(text, match.start())
            after = closing.get(match.start())
            if after is not None:
                if "\n" in text[first:after]:
                    break
                spans.append((first, after))
                position = after
        elif match[0][0] == "<" and not _escaped(text, match.start()):
            position = _after_tag(text, match.start(), end, unclosed)
        elif match[0][0] == "]":
            link = _LINK.match(text, match.start(), end)
            if link is None:
                break
            position = link.end()
    return spans


def _closing(text: str, runs: list[Span]) -> dict[int, int]:
    # Where the code ends that each run of backticks begins.
    following: dict[int, int] = {}
    closing: dict[int, int] = {}
    for start, stop in reversed(runs):
        # A backslash takes a backtick from the beginning of code, and none from its end.
        after = following.get(stop - start - _escaped(text, start))
        if after is not None:
            closing[start] = after
        following[stop - start] = stop
    return closing


def _escaped(text: str, start: int) -> int:
    # Backslashes escape one another, so that only an odd one counts; of a long row most are passed over in pairs.
    while text.endswith(_BACKSLASHES, 0, start):
        start -= len(_BACKSLASHES)
    before = text[max(0, start - len(_BACKSLASHES)) : start]
    return (len(before) - len(before.rstrip("\\"))) % 2


def _after_tag(text: str, start: int, end: int, unclosed: set[str]) -> int:
    # What was once found not to end is not looked for again, so that time stays linear.
    for begin, closing in _DECLARATIONS:
        if begin.match(text, start, end):
            after = -1 if closing in unclosed else text.find(closing, start + 2, end)
            if after >= 0:
                return after + len(closing)
            unclosed.add(closing)
    tag = _TAG.match(text, start, end)
    return start + 1 if tag is None else tag.end()
