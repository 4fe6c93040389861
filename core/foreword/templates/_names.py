"""Mode ``names``: registered variables are put in the place of their names, and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
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

# A text is kept in pieces if it has few placeholders, or few for its length.
_FEW: Final = 64
_APART: Final = 512
_AT_ONCE: Final = 64


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


class NamesTemplate:
    """A text that is taken apart once, to be rendered with many values.

    A text that is full of placeholders is taken apart anew whenever it is rendered, and a little at a time: all of its
    pieces would take many times the memory that it takes itself.
    """

    __slots__ = ("_kept", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        # One character is looked for first, which is many times as fast as two.
        most = text.count("{{") if "{" in text else 0
        self._kept = tuple(_pieces(text, most + 1)) if most <= _FEW + len(text) // _APART else None

    @property
    def names(self) -> frozenset[str]:
        """The names of all placeholders, those after a backslash too."""
        return frozenset(name for pieces in self._taken_apart() for name in pieces[2::4])

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Return what `render_names` returns for the text.

        Args:
            values: the registered variables.
        """
        done: list[str] = []
        longer = missing = False
        for pieces in self._taken_apart():
            put = pieces.copy()
            place = 2
            for name in pieces[2::4]:
                opening = pieces[place - 1]
                escaped = opening[0] == "\\"
                if name not in values:
                    missing = missing or not escaped
                elif escaped:
                    put[place - 1] = opening[1:]
                else:
                    value = str(values[name])
                    put[place - 1 : place + 2] = "", value, ""
                    longer = longer or "\n" in value
                place += 4
            done.append("".join(put))
        return Rendered(
            "".join(done),
            self._lines(values) if longer else None,
            tuple(self._unknown(values)) if missing else (),
        )

    def _taken_apart(self) -> Iterable[list[str]]:
        return _pieces(self._text, _AT_ONCE) if self._kept is None else self._kept

    def _lines(self, values: Mapping[str, Value]) -> tuple[int, ...] | None:
        lines = tuple(chain.from_iterable(self._runs(values)))
        return lines if len(lines) > lines[-1] + 1 else None

    def _runs(self, values: Mapping[str, Value]) -> Iterator[Iterable[int]]:
        """Return the lines that the lines of the rendered text come from, a few at a time."""
        line = 0
        yield (0,)
        for text, opening, name in self._placeholders():
            breaks = text.count("\n")
            if breaks:
                yield range(line + 1, line + 1 + breaks)
                line += breaks
            if name in values and opening[0] != "\\":
                yield repeat(line, str(values[name]).count("\n"))

    def _unknown(self, values: Mapping[str, Value]) -> Iterator[Unknown]:
        line, told = 0, set[str]()
        for text, opening, name in self._placeholders():
            breaks = text.count("\n")
            if breaks:
                line += breaks
                told.clear()
            if name and name not in values and name not in told and opening[0] != "\\":
                told.add(name)
                yield Unknown(name, line)

    def _placeholders(self) -> Iterator[tuple[str, str, str]]:
        """Return each text before a placeholder, how that opens, and its name; the text behind the last has none."""
        for pieces in self._taken_apart():
            yield from zip(pieces[0::4], [*pieces[1::4], ""], [*pieces[2::4], ""], strict=True)


def _pieces(text: str, most: int) -> Iterator[list[str]]:
    """Take a text apart: what stands before a placeholder, how it opens, its name, how it closes, and so on.

    The last piece is a text. A backslash before the braces belongs to what opens the placeholder.

    Args:
        text: the source.
        most: how many placeholders are taken at once.
    """
    pieces: list[str] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        begin, stop = match.span("name")
        start = match.start()
        if text[start - 1 : start] == "\\":
            start -= 1
        pieces += text[end:start], text[start:begin], match["name"], text[stop : match.end()]
        end = match.end()
        if len(pieces) == 4 * most:
            yield [*pieces, ""]
            pieces.clear()
    yield [*pieces, text[end:]]


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
