"""TOML with line numbers: the standard library reads the values, this says where each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Final

from foreword._diagnostics import Place
from foreword._errors import ConfigError

_PART: Final = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")
_VALUE_TOKEN: Final = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}'''
    r"""|'''.*?'{3,5}"""
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[\[{]|[\]}]|\n|[^"'\#\[\]{}\n]+""",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"(?:[ \t\n]|\#[^\n]*)*")
_INLINE_SPACE: Final = re.compile(r"[ \t]*")
_AT_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$")
_AT_END: Final = " (at end of document)"


class Lines:
    """The lines on which the keys of a TOML document stand, by dotted key."""

    def __init__(self, source: str) -> None:
        """Note every key of a valid document."""
        self._lines: dict[str, int] = {}
        for line, path in _keys(source):
            for end in range(1, len(path) + 1):
                self._lines.setdefault(".".join(path[:end]), line)

    def of(self, path: Sequence[str]) -> int | None:
        """Return the line of the key, or of the nearest key around it that stands on its own."""
        for end in range(len(path), 0, -1):
            line = self._lines.get(".".join(path[:end]))
            if line is not None:
                return line
        return None


def parse(source: str, shown: str) -> dict[str, object]:
    """Return the document's values.

    Args:
        source: the text.
        shown: the file it was read from, as its owner wrote it.

    Raises:
        ConfigError: it is not valid TOML.
    """
    try:
        return tomllib.loads(source)
    except RecursionError:
        raise ConfigError("the file is nested too deeply", Place(shown)) from None
    except ValueError as error:
        message, line = str(error), None
        if (at := _AT_LINE.search(message)) is not None:
            message, line = message[: at.start()], int(at[1])
        elif message.endswith(_AT_END):
            message, line = message.removesuffix(_AT_END) + " at the end", source.count("\n") + 1
        raise ConfigError(f"the file is not valid TOML: {message}", Place(shown, line)) from None


def _keys(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and full path of every table and of every key outside inline tables."""
    text = source.replace("\r\n", "\n")
    line, counted, table = 1, 0, tuple[str, ...]()
    position = _end(_SPACE, text, 0)
    while position < len(text):
        line, counted = line + text.count("\n", counted, position), position
        header = text[position] == "["
        while text[position] == "[":
            position += 1
        path, position = _path(text, position)
        if header:
            table = path
            yield line, path
            position = text.index("]", position)
            while position < len(text) and text[position] == "]":
                position += 1
        else:
            yield line, (*table, *path)
            position = _after_value(text, position + 1)
        position = _end(_SPACE, text, position)


def _path(text: str, position: int) -> tuple[tuple[str, ...], int]:
    parts: list[str] = []
    while True:
        position = _end(_INLINE_SPACE, text, position)
        end = _end(_PART, text, position)
        parts.append(_unquoted(text[position:end]))
        position = _end(_INLINE_SPACE, text, end)
        if text[position : position + 1] != ".":
            return tuple(parts), position
        position += 1


def _unquoted(part: str) -> str:
    if part[:1] not in ('"', "'"):
        return part
    value: str = tomllib.loads(f"key = {part}")["key"]
    return value


def _after_value(text: str, position: int) -> int:
    depth = 0
    while position < len(text) and (token := _VALUE_TOKEN.match(text, position)) is not None:
        if token[0] == "\n" and depth == 0:
            break
        depth += (token[0] in "[{") - (token[0] in "]}")
        position = token.end()
    return position


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found is not None else position
