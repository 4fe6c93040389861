"""YAML as it was written: a mapping whose scalars stay text, with the line of every key."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

import yaml

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

_CORE: Final = "tag:yaml.org,2002:"
_NULL: Final = f"{_CORE}null"
_KNOWN_TAGS: Final = frozenset(
    _CORE + kind for kind in ("str", "null", "seq", "map", "int", "float", "bool", "timestamp")
)


class BrokenYaml(ValueError):
    """A text is no YAML that can be read; the message is the reason as one clause."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """One mapping: its values, the line of every key by its path, and the keys given more than once."""

    values: dict[str, Value] = field(default_factory=dict[str, Value])
    lines: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    repeated: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def line(self, path: tuple[str, ...]) -> int:
        """Return the line of the innermost key on this path."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


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
        node = cast("object", yaml.compose(text, Loader=_LOADER))
        if not isinstance(node, yaml.MappingNode):
            return None
        return _Reading(text, first_line).block(node)
    except yaml.MarkedYAMLError as error:
        # The mark's own line counts more characters as line breaks than a file's lines do.
        index = error.problem_mark.index if error.problem_mark is not None else 0
        line = first_line + text.count("\n", 0, index)
        raise BrokenYaml(error.problem or "it cannot be read", line) from error
    except (yaml.YAMLError, RecursionError, UnicodeError) as error:
        raise BrokenYaml(str(error).partition("\n")[0], first_line) from error


class _Reading:
    """Turns the nodes of one text into plain values."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line
        self._seen: set[int] = set()
        self._block = Block()

    def block(self, node: yaml.MappingNode) -> Block:
        self._block.values.update(self._mapping(node, ()))
        return self._block

    def _mapping(self, node: yaml.MappingNode, path: tuple[str, ...]) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise BrokenYaml("a key is not text", self._line(key_node))
            key = str(key_node.value)
            here = (*path, key)
            if key in mapping:
                self._block.repeated.append(here)
            self._block.lines[here] = self._line(key_node)
            mapping[key] = self._value(value_node, here)
        return mapping

    def _value(self, node: yaml.Node, path: tuple[str, ...]) -> Value:
        if node.tag not in _KNOWN_TAGS:
            raise BrokenYaml("a value has a tag of its own, beginning with '!'", self._line(node))
        # Aliases would let a short text stand for one of any size.
        if id(node) in self._seen:
            raise BrokenYaml("a value is an alias, beginning with '*'", self._line(node))
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, path) for item in node.value]
        return None if node.tag == _NULL else str(node.value)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + self._text.count("\n", 0, node.start_mark.index)


def text_loader(base: type[Any]) -> Any:
    """Return a loader that resolves nothing but null, so that ``3000``, ``yes`` and a date stay text."""
    null = (_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"))
    resolvers = {first: [null] for first in ("~", "n", "N", "")}
    return type("TextLoader", (base,), {"yaml_implicit_resolvers": resolvers})


_LOADER: Final = text_loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader))
