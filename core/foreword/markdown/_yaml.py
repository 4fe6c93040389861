"""YAML as it was written: a mapping whose scalars stay text, with the line of every key."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, TypeAlias

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

_CORE: Final = "tag:yaml.org,2002:"
_NULL: Final = f"{_CORE}null"
_STRING: Final = f"{_CORE}str"
_SEQUENCE: Final = f"{_CORE}seq"
_MAPPING: Final = f"{_CORE}map"
_KNOWN_TAGS: Final = frozenset(
    _CORE + kind for kind in ("str", "null", "seq", "map", "int", "float", "bool", "timestamp")
)
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


class BrokenYaml(ValueError):
    """A text is no YAML that can be read; the message is the reason as one clause."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


class Block:
    """One mapping: its values, and the keys given more than once.

    Where its keys stand is told only when asked, for most front matter has nothing to be said about it.
    """

    def __init__(self, text: str, first_line: int, node: MappingNode) -> None:
        self._text = text
        self._first_line = first_line
        self._node = node
        self._seen: set[int] = set()
        self.repeated: list[tuple[str, ...]] = []
        self.values: dict[str, Value] = self._mapping(node, ())

    def line(self, path: tuple[str, ...]) -> int:
        """Return the line of the innermost key on this path."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    @cached_property
    def lines(self) -> dict[tuple[str, ...], int]:
        """The line of every key by its path."""
        lines: dict[tuple[str, ...], int] = {}
        self._locate(self._node, (), lines)
        return lines

    def _mapping(self, node: MappingNode, path: tuple[str, ...]) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise BrokenYaml("a key is not text", self._line(key_node))
            key = str(key_node.value)
            if key in mapping:
                self.repeated.append((*path, key))
            mapping[key] = self._value(value_node, path, key)
        return mapping

    def _value(self, node: yaml.Node, path: tuple[str, ...], key: str) -> Value:
        tag = node.tag
        if tag not in _KNOWN_TAGS:
            raise BrokenYaml("a value has a tag of its own, beginning with '!'", self._line(node))
        # Aliases would let a short text stand for one of any size.
        if id(node) in self._seen:
            raise BrokenYaml("a value is an alias, beginning with '*'", self._line(node))
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            return self._mapping(node, (*path, key))
        if isinstance(node, SequenceNode):
            return [self._value(item, path, key) for item in node.value]
        return None if tag == _NULL else str(node.value)

    def _locate(self, node: yaml.Node, path: tuple[str, ...], lines: dict[tuple[str, ...], int]) -> None:
        if isinstance(node, SequenceNode):
            for item in node.value:
                self._locate(item, path, lines)
        elif isinstance(node, MappingNode):
            for key_node, value_node in node.value:
                here = (*path, str(key_node.value))
                lines[here] = self._line(key_node)
                self._locate(value_node, here, lines)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + self._text.count("\n", 0, node.start_mark.index)


def read_mapping(text: str, first_line: int) -> Block | None:
    """Return the mapping that a YAML text is.

    Args:
        text: The text, with newlines ``\\n``.
        first_line: The line of the file in which the text begins.

    Returns:
        The mapping, or None when the text is something else, or empty.

    Raises:
        BrokenYaml: The text is no YAML, or it asks for an object, an alias, or a key that is no scalar.
    """
    try:
        node = _LOADER(text).get_single_node()
        return Block(text, first_line, node) if isinstance(node, MappingNode) else None
    except yaml.MarkedYAMLError as error:
        # The mark's own line counts more characters as line breaks than a file's lines do.
        index = error.problem_mark.index if error.problem_mark is not None else 0
        line = first_line + text.count("\n", 0, index)
        raise BrokenYaml(error.problem or "it cannot be read", line) from error
    except (yaml.YAMLError, RecursionError, UnicodeError) as error:
        raise BrokenYaml(str(error).partition("\n")[0], first_line) from error


class _TextResolver:
    """Resolves nothing but null, so that ``3000``, ``yes`` and a date stay text."""

    def descend_resolver(self, *_: object) -> None:
        """Begin a node; no path means anything here."""

    def ascend_resolver(self) -> None:
        """End a node."""

    def resolve(self, kind: object, value: object, implicit: tuple[bool, bool]) -> str:
        """Return the tag of a node that has none of its own."""
        if kind is ScalarNode:
            return _NULL if implicit[0] and value in _NULLS else _STRING
        return _SEQUENCE if kind is SequenceNode else _MAPPING


def text_loader(base: type[Any]) -> Any:
    """Return a loader, made of a parser, for which every scalar but null is text."""
    return type("TextLoader", (_TextResolver, base), {})


def _parser() -> type[Any]:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return yaml.SafeLoader
    return CParser


_LOADER: Final = text_loader(_parser())
