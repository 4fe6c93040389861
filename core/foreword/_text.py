"""The text of a section as spans, so that every line keeps its origin through every edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._prepared import PreparedEdit, Span

BLANK = Span("")


def whole(edit: PreparedEdit) -> tuple[Span, ...]:
    """Return the edit's text as the whole text of a section."""
    return (Span(edit.text, edit, 0),)


def join(spans: Sequence[Span]) -> str:
    """Return the text that the spans make."""
    return spans[0].text if len(spans) == 1 else "\n".join(span.text for span in spans)


def surround(
    spans: tuple[Span, ...], before: Sequence[PreparedEdit], after: Sequence[PreparedEdit]
) -> tuple[Span, ...]:
    """Return the spans with texts put before and after them, one blank line between the parts."""
    parts: list[Span] = []
    for edit in before:
        parts += (Span(edit.text, edit), BLANK)
    parts += spans
    for edit in after:
        parts += (BLANK, Span(edit.text, edit))
    return tuple(parts)


def exchange(spans: Sequence[Span], bodies: Sequence[tuple[int, int, PreparedEdit]]) -> tuple[Span, ...]:
    """Return the spans with the lines of each body exchanged for an edit's text.

    A body is a half-open range of lines under a heading. The blank lines at its ends stay, so that
    nothing but the text under the heading changes.
    """
    lines = list(_lines(spans))
    for start, end, edit in sorted(bodies, key=lambda body: body[0], reverse=True):
        first, last = start, end
        while first < last and not lines[first].text.strip():
            first += 1
        while last > first and not lines[last - 1].text.strip():
            last -= 1
        new = [Span(text, edit, offset) for offset, text in enumerate(edit.text.split("\n"))]
        if first == last:
            # Nothing stood under the heading: the blank lines there are one separator.
            first, last = start, end
            new = [BLANK, *new]
        if last < len(lines) and lines[last].text.strip():
            new = [*new, BLANK]
        lines[first:last] = new
        if (after := end + len(new) - (last - first)) < len(lines):
            # Behind a list, an indented heading would become part of its last item.
            heading = lines[after]
            if heading.text.strip():
                lines[after] = heading._replace(text=heading.text.lstrip(" "))
    return tuple(_merged(lines))


def _lines(spans: Sequence[Span]) -> Iterator[Span]:
    for span in spans:
        for offset, text in enumerate(span.text.split("\n"), span.offset):
            yield Span(text, span.edit, offset)


def _merged(lines: Sequence[Span]) -> Iterator[Span]:
    run: list[Span] = []
    for line in lines:
        if run and not (line.edit is run[-1].edit is not None and line.offset == run[-1].offset + 1):
            yield Span("\n".join(part.text for part in run), run[0].edit, run[0].offset)
            run = []
        run.append(line)
    if run:
        yield Span("\n".join(part.text for part in run), run[0].edit, run[0].offset)
