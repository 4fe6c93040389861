"""What a template of mode ``jinja`` may hold, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jinja2 import nodes

MAX_SOURCE: Final = 512 * 1024
MAX_OUTPUT: Final = 256 * 1024
MAX_TOKENS: Final = 30_000
MAX_NODES: Final = 5_000
MAX_DEPTH: Final = 40
MAX_FILTERS: Final = 10
MAX_LOOPS: Final = 2
MAX_ITEMS: Final = 1_000
MAX_INTEGER: Final = 10**12
MAX_STEPS: Final = 200_000
STEP_CHARACTERS: Final = 16
"""So many characters that a value has count as one step, for each level around it."""

FILTERS: Final[Mapping[str, tuple[int, int, str]]] = {
    "abs": (0, 0, "nothing"),
    "capitalize": (0, 0, "nothing"),
    "default": (1, 2, "one value, or a value and true,"),
    "first": (0, 0, "nothing"),
    "float": (0, 0, "nothing"),
    "int": (0, 0, "nothing"),
    "join": (0, 1, "at most a separator"),
    "last": (0, 0, "nothing"),
    "length": (0, 0, "nothing"),
    "lower": (0, 0, "nothing"),
    "round": (0, 0, "nothing"),
    "string": (0, 0, "nothing"),
    "title": (0, 0, "nothing"),
    "trim": (0, 0, "nothing"),
    "upper": (0, 0, "nothing"),
}
"""Each filter, the fewest and the most arguments that it takes, and what they are."""

TESTS: Final[Mapping[str, int]] = {
    "boolean": 0,
    "defined": 0,
    "eq": 1,
    "even": 0,
    "false": 0,
    "float": 0,
    "ge": 1,
    "gt": 1,
    "integer": 0,
    "le": 1,
    "lt": 1,
    "ne": 1,
    "none": 0,
    "number": 0,
    "odd": 0,
    "string": 0,
    "true": 0,
    "undefined": 0,
}
"""Each test and the number of its arguments."""

LOOP_VARIABLES: Final = ("loop.first", "loop.index", "loop.last")

# A letter that an identifier may hold but no registered name does, and with which none begins.
DOT: Final = "\u00b7"
RANGE: Final = DOT + "range"
TEXT: Final = "text"
VALUE: Final = "value"

STATEMENTS: Final = "only {{ … }}, {% if %}, {% for %}, {% raw %} and comments are"
EXPRESSIONS: Final = "only names, constants, ~, comparisons, and, or, not, if … else, filters and tests are"
CONSTRUCTS: Final[Mapping[type[nodes.Node], str]] = {
    nodes.Assign: "{% set %}",
    nodes.AssignBlock: "{% set %}",
    nodes.Block: "{% block %}",
    nodes.CallBlock: "{% call %}",
    nodes.Extends: "{% extends %}",
    nodes.FilterBlock: "{% filter %}",
    nodes.FromImport: "{% from %}",
    nodes.Import: "{% import %}",
    nodes.Include: "{% include %}",
    nodes.Macro: "{% macro %}",
    nodes.With: "{% with %}",
    nodes.Add: "+",
    nodes.Call: "a call",
    nodes.Dict: "a dictionary",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
    nodes.Getitem: "an index in brackets",
    nodes.Mod: "%",
    nodes.Mul: "*",
    nodes.Neg: "-",
    nodes.Pos: "+",
    nodes.Pow: "**",
    nodes.Sub: "-",
}
"""What the constructs that are not allowed are called."""


class JinjaError(Exception):
    """A template of mode ``jinja`` that cannot be rendered.

    ``message`` is one sentence; ``line`` is the template's line, from 0, or None where it is not known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
