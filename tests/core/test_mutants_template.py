"""Templates, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

import pytest

from foreword import _jinja_rules as rules
from foreword._jinja import JinjaError, render_jinja
from foreword._template import nearest


def test_the_longest_name_that_is_compared() -> None:
    """Names up to a hundred characters are compared, on both sides, and longer ones are not."""
    assert nearest("x" * 100, ["x" * 100]) == "x" * 100
    assert nearest("x" * 101, ["x" * 100]) is None
    assert nearest("x" * 100, ["x" * 101]) is None


def test_pieces_of_text_count_as_parts() -> None:
    """The text between placeholders counts towards the size of a template."""
    pair = "{{ 1 }}x"
    most = (rules.MAX_NODES - 1) // 2
    assert render_jinja(pair * most, {})[0] == "1x" * most
    with pytest.raises(JinjaError, match=f"more than {rules.MAX_NODES} parts"):
        render_jinja(pair * (most + 1), {})


WRAPPERS = {
    "output": "{{ % }}",
    "if": "{% if % %}a{% endif %}",
    "elif": "{% if false %}a{% elif % %}b{% endif %}",
    "second elif": "{% if false %}a{% elif false %}b{% elif % %}b{% endif %}",
    "body": "{% if true %}{{ % }}{% endif %}",
    "elif body": "{% if false %}a{% elif true %}{{ % }}{% endif %}",
    "else body": "{% if false %}a{% else %}{{ % }}{% endif %}",
    "loop body": "{% for i in [1] %}{{ % }}{% endfor %}",
    "loop else": "{% for i in [] %}a{% else %}{{ % }}{% endfor %}",
}
EXPRESSIONS = {
    "and": "% and true",
    "and right": "true and %",
    "or": "% or true",
    "or right": "false or %",
    "not": "not %",
    "joined": "% ~ 'a'",
    "joined right": "'a' ~ %",
    "condition": "'a' if % else 'b'",
    "then": "% if true else 'b'",
    "else": "'a' if false else %",
    "compared": "% == 'a'",
    "compared with": "'a' == %",
    "compared twice": "'a' != 'b' != %",
    "filtered": "%|upper",
    "argument": "nope|default(%)",
    "tested": "% is string",
    "tested with": "'a' is eq(%)",
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_nothing_is_hidden_from_the_gate_in_a_statement(name: str) -> None:
    """Wherever an expression may stand, a call in it is refused and a dotted variable is one."""
    _held(WRAPPERS[name].replace(" % ", " @ "))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_nothing_is_hidden_from_the_gate_in_an_expression(name: str) -> None:
    """Wherever an expression may stand in another, a call in it is refused and a dotted variable is one."""
    _held(f"{{{{ {EXPRESSIONS[name].replace('%', '@')} }}}}")


def _held(template: str) -> None:
    with pytest.raises(JinjaError, match="a call is not allowed") as caught:
        render_jinja("\n" + template.replace("@", "(x.upper())"), {"x": "a"})
    assert caught.value.line == 1
    assert render_jinja(template.replace("@", "a.b"), {"a.b": "a"}) == render_jinja(template.replace("@", "'a'"), {})
    with pytest.raises(JinjaError, match="more than"):
        render_jinja(template.replace("@", "a.b"), {"a.b": "a" * rules.STEP_CHARACTERS * rules.MAX_STEPS})


@pytest.mark.parametrize(
    ("wrapper", "most"),
    [
        ("not @", 38),
        ("(@ and 1)", 38),
        ("(1 and @)", 38),
        ("(@ ~ 1)", 38),
        ("(1 ~ @)", 38),
        ("(@ if 1)", 38),
        ("(1 if @)", 38),
        ("(1 if 1 else @)", 38),
        ("(@ == 1)", 38),
        ("(1 == @)", 38),
        ("(1 == 1 == @)", 19),
        ("(@ is defined)", 38),
    ],
)
def test_how_deep_an_expression_may_be(wrapper: str, most: int) -> None:
    """Each kind of expression may be nested so many times, and not once more."""
    assert _deepest("{{ @ }}", wrapper) == most


@pytest.mark.parametrize(
    ("wrapper", "most"),
    [
        ("{% if 1 %}@{% endif %}", 38),
        ("{% if 0 %}{% else %}@{% endif %}", 38),
        ("{% if 0 %}{% elif 1 %}@{% endif %}", 19),
        ("{% if 0 %}{% elif 0 %}{% elif 1 %}@{% endif %}", 12),
        ("{% for i in [] %}{% else %}@{% endfor %}", 38),
    ],
)
def test_how_deep_a_statement_may_be(wrapper: str, most: int) -> None:
    """Each kind of statement may be nested so many times, and not once more."""
    assert _deepest("@", wrapper) == most


def _deepest(template: str, wrapper: str) -> int:
    for times in range(2 * rules.MAX_DEPTH):
        try:
            render_jinja(template.replace("@", "1"), {})
        except JinjaError as error:
            _says(error, f"nested more than {rules.MAX_DEPTH} deep")
            return times - 1
        template = template.replace("@", wrapper)
    return -1


def _says(error: JinjaError, what: str) -> None:
    assert what in error.message
