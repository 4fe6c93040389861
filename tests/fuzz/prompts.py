"""What always holds for texts in a prompt: patches, borders and the xml layout."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt

from foreword._diagnostics import Place
from foreword._model import MODES
from foreword._names import clean_title
from foreword._policy import Policy
from foreword._prepared import PreparedEdit
from foreword._prompt import Prompt
from foreword._provider import Provider
from foreword._resolve import resolve
from foreword._text import exchange, join, whole
from foreword._xml_layout import escape_body, render, split, unescape_body
from foreword.markdown._borders import neutralise, safe_title
from foreword.markdown._headings import leading_heading, targets

SEPARATOR = "\n%%\n"
"""What parts one input into several texts."""

LAYERS_OF_EDITS = ("project", "agent", "memory", "override", "session")


def patch(text: str) -> None:
    """However texts are laid over one another, each line is what its own edit has at that place."""
    first, *others = [part.strip().replace("\r", "\n") for part in text.split(SEPARATOR)[:9]]
    edits = [_edit(0, "builtin", "define", first or "x")]
    for number, part in enumerate(others):
        # The first line says mode, layer and heading; the rest is the text.
        line, _, rest = part.partition("\n")
        mode, _, heading = line.partition(" ")
        mode = mode if mode in MODES else "patch"
        layer = LAYERS_OF_EDITS[len(heading) % len(LAYERS_OF_EDITS)]
        edits.append(_edit(number + 1, layer, mode, rest.strip() or "y", heading.strip() or "#"))
        _patched(first or "x", edits[-1])
    resolution = resolve(edits, Policy())
    assert resolve(reversed(edits), Policy()) == resolution
    for section in resolution.sections:
        for span in section.standing.spans:
            if span.edit is None:
                assert not span.text
                continue
            lines = span.edit.text.split("\n")[span.offset :]
            for line, source in zip(span.text.split("\n"), lines, strict=False):
                assert source.endswith(line)
                assert not source.removesuffix(line).strip(" ")
    assert sum(len(steps) for steps in resolution.chains.values()) == len(edits)
    by_name = {edit.place.path: edit.text.split("\n") for edit in edits}
    prompt = Prompt(resolution, ())
    assert prompt.text == "\n".join(line.text for line in prompt.lines())
    for line in prompt.lines():
        if line.place is not None and line.place.line is not None:
            assert by_name[line.place.path][line.place.line - 1].endswith(line.text)


def _edit(number: int, layer: str, mode: str, text: str, heading: str | None = None) -> PreparedEdit:
    return PreparedEdit(
        id="a",
        layer=layer,
        mode=mode,  # type: ignore[arg-type]
        provider=Provider("acme", "1.0", "main"),
        place=Place(f"{number}.md", 1),
        position=number,
        text=text,
        raw=text,
        title="Title" if mode == "define" else None,
        heading=heading if mode == "patch" else None,
        trusted=layer not in ("memory", "override"),
    )


def _patched(text: str, edit: PreparedEdit) -> None:
    """A patch changes the text under its heading, and no word of anything else."""
    found = targets(text, edit.heading or "#")
    if len(found) != 1:
        return
    start, end, heading = found[0]
    lines = text.split("\n")
    assert 0 <= heading.start < heading.end == start <= end <= len(lines)
    after = join(exchange(whole(_edit(0, "builtin", "define", text)), [(start, end, edit)]))
    assert after.startswith("\n".join(lines[:start]))
    assert edit.text in after
    assert after.lstrip().endswith("\n".join(lines[end:]).lstrip(" "))


# -- borders ---------------------------------------------------------------------------------------


class Heading(NamedTuple):
    """A heading as CommonMark reads it."""

    level: int
    depth: int
    content: str
    start: int
    end: int


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 300}).disable("inline")


def _headings(text: str, lines: int = 0) -> list[Heading]:
    tokens = _parser().parse(text)
    return [
        Heading(int(token.tag[1:]), token.level, tokens[place + 1].content, token.map[0] + lines, token.map[1] + lines)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map is not None
    ]


AROUND = [
    ("## Title\n", "\n\n## Next\nbody"),
    ("# Top\n\n- item\n\n  1. inner\n\n", "\n\nUnder\n===\n\n- # In a list"),
    ("> # quoted\n\n-\n\n", "\n\n> # q\n\n2. b\n   # h\n\n    # code"),
    ("", "\n\n[x]: /y\n\n#"),
]


def borders(text: str) -> None:
    """No untrusted text changes a heading around it, or has one of level 1 or 2."""
    text = text.strip()
    if not text:
        return
    title = leading_heading(text) if len(text) % 2 else None
    result = neutralise(text, title=title)
    for before, after in AROUND:
        found = _headings(before + result.text + after)
        above = _headings(before)
        below = _headings(after, (before + result.text).count("\n"))
        assert found[: len(above)] == above
        assert found[len(found) - len(below) :] == below
        assert all(heading.level >= 3 for heading in found[len(above) : len(found) - len(below)])
    again = neutralise(result.text, title=None)
    assert (again.text, again.lines) == (result.text, None)
    count = text.count("\n") + 1
    lines = result.lines if result.lines is not None else tuple(range(count))
    assert len(lines) == result.text.count("\n") + 1
    assert list(lines) == sorted(lines)
    assert all(0 <= line < count for line in lines)
    assert all(0 <= note.line < count for note in result.notes)
    _title(text[:200])


def _title(title: str) -> None:
    safe = safe_title(title)
    assert safe.replace("\\", "") == clean_title(title).replace("\\", "")
    assert safe_title(safe) == safe
    heading, *rest = _headings(f"## {safe}\n\n## Next")
    assert heading == Heading(2, 0, safe, 0, 1)
    assert [(other.level, other.content) for other in rest] == [(2, "Next")]


# -- the xml layout --------------------------------------------------------------------------------


def xml(text: str) -> None:
    """A reader of the xml layout finds exactly the sections that went in."""
    parts = text.split(SEPARATOR)[:12]
    sections = [
        (parts[at], parts[at + 1] if len(parts[at]) % 3 else None, parts[at + 2]) for at in range(0, len(parts) - 2, 3)
    ]
    found = split(render(sections))
    assert found == [(id, title, escape_body(body)[0]) for id, title, body in sections]
    assert [(id, title, unescape_body(body)) for id, title, body in found] == sections
    with suppress(ValueError):
        split(text)
