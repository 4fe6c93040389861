"""Borders: an untrusted text stays inside its section, whatever Markdown it holds.

The default layout tells sections apart by their headings. So the headings of an untrusted text become
deeper than the title of a section, and what the text leaves open is closed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from foreword._names import clean_title, title_key
from foreword.markdown._blocks import BlockHeading, Blocks, Mend, Open, TooDeepError, read_blocks
from foreword.markdown._headings import leading_heading
from foreword.markdown._plain_blocks import is_deep, plain_blocks

SHALLOWEST: Final = 3
"""The level of the shallowest heading that an untrusted text may have."""

_DEEPEST: Final = 6
_MAX_REPEATED: Final = 2000
_RAW_HTML: Final = re.compile("<(?:[!?]|script|pre|style|textarea)", re.IGNORECASE)
_SIGN_AT_END: Final = re.compile(r"=[ \t]*(?:\n|\Z)")
_HYPHEN_AT_END: Final = re.compile(r"-[ \t]*(?:\n|\Z)")
_CLOSING: Final = re.compile(r"(?:(?<=[ \t])|\A)#+\Z")


class Note(NamedTuple):
    """One thing that was done to a text, and the line of the source, from 0.

    ``kind`` is ``title``, ``headings``, ``closed``, ``mended`` or ``fenced``.
    """

    kind: str
    message: str
    line: int


class Neutralised(NamedTuple):
    """A text that stays inside its section.

    ``lines`` is, for each line of the text, the line of the source from 0; None when they are the same.
    """

    text: str
    lines: tuple[int, ...] | None
    notes: tuple[Note, ...]


def neutralise(text: str, *, title: str | None) -> Neutralised:
    r"""Return a text that changes no heading outside of it, and has none of level 1 or 2.

    Args:
        text: one untrusted text, trimmed. It stands at the start of a line, after a heading or a blank line.
        title: the title of its section; a heading with which the text begins and that repeats it is left out.

    >>> neutralise("# Style\n## Tone\n```", title="Style")[:2]
    ('### Tone\n```\n```', (1, 2, 2))
    """
    if not is_noteworthy(text) or (is_deep(text) and not _begins_with(text, title)):
        return Neutralised(text, None, ())
    blocks = plain_blocks(text)
    if blocks is not None and not _is_work(blocks, title):
        return Neutralised(text, None, ())
    lines, sources = _split(text)
    if blocks is None:
        try:
            blocks = read_blocks(lines)
        except TooDeepError:
            return _fenced(lines, sources)
    work = _Work(lines, sources, blocks)
    if title is not None:
        work.leave_out_title(title)
    work.shift_headings()
    work.mend(blocks.mends)
    if blocks.open is not None:
        work.close(blocks.open)
    return work.done()


def is_noteworthy(text: str) -> bool:
    """Return whether a text holds anything without which it has no heading, and nothing that can stay open."""
    # One character is looked for first, which is many times as fast as a pattern.
    return (
        "#" in text
        or "\r" in text
        or ("`" in text and "```" in text)
        or ("~" in text and "~~~" in text)
        or ("<" in text and _RAW_HTML.search(text) is not None)
        or ("=" in text and _SIGN_AT_END.search(text) is not None)
        or ("-" in text and _HYPHEN_AT_END.search(text) is not None)
    )


def safe_title(title: str) -> str:
    r"""Return a title that reads, after ``##`` and a space, as one heading with just that text.

    >>> safe_title("C #")
    'C \\#'
    """
    return _one_line(clean_title(title))


def _begins_with(text: str, title: str | None) -> bool:
    """Whether a text whose blocks are plain begins with a heading that repeats a title."""
    return title is not None and text.startswith("#") and _reads_like(text.partition("\n")[0], title_key(title))


def _is_work(blocks: Blocks, title: str | None) -> bool:
    first = blocks.headings[0] if blocks.headings else None
    if title is not None and first is not None and first.start == 0 and _repeats(first, title_key(title)):
        return True
    return any(heading.level < SHALLOWEST for heading in blocks.headings)


class _Work:
    """What is to change in the lines of one text: slices to exchange, and lines to leave out."""

    def __init__(self, lines: Sequence[str], sources: Sequence[int], blocks: Blocks) -> None:
        self._lines = lines
        self._sources = sources
        self._headings = blocks.headings
        self._changes: list[Mend] = []
        self._left_out: set[int] = set()
        self._added: list[str] = []
        self._notes: list[Note] = []

    def leave_out_title(self, title: str) -> None:
        first = 0
        key = title_key(title)
        while self._headings and self._headings[0].start == first and _repeats(self._headings[0], key):
            after = self._headings[0].end
            while after < len(self._lines) and not self._lines[after].strip(" \t"):
                after += 1
            # Trimmed, an indented line would be read as something else; one that becomes a heading is not indented.
            if after < len(self._lines) and self._lines[after][0].isspace() and not self._begins_heading(after):
                return
            self._note("title", "a heading repeats the title of the section and is left out", first)
            self._left_out.update(range(first, after))
            first = after
            del self._headings[0]

    def _begins_heading(self, line: int) -> bool:
        return any((heading.start, heading.at) == (line, 0) for heading in self._headings[1:2])

    def shift_headings(self) -> None:
        shift = SHALLOWEST - min((heading.level for heading in self._headings), default=SHALLOWEST)
        if shift <= 0:
            return
        levels = "one level" if shift == 1 else f"{shift} levels"
        self._note("headings", f"its headings are {levels} deeper than written", self._headings[0].start)
        for heading in self._headings:
            signs = "#" * min(heading.level + shift, _DEEPEST)
            start, at = heading.start, heading.at
            if heading.underlined:
                text = f"{signs} {_one_line(heading.text)}"
                self._changes.append(Mend(start, at, len(self._lines[start]), text))
                self._left_out.update(range(start + 1, heading.end))
            else:
                self._changes.append(Mend(start, at, at + heading.level, signs))

    def mend(self, mends: Sequence[Mend]) -> None:
        self._changes += mends
        first = next((mend.line for mend in mends if mend.line not in self._left_out), None)
        if first is not None:
            self._note("mended", "parsers disagree on what some lines are, and now read them in one way", first)

    def close(self, open: Open) -> None:
        self._added.append(open.closing)
        self._note("closed", f"{open.what} is left open and is closed at the end", open.line)

    def done(self) -> Neutralised:
        changed = list(self._lines)
        # From right to left, so that the places of the others stay.
        for line, start, end, text in sorted(self._changes, reverse=True):
            changed[line] = changed[line][:start] + text + changed[line][end:]
        if self._keeps_lines():
            return Neutralised("\n".join(changed), None, tuple(self._notes))
        kept = [
            (part, self._sources[number])
            for number, line in enumerate(changed)
            if number not in self._left_out
            for part in line.split("\n")
        ]
        kept += [(line, self._sources[-1]) for line in self._added]
        kept = kept or [("", self._sources[0])]
        sources = tuple(source for _, source in kept)
        same = sources == tuple(range(self._sources[-1] + 1))
        return Neutralised("\n".join(line for line, _ in kept), None if same else sources, tuple(self._notes))

    def _keeps_lines(self) -> bool:
        moved = self._left_out or self._added or any("\n" in change.text for change in self._changes)
        return not moved and isinstance(self._sources, range)

    def _note(self, kind: str, message: str, line: int) -> None:
        self._notes.append(Note(kind, message, self._sources[line]))


def _split(text: str) -> tuple[list[str], Sequence[int]]:
    """Return the lines as CommonMark has them, and of each the line of the text it stands in."""
    if "\r" not in text:
        lines = text.split("\n")
        return lines, range(len(lines))
    pairs = [
        (part, number)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"))
        for part in line.split("\r")
    ]
    return [part for part, _ in pairs], [number for _, number in pairs]


def _fenced(lines: Sequence[str], sources: Sequence[int]) -> Neutralised:
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    note = Note("fenced", "quotes and lists stand too deep inside one another, so the text stands in a code fence", 0)
    return Neutralised(f"{fence}\n{text}\n{fence}", (sources[0], *sources, sources[-1]), (note,))


def _repeats(heading: BlockHeading, key: str) -> bool:
    return heading.outermost and _reads_like(heading.text, key, underlined=heading.underlined)


def _reads_like(heading: str, key: str, *, underlined: bool = False) -> bool:
    if not key or len(heading) > _MAX_REPEATED:
        return False
    found = leading_heading(f"# {heading}" if underlined else heading)
    return found is not None and title_key(found) == key


def _one_line(text: str) -> str:
    """Return the text of a heading, such that signs at its end are not taken for the heading's own."""
    return _CLOSING.sub(lambda signs: f"\\{signs[0]}", text)
