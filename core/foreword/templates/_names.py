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

_Pieces = tuple[list[tuple[str, str, str]], str]
"""Each placeholder as the text before it, its space and its name; and the text behind the last."""

# A text is kept in pieces if it has few placeholders, or few for its length.
_FEW: Final = 64
_APART: Final = 256
_AT_ONCE: Final = 256


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
        self._kept = tuple(_pieces(text, len(text))) if most <= _FEW + len(text) // _APART else None

    @property
    def has_placeholders(self) -> bool:
        """Whether there is anything to render."""
        return any(placeholders for placeholders, _ in self._pieces())

    @property
    def names(self) -> frozenset[str]:
        """The names of all placeholders, those after a backslash too."""
        return frozenset(name for placeholders, _ in self._pieces() for _, _, name in placeholders)

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Return what `render_names` returns for the text.

        Args:
            values: the registered variables.
        """
        parts, longer, missing = self._parts(values)
        text = "".join(parts)
        parts.clear()
        lines = self._lines(values) if longer else None
        return Rendered(text, lines, tuple(self._unknown(values)) if missing else ())

    def _pieces(self) -> Iterable[_Pieces]:
        return _pieces(self._text, _AT_ONCE) if self._kept is None else self._kept

    def _parts(self, values: Mapping[str, Value]) -> tuple[list[str], bool, bool]:
        """Return the rendered text in parts, whether a value has lines, and whether a name is not registered."""
        parts: list[str] = []
        longer = missing = False
        for placeholders, last in self._pieces():
            put: list[str] = []
            for text, space, name in placeholders:
                escaped = text[-1:] == "\\"
                if name in values and not escaped:
                    value = str(values[name])
                    put += text, value
                    longer = longer or "\n" in value
                else:
                    put += text[:-1] if name in values else text, "{{", space, name, space, "}}"
                    missing = missing or not escaped
            put.append(last)
            parts.append("".join(put))
        return parts, longer, missing

    def _lines(self, values: Mapping[str, Value]) -> tuple[int, ...] | None:
        lines = tuple(chain.from_iterable(self._runs(values)))
        return lines if len(lines) > lines[-1] + 1 else None

    def _runs(self, values: Mapping[str, Value]) -> Iterator[Iterable[int]]:
        """Return the source lines of the lines of the rendered text, some at a time."""
        line = 0
        yield (0,)
        for placeholders, last in self._pieces():
            for text, _, name in placeholders:
                if breaks := text.count("\n"):
                    yield range(line + 1, line + 1 + breaks)
                    line += breaks
                if name in values and text[-1:] != "\\":
                    yield repeat(line, str(values[name]).count("\n"))
            breaks = last.count("\n")
            yield range(line + 1, line + 1 + breaks)
            line += breaks

    def _unknown(self, values: Mapping[str, Value]) -> Iterator[Unknown]:
        line, told = 0, dict[str, None]()
        for placeholders, last in self._pieces():
            for text, _, name in placeholders:
                if breaks := text.count("\n"):
                    line += breaks
                    told.clear()
                if name not in values and name not in told and text[-1:] != "\\":
                    told[name] = None
                    yield Unknown(name, line)
            if breaks := last.count("\n"):
                line += breaks
                told.clear()


def _pieces(text: str, size: int) -> Iterator[_Pieces]:
    """Take a text apart, at least so many characters at once.

    It is cut behind two braces that close: no placeholder goes across these, nor looks back at them.
    """
    begin = 0
    while (end := text.find("}}", begin + size)) >= 0:
        yield _split(text[begin : end + 2])
        begin = end + 2
    yield _split(text[begin:])


def _split(text: str) -> _Pieces:
    pieces: list[str] = _PLACEHOLDER.split(text)
    return list(zip(pieces[:-1:3], pieces[1::3], pieces[2::3], strict=True)), pieces[-1]


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
