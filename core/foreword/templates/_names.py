"""Mode ``names``: registered variables are put in the place of their names, and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

Value = str | int | float | bool

# The pattern begins with a literal, so that the regular expression engine searches for that. The
# quantifiers are possessive: an attempt that fails is not tried again with less.
_PLACEHOLDER: Final = re.compile(
    r"""
    \{\{ (?<! [${] \{\{ ) (?P<space>[ ]?+)
    (?P<name>
        [A-Za-z_] [A-Za-z0-9_]*+ (?: \. [A-Za-z_] [A-Za-z0-9_]*+ )*+
      | [0-9] [A-Za-z0-9_]*+ (?: \. [A-Za-z_] [A-Za-z0-9_]*+ )++
    )
    (?P=space) \}\}
    """,
    re.VERBOSE,
)
_LONGEST_COMPARED: Final = 100


class Unknown(NamedTuple):
    """A placeholder whose name is not registered, and the line of the source it stands in, from 0."""

    name: str
    line: int


class Rendered(NamedTuple):
    """A rendered text, the source line of each of its lines, and the placeholders that stayed.

    ``lines`` is None when line i of the text is line i of the source; lines count from 0.
    """

    text: str
    lines: tuple[int, ...] | None
    unknown: tuple[Unknown, ...]


class _Candidate(NamedTuple):
    """One placeholder: the text before it, its name, whether a backslash stands before it, and its line."""

    before: str
    name: str
    escaped: bool
    line: int
    written: str


class NamesTemplate:
    """A text that is taken apart once, to be rendered with many values.

    Attributes:
        names: the names of all placeholders, those after a backslash too.
    """

    __slots__ = ("_candidates", "_count", "_rest", "_text", "names")

    def __init__(self, text: str) -> None:
        self._text = text
        candidates: list[_Candidate] = []
        done = counted = line = 0
        for found in _PLACEHOLDER.finditer(text) if "{{" in text else ():
            start, name = found.start(), found["name"]
            line += text.count("\n", counted, start)
            counted = start
            escaped = start > 0 and text[start - 1] == "\\"
            begin = start - 1 if escaped else start
            candidates.append(_Candidate(text[done:begin], name, escaped, line, text[begin : found.end()]))
            done = found.end()
        self._candidates = tuple(candidates)
        self._rest = text[done:]
        self._count = text.count("\n") + 1
        self.names = frozenset(candidate.name for candidate in candidates)

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Return what `render_names` returns for the text.

        Args:
            values: the registered variables.
        """
        if not self._candidates:
            return Rendered(self._text, None, ())
        parts: list[str] = []
        unknown: dict[Unknown, None] = {}
        breaks: dict[int, int] = {}
        for before, name, escaped, line, written in self._candidates:
            parts.append(before)
            if name not in values:
                parts.append(written)
                if not escaped:
                    unknown[Unknown(name, line)] = None
            elif escaped:
                parts.append(written[1:])
            else:
                value = str(values[name])
                parts.append(value)
                if "\n" in value:
                    breaks[line] = breaks.get(line, 0) + value.count("\n")
        parts.append(self._rest)
        lines = tuple(_repeated(self._count, breaks)) if breaks else None
        return Rendered("".join(parts), lines, tuple(unknown))


def compile_names(text: str) -> NamesTemplate:
    """Return the template that a text is.

    Args:
        text: the source; its lines end in ``\\n``.
    """
    return NamesTemplate(text)


def render_names(text: str, values: Mapping[str, Value]) -> Rendered:
    r"""Replace each ``{{ name }}`` of a registered variable by its value, once and literally.

    Args:
        text: the source; its lines end in ``\n``.
        values: the registered variables.

    Returns:
        The text, in which everything but the placeholders stands byte for byte.

    >>> render_names("I am {{ name }}; {{secret:key}} stays.", {"name": "Ada"}).text
    'I am Ada; {{secret:key}} stays.'
    >>> render_names("I am {{ nmae }}.", {"name": "Ada"}).unknown
    (Unknown(name='nmae', line=0),)
    """
    return NamesTemplate(text).render(values)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of the names that ``name`` is most likely a slip for, or None.

    >>> nearest("Agnt_Name", ["seed_key", "agent_name"])
    'agent_name'
    """
    if len(name) > _LONGEST_COMPARED:
        return None
    from difflib import get_close_matches

    short = [other for other in sorted(names, reverse=True) if len(other) <= _LONGEST_COMPARED]
    folded = {other.lower(): other for other in short}
    close = get_close_matches(name.lower(), folded, n=1)
    return folded[close[0]] if close else None


def _repeated(count: int, breaks: Mapping[int, int]) -> Iterator[int]:
    for line in range(count):
        for _ in range(1 + breaks.get(line, 0)):
            yield line
