"""Mode ``jinja``: Jinja2 for the operator's own texts, in a sandbox that a slip cannot leave.

The tree of a template passes the gate before it is compiled, so that nothing runs that has not been
looked at. Of Jinja2's globals, filters and tests only those of the gate exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import TracebackType
from typing import Final

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.ext import Extension
from jinja2.lexer import Lexer, Token, TokenStream, integer_re
from jinja2.sandbox import ImmutableSandboxedEnvironment

from foreword.templates._jinja_gate import Gate, no_variable
from foreword.templates._jinja_rules import JinjaError
from foreword.templates._names import Value

from . import _jinja_rules as rules

__all__ = ["JinjaError", "render_jinja"]

_FILE: Final = "<foreword template>"


def render_jinja(text: str, values: Mapping[str, Value]) -> tuple[str, tuple[int, ...]]:
    r"""Render a template.

    Args:
        text: the template; its lines end in ``\n``.
        values: the registered variables.

    Returns:
        The text, and for each of its lines the line of the template it comes from, from 0.

    Raises:
        JinjaError: the template is broken, holds something that is not allowed, or cannot be rendered.

    >>> render_jinja("{% if channel == 'slack' -%}\nBe brief.\n{%- endif %}", {"channel": "slack"})
    ('Be brief.', (1,))
    """
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return text, tuple(range(text.count("\n") + 1))
    if len(text) > rules.MAX_SOURCE:
        raise JinjaError(f"the template is longer than {rules.MAX_SOURCE} characters", 0)
    template: Template | None = None
    try:
        context = dict(_context(values))
        environment = _environment()
        tree = environment.parse(text, filename=_FILE)
        Gate(values).check(tree)
        code = environment.compile(tree, filename=_FILE)
        template = Template.from_code(environment, code, {rules.RANGE: range})
        return _joined(template.root_render_func(template.new_context(context)))
    except JinjaError:
        raise
    except TemplateSyntaxError as problem:
        raise JinjaError(_message(problem, values), problem.lineno - 1) from problem
    # Jinja2 lets through whatever Python raises: RecursionError, ValueError, SyntaxError, MemoryError...
    except Exception as problem:
        raise JinjaError(_message(problem, values), _line(template, problem.__traceback__)) from problem


class _TokenLimit(Extension):
    """Stops the parser: it takes its time over a long template, and the gate comes only after it."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for count, token in enumerate(stream):
            if count == rules.MAX_TOKENS:
                message = f"the template is too large: it has more than {rules.MAX_TOKENS} words and signs"
                raise JinjaError(message, token.lineno - 1)
            yield token


class _Environment(ImmutableSandboxedEnvironment):
    @property
    def lexer(self) -> Lexer:
        return _lexer(self)


@cache
def _lexer(environment: _Environment) -> Lexer:
    """Return Jinja2's lexer, made to read a number of any length without 280 bytes for each of its digits."""
    lexer = Lexer(environment)
    # Possessive quantifiers keep no way back, and none is wanted: nothing follows them.
    number = re.compile(integer_re.pattern.replace(")+", ")++").replace(")*", ")*+"), integer_re.flags)
    for state, known in lexer.rules.items():
        lexer.rules[state] = [rule._replace(pattern=number) if rule.pattern is integer_re else rule for rule in known]
    return lexer


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = _Environment(
        autoescape=False,
        extensions=[_TokenLimit],
        keep_trailing_newline=True,
        loader=None,
        optimized=False,
        undefined=StrictUndefined,
    )
    environment.globals = {}
    environment.filters = {name: environment.filters[name] for name in rules.FILTERS}
    # Jinja2's own use %, which formats when the value is a text.
    own = {"even": _even, "odd": _odd}
    environment.tests = {name: own.get(name) or environment.tests[name] for name in rules.TESTS}
    return environment


def _even(value: object) -> bool:
    if not isinstance(value, int):
        raise TypeError(f"{str(value)[:100]!r} is no whole number")
    return value % 2 == 0


def _odd(value: object) -> bool:
    return not _even(value)


def _context(values: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    for name, value in values.items():
        if type(value) not in (str, int, float, bool):
            kind = type(value).__name__
            raise JinjaError(f"the value of {name!r} is a {kind}, not a text, a number or a boolean")
        yield name.replace(".", rules.DOT), value


def _joined(stream: Iterator[str]) -> tuple[str, tuple[int, ...]]:
    """Join the pieces, each of which follows its mark, and trace every line."""
    parts: list[str] = []
    lines: list[int] = []
    size = line = 0
    begun: int | None = None
    for mark, piece in zip(stream, stream, strict=True):
        kind, _, number = mark.partition(" ")
        line = int(number)
        size += len(piece)
        if size > rules.MAX_OUTPUT:
            raise JinjaError(f"the rendered text is longer than {rules.MAX_OUTPUT} characters", line)
        parts.append(piece)
        first, *others = piece.split("\n")
        if begun is None and first.strip():
            begun = line
        for other in others:
            lines.append(line if begun is None else begun)
            if kind == rules.TEXT:
                line += 1
            begun = line if other.strip() else None
    lines.append(line if begun is None else begun)
    return "".join(parts), tuple(lines)


def _message(problem: Exception, values: Mapping[str, Value]) -> str:
    if isinstance(problem, UndefinedError):
        name = re.fullmatch(r"'(.+)' is undefined", problem.message or "")
        if name:
            return no_variable(name[1].replace(rules.DOT, "."), values)
    if isinstance(problem, TemplateError) and problem.message:
        return problem.message
    if isinstance(problem, RecursionError):
        return "the template is nested too deeply"
    return f"the template cannot be rendered: {type(problem).__name__}: {problem}"[:500]


def _line(template: Template | None, traceback: TracebackType | None) -> int | None:
    """The template's line at which it was left: the frames below it belong to Jinja2."""
    found: int | None = None
    while template is not None and traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            found = template.get_corresponding_lineno(traceback.tb_lineno) - 1
        traceback = traceback.tb_next
    return found
