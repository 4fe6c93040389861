"""Mode ``names``: registered variables are put in the place of their names, and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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


class NamesTemplate:
    """A text that is taken apart once, to be rendered with many values.

    Attributes:
        names: the names of all placeholders, those after a backslash too.
    """

    __slots__ = ("_escapes", "_names", "_spaces", "_texts", "names")

    def __init__(self, text: str) -> None:
        # One character is looked for first, which is many times as fast as two.
        pieces: list[str] = _PLACEHOLDER.split(text) if "{" in text and "{{" in text else [text]
        self._texts = pieces[0::3]
        self._spaces = pieces[1::3]
        self._names = pieces[2::3]
        self._escapes = "\\" in text and "\\{{" in text
        self.names = frozenset(self._names)

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Return what `render_names` returns for the text.

        Args:
            values: the registered variables.
        """
        known = {name: str(values[name]) for name in self.names if name in values}
        texts, put, unknown = self._texts, self._names, dict[Unknown, None]()
        if len(known) == len(self.names) and not self._escapes:
            put = [known[name] for name in put]
        elif put:
            texts, put, unknown = self._chosen(known)
        parts = [""] * (len(texts) + len(put))
        parts[0::2] = texts
        parts[1::2] = put
        longer = any("\n" in value for value in known.values())
        return Rendered("".join(parts), self._lines(put) if longer else None, tuple(unknown))

    def _chosen(self, known: Mapping[str, str]) -> tuple[list[str], list[str], dict[Unknown, None]]:
        """Return the texts around the placeholders, what is put between them, and which are not registered."""
        texts, put = list(self._texts), list[str]()
        unknown: dict[Unknown, None] = {}
        line = 0
        for nth, name in enumerate(self._names):
            line += texts[nth].count("\n")
            escaped = texts[nth].endswith("\\")
            if name in known and not escaped:
                put.append(known[name])
                continue
            space = self._spaces[nth]
            put.append(f"{{{{{space}{name}{space}}}}}")
            if name in known:
                texts[nth] = texts[nth][:-1]
            elif not escaped:
                unknown[Unknown(name, line)] = None
        return texts, put, unknown

    def _lines(self, put: Sequence[str]) -> tuple[int, ...] | None:
        lines = [0]
        for text, value in zip(self._texts, (*put, ""), strict=True):
            lines += range(lines[-1] + 1, lines[-1] + 1 + text.count("\n"))
            lines += [lines[-1]] * value.count("\n")
        return tuple(lines) if len(lines) > lines[-1] + 1 else None


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
