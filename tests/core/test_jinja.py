"""Mode jinja: what templates may do, where their errors stand, and that none of them can hurt."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreword.templates import _jinja_rules as rules
from foreword.templates._jinja import JinjaError, render_jinja
from foreword.templates._names import Value, render_names

VALUES: dict[str, Value] = {
    "agent_name": "Ada",
    "channel": "slack",
    "number": 3,
    "ratio": 2.5,
    "yes": True,
    "lines": "a\nb",
    "acme_citations.version": "1.2",
    "acme.deep.name": "deep",
}


def render(template: str, values: dict[str, Value] | None = None) -> str:
    """The text that a template gives."""
    return render_jinja(template, VALUES if values is None else values)[0]


def error(template: str, values: dict[str, Value] | None = None) -> JinjaError:
    """The error that a template ends in."""
    with pytest.raises(JinjaError) as caught:
        render(template, values)
    return caught.value


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ agent_name }} {{agent_name}}", "Ada Ada"),
        ("{{ acme_citations.version }} {{ acme.deep.name }}", "1.2 deep"),
        ("{{ number }} {{ ratio }} {{ yes }}", "3 2.5 True"),
        ("{% if channel == 'slack' %}brief{% elif number > 3 %}long{% else %}plain{% endif %}", "brief"),
        ("{% if not yes %}a{% elif number >= 3 and ratio < 3 or nope %}b{% else %}c{% endif %}", "b"),
        ("{% if false %}a{% elif none %}b{% else %}c{% endif %}", "c"),
        ("{{ 'a' if channel in ['slack', 'mail'] else 'b' }}", "a"),
        ("{{ 'a' if channel not in ('mail', 'sms') else 'b' }}", "a"),
        ("{{ 'x' if nope is defined }}", ""),
        ("{{ agent_name ~ '-' ~ number ~ -1 ~ +2.5 }}", "Ada-3-12.5"),
        ("{{ 1 < number <= 3 }}", "True"),
        ("{{ agent_name|upper|lower|title|capitalize|trim|string }}", "Ada"),
        ("{{ agent_name|length }} {{ ratio|round }} {{ ratio|int }} {{ number|float }}", "3 2.0 2 3.0"),
        ("{{ -1|abs }}{{ [1, 2]|first }}{{ [1, 2]|last }}{{ [1, 2]|length }}", "1122"),
        ("{{ nope|default('x') }} {{ ''|default('y', true) }} {{ ''|default('y') }}", "x y "),
        ("{{ acme.nope|default('x') }} {{ acme.nope is defined }}", "x False"),
        ("{{ [1, -2, 'a', true]|join(', ') }} {{ ['a', 'b']|join }}", "1, -2, a, True ab"),
        ("{{ nope is undefined }} {{ number is odd }} {{ number is even }}", "True True False"),
        ("{{ number is eq 3 }} {{ number is ne 3 }} {{ number is gt(2) }}", "True False True"),
        ("{{ number is number }} {{ agent_name is string }} {{ yes is true }}", "True True True"),
        ("{{ yes is boolean }} {{ number is boolean }} {{ none is none }}", "True False True"),
        ("{% for i in [1, 'b', none] %}{{ i }},{% else %}none{% endfor %}", "1,b,None,"),
        ("{% for i in [] %}{{ i }}{% else %}empty{% endfor %}", "empty"),
        ("{% for i in range(3) %}{{ loop.index }}{% if not loop.last %},{% endif %}{% endfor %}", "1,2,3"),
        ("{% for i in range(3, 0, -2) %}{{ i }}{{ loop.first }}{% endfor %}", "3True1False"),
        (
            "{% for a in [1, 2] %}{% for b in range(2) %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
            "10 11 20 21 ",
        ),
        ("{% for i in range(2) %}{% endfor %}{% for i in range(2) %}{{ i }}{% endfor %}", "01"),
        ("{% raw %}{{ agent_name }} {% if %}{% endraw %}", "{{ agent_name }} {% if %}"),
        ("a{# {{ nope.x() }} #}b", "ab"),
        ("a\n{%- if yes -%}\nb\n{%- endif %}\n", "ab\n"),
        ("{{ '{{ agent_name }}' }}", "{{ agent_name }}"),
        ("{{ '<b>' }}&", "<b>&"),
    ],
)
def test_what_is_allowed_works(template: str, text: str) -> None:
    """Output, conditions, loops over constants, filters and tests do what Jinja2 says they do."""
    assert render(template) == text


def test_a_value_is_never_read_as_a_template() -> None:
    """What a value brings along is not looked at again, nor escaped."""
    value = "{{ b }}{% if %}{# <&> \r\n"
    assert render("{{ a }}", {"a": value, "b": "x"}) == value


def test_a_variable_may_be_called_what_jinja_calls_its_own() -> None:
    """Names of Jinja2's globals are free, and mean nothing unless they are registered."""
    assert render("{{ dict }}{{ lipsum }}{{ loop }}", {"dict": 1, "lipsum": 2, "loop": 3}) == "123"
    assert render("{{ range }}{% for i in range(2) %}{{ i }}{% endfor %}", {"range": "r"}) == "r01"
    for name in ("dict", "lipsum", "cycler", "joiner", "namespace", "range"):
        assert f"no variable {name!r} is registered" in error(f"{{{{ {name} }}}}").message


@pytest.mark.parametrize(
    ("template", "line", "words"),
    [
        # What is not there.
        ("a\n{{ agnt_name }}", 1, "no variable 'agnt_name' is registered; did you mean 'agent_name'?"),
        ("{{ acme_citations }}", 0, "no variable 'acme_citations' is registered"),
        ("\n{{ acme_citations.versio }}", 1, "did you mean 'acme_citations.version'?"),
        ("{{ agent_name.version }}", 0, "no variable 'agent_name.version' is registered"),
        ("{% if yes %}\n\n{{ 'a' ~ nope }}\n{% endif %}", 2, "no variable 'nope'"),
        ("a\n{% if\nyes and nope %}x{% endif %}", 1, "no variable 'nope'"),
        ("{% for i in [1] %}\n{{ i|upper }}\n{{ nope|upper }}{% endfor %}", 2, "no variable 'nope'"),
        ("\n{{ loop.index }}", 1, "no variable 'loop.index'"),
        # What cannot be parsed.
        ("a\nb {{ a", 1, "end of template"),
        ("a\n{% if yes %}\nb", 1, "endif"),
        ("\n{% foo %}", 1, "unknown tag 'foo'"),
        ("{{ agent_name }}\n{{ style={{a: 1}} }}", 1, "expected token"),
        # What cannot be computed.
        ("\n{{ 1 < agent_name }}", 1, "TypeError"),
        ("\n\n{{ agent_name|abs }}", 2, "TypeError"),
        ("\n{{ '%s' is even }}", 1, "'%s' is no whole number"),
        ("\n{{ []|first }}", 1, "No first item"),
        # Statements that are not allowed.
        ("\n{% set x = 1 %}", 1, "{% set %} is not allowed in a template: only {{ … }}, {% if %}"),
        ("{% set x %}{% endset %}", 0, "{% set %}"),
        ("{% macro f() %}{% endmacro %}", 0, "{% macro %}"),
        ("{% call f() %}{% endcall %}", 0, "{% call %}"),
        ("{% block a %}{% endblock %}", 0, "{% block %}"),
        ("{% filter upper %}a{% endfilter %}", 0, "{% filter %}"),
        ("{% with a = 1 %}{% endwith %}", 0, "{% with %}"),
        ("a\n\n{% include 'SAFETY.md' %}", 2, "{% include %}"),
        ("{% import 'a' as b %}", 0, "{% import %}"),
        ("{% from 'a' import b %}", 0, "{% from %}"),
        ("{% extends 'a' %}", 0, "{% extends %}"),
        ("{% if yes %}\n{% set x = 1 %}{% endif %}", 1, "{% set %}"),
        ("{% if yes %}{% else %}\n{% set x = 1 %}{% endif %}", 1, "{% set %}"),
        ("{% for i in [] %}{% else %}\n{% set x = 1 %}{% endfor %}", 1, "{% set %}"),
        # Expressions that are not allowed.
        ("\n{{ number + 1 }}", 1, "+ is not allowed in a template: only names, constants"),
        ("{{ number - 1 }}", 0, "- is not allowed"),
        ("{{ -number }}", 0, "- is not allowed"),
        ("{{ +number }}", 0, "+ is not allowed"),
        ("{{ number * 2 }}", 0, "* is not allowed"),
        ("{{ number / 2 }}", 0, "/ is not allowed"),
        ("{{ number // 2 }}", 0, "// is not allowed"),
        ("{{ number % 2 }}", 0, "% is not allowed"),
        ("{{ number ** 2 }}", 0, "** is not allowed"),
        ("{{ agent_name[0] }}", 0, "an index in brackets is not allowed"),
        ("{{ agent_name[1:] }}", 0, "an index in brackets is not allowed"),
        ("{{ {'a': 1} }}", 0, "a dictionary is not allowed"),
        ("{{ range(3) }}", 0, "a call is not allowed"),
        ("{{ agent_name() }}", 0, "a call is not allowed"),
        ("{{ 'a'.b }}", 0, "the attribute 'b' cannot be used"),
        ("{{ self }}", 0, "the name self cannot be used"),
        ("{{ [agent_name] }}", 0, "constants only"),
        ("{{ 1000000000001 }}", 0, "greater than 1000000000000"),
        ("{{ [1000000000001] }}", 0, "greater than 1000000000000"),
        ("{{ -1000000000001 }}", 0, "- is not allowed"),
        ("{{ 1 if number * 2 else 3 }}", 0, "* is not allowed"),
        ("{{ 1 if 2 else number * 2 }}", 0, "* is not allowed"),
        ("{{ not number * 2 }}", 0, "* is not allowed"),
        ("{{ 1 == number * 2 }}", 0, "* is not allowed"),
        ("{{ number * 2 == 1 }}", 0, "* is not allowed"),
        ("{{ 'a' ~ number * 2 }}", 0, "* is not allowed"),
        ("{{ (number * 2)|upper }}", 0, "* is not allowed"),
        ("{{ nope|default(number * 2) }}", 0, "* is not allowed"),
        ("{{ number * 2 is defined }}", 0, "* is not allowed"),
        ("{{ number is eq(number * 2) }}", 0, "* is not allowed"),
        ("{{ number * 2 and 1 }}", 0, "* is not allowed"),
        ("{{ 1 or number * 2 }}", 0, "* is not allowed"),
        # Filters and tests.
        ("\n{{ agent_name|center(9) }}", 1, "the filter 'center' is not allowed: only abs"),
        ("{{ agent_name|nope }}", 0, "the filter 'nope' is not allowed"),
        ("{{ agent_name|trim('A') }}", 0, "the filter 'trim' takes nothing"),
        ("{{ nope|default }}", 0, "the filter 'default' takes one value"),
        ("{{ nope|default(default_value=1) }}", 0, "the filter 'default' takes one value"),
        ("{{ nope|default(*[1]) }}", 0, "the filter 'default' takes one value"),
        ("{{ [1]|join(',', 'a') }}", 0, "the filter 'join' takes at most a separator"),
        ("{{ agent_name|join(',') }}", 0, "for a list of constants"),
        ("{{ [1]|join(agent_name) }}", 0, "constants only"),
        ("{{ number is divisibleby(2) }}", 0, "the test 'divisibleby' is not allowed"),
        ("{{ number is nope }}", 0, "the test 'nope' is not allowed"),
        ("{{ number is odd(1) }}", 0, "the test 'odd' takes nothing"),
        ("{{ number is eq }}", 0, "the test 'eq' takes one value"),
        # Loops.
        ("\n{% for i in agent_name %}{% endfor %}", 1, "a loop goes over a list of constants"),
        ("{% for i in [agent_name] %}{% endfor %}", 0, "constants only"),
        ("{% for i in agent_name() %}{% endfor %}", 0, "a loop goes over a list of constants"),
        ("{% for i in 'a'.b() %}{% endfor %}", 0, "a loop goes over a list of constants"),
        ("{% for i in range(number) %}{% endfor %}", 0, "range takes one to three whole numbers"),
        ("{% for i in range() %}{% endfor %}", 0, "range takes one to three whole numbers"),
        ("{% for i in range(1.5) %}{% endfor %}", 0, "range takes one to three whole numbers"),
        ("{% for i in range(true) %}{% endfor %}", 0, "range takes one to three whole numbers"),
        ("{% for i in range(1, 2, 0) %}{% endfor %}", 0, "the step not 0"),
        ("{% for i in range(*[1]) %}{% endfor %}", 0, "range takes one to three whole numbers"),
        ("{% for i in range(1001) %}{% endfor %}", 0, "more than 1000 times"),
        ("{% for i in range(-999999999999, 999999999999) %}{% endfor %}", 0, "more than 1000 times"),
        ("{% for i in [1] recursive %}{% endfor %}", 0, "recursive"),
        ("{% for i in [1] if i %}{% endfor %}", 0, "put an {% if %} inside"),
        ("{% for a, b in [1] %}{% endfor %}", 0, "takes one variable"),
        ("{% for a in [1] %}{% for a in [1] %}{% endfor %}{% endfor %}", 0, "another than the outer one"),
        ("{% for loop in [1] %}{% endfor %}", 0, "loop"),
        (
            "{% for a in [1] %}{% for b in [1] %}\n{% for c in [1] %}{% endfor %}{% endfor %}{% endfor %}",
            1,
            "nested more than 2 deep",
        ),
        ("{% for i in [1] %}{{ loop }}{% endfor %}", 0, "only loop.first, loop.index and loop.last can"),
        ("{% for i in [1] %}{{ loop.cycle }}{% endfor %}", 0, "loop.cycle cannot be used"),
        ("{% for i in [1] %}{{ loop.index.real }}{% endfor %}", 0, "loop.index.real cannot be used"),
        ("{% for i in [1] %}{{ i.real }}{% endfor %}", 0, "no variable 'i.real' is registered"),
    ],
)
def test_what_is_not_allowed_is_named_with_its_line(template: str, line: int, words: str) -> None:
    """An error is one sentence that names what is wrong, and it has the line of the template."""
    problem = error(template)
    assert words in problem.message
    assert "\n" not in problem.message
    assert problem.line == line
    assert str(problem) == problem.message


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("x" * rules.MAX_SOURCE + "{{ agent_name }}", "longer than 524288 characters"),
        ("{{ agent_name }}" * (rules.MAX_NODES + 1), "more than 5000 parts"),
        ("{{ [" + "1," * rules.MAX_TOKENS + "] }}", "more than 30000 words"),
        ("{% if yes %}" * 41 + "{% endif %}" * 41, "nested more than 40 deep"),
        ("{% if yes %}" + "{% elif yes %}" * 40 + "{% endif %}", "nested more than 40 deep"),
        (
            "{% if yes %}" + "{% elif yes %}" * 37 + "{% if yes %}" * 2 + "x" + "{% endif %}" * 3,
            "nested more than 40 deep",
        ),
        ("{{ " + "not " * 41 + "yes }}", "nested more than 40 deep"),
        ("{{ number" + " == 3" * 41 + " }}", "nested more than 40 deep"),
        ("{{ a" + ".a" * 41 + " }}", "nested more than 40 deep"),
        ("{{ agent_name" + "|upper" * 11 + " }}", "more than 10 filters"),
        ("{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}", "too much work"),
        ("{% for a in range(1000) %}{{ '" + "x" * 2_000 + "' }}{% endfor %}", "too much work"),
        ("{% for a in range(1000) %}" + "x" * 300 + "{% endfor %}", "longer than 262144 characters"),
        ("{# #}" + "x" * (rules.MAX_OUTPUT + 1), "longer than 262144 characters"),
    ],
)
def test_the_limits(template: str, words: str) -> None:
    """A template that is too large, too deep, too slow or that makes too much is stopped."""
    assert words in error(template).message


def test_just_below_the_limits() -> None:
    """The limits leave room for every template that somebody may mean."""
    assert render("{{ agent_name }}\n" * 1_600).count("Ada\n") == 1_600
    assert render("{% if yes %}" * 38 + "x" + "{% endif %}" * 38) == "x"
    assert render("{{ agent_name" + "|upper" * 10 + " }}") == "ADA"
    assert len(render("{% for i in range(1000) %}" + "x" * 262 + "{% endfor %}")) == 262_000
    assert (
        len(render("{% for a in range(100) %}{% for b in range(100) %}x{{ b }}{% endfor %}{% endfor %}"))
        == 29_000
    )


def test_a_large_value_is_work_too() -> None:
    """The limit of the work counts what values bring along, also those of dotted names and of loops."""
    large: dict[str, Value] = {"a": "x" * 100_000, "b.c": "x" * 100_000}
    assert len(render("{{ a }}{{ b.c }}", large)) == 200_000
    for template in ("{{ " + " ~ ".join(["a"] * 20) + " }}", "{{ " + " ~ ".join(["b.c"] * 20) + " }}"):
        assert "too much work" in error(template, large).message
    item = "'" + "x" * 10_000 + "'"
    template = "{% for i in [" + item + "] %}{{ " + "~".join(["i"] * 100) + " }}{% endfor %}"
    assert "too much work" in error(template).message
    assert "too much work" in error("{{ [" + "1," * 1000 + "]|join('" + "x" * 10_000 + "') }}").message


@pytest.mark.parametrize("digits", ["9" * 5_000, "0x" + "f" * 5_000])
def test_a_number_that_python_refuses(digits: str) -> None:
    """An exception that is none of Jinja2's comes out as the same error."""
    problem = error(f"{{{{ {digits} }}}}")
    assert problem.__cause__ is None or isinstance(problem.__cause__, ValueError)


def test_the_cause_is_chained() -> None:
    """Whoever debugs a template finds the exception that was behind the error."""
    assert isinstance(error("{{ " + "(" * 5_000).__cause__, RecursionError)
    assert "nested too deeply" in error("{{ " + "(" * 5_000).message
    assert error("{{ " + "(" * 5_000).line is None


class Text(str):
    """A text that is more than a text."""

    __slots__ = ()


@pytest.mark.parametrize("value", [Text("a"), None, ["a"], {"a": 1}, object(), 1j, b"a"])
def test_only_plain_values_reach_jinja(value: Any) -> None:
    """A value of any type but the four is refused, before the template runs."""
    assert "the value of 'a' is a" in error("{{ 1 }}", {"a": value}).message


TRACED = "\n".join(
    [
        "L0 {{ agent_name }}",
        "{# a comment",
        "of two lines #}L2",
        "{% if channel == 'slack' %}L3",
        "L4 {{ number }} {% if not yes %}",
        "never",
        "{% endif %}L6",
        "{% else %}never{% endif %}L7",
        "{% if yes -%}",
        "",
        "  L10",
        "{%- endif %}",
        "{% for i in [1, 2] %}L12 {{ i }}",
        "L13",
        "{% endfor %}L14",
        "{% raw %}L15",
        "L16 {{",
        "{% endraw %}L17 {{ 'a' ~",
        "'b' }}",
        "L19",
        "",
    ]
)


def test_every_line_is_traced_to_its_template_line() -> None:
    """Lines from text, loops, comments, raw blocks and around trimmed white space keep their origin."""
    text, lines = render_jinja(TRACED, VALUES)
    first_words = [row.split(" ")[0] for row in text.split("\n")]
    assert first_words[:-1] == [f"L{line}" for line in lines[:-1]]
    assert lines == (0, 2, 3, 4, 7, 10, 12, 13, 12, 13, 14, 15, 16, 17, 19, 20)


def test_the_lines_of_a_value_come_from_its_placeholder() -> None:
    """All lines that a value brings along come from the line it is named in."""
    assert render_jinja("x\n{{ lines }} {{ lines }}\ny\n", VALUES) == (
        "x\na\nb a\nb\ny\n",
        (0, 1, 1, 1, 2, 3),
    )


def test_a_line_begins_where_its_first_words_are() -> None:
    """White space that an earlier line left does not take the words of a later one along."""
    assert render_jinja("\n  {% if yes -%}\nwords{% endif %}", VALUES) == ("\n  words", (0, 2))
    assert render_jinja("{{ '  ' }}{% if yes -%}\nwords{% endif %}", VALUES) == ("  words", (1,))


PIECE = st.text("ab $\\}%#\n-.é", max_size=8).filter(lambda piece: not piece.endswith(("$", "\\")))


@given(
    st.lists(PIECE, min_size=1, max_size=6),
    st.sampled_from(["{{ agent_name }}", "{{agent_name}}"]),
    st.text(),
)
@example(["a", "}b\n"], "{{ agent_name }}", "{{ agent_name }}")
def test_both_modes_agree(pieces: list[str], placeholder: str, value: str) -> None:
    """On texts that mean the same to both, the modes give the same text and trace the same lines."""
    template = placeholder.join(pieces)
    text, lines = render_jinja(template, {"agent_name": value})
    rendered = render_names(template, {"agent_name": value})
    assert text == rendered.text
    assert len(lines) == text.count("\n") + 1
    if rendered.lines is not None and value.strip():
        assert lines == rendered.lines


@given(st.text(st.characters(exclude_categories=()), max_size=200))
@example("\r\n\r\x00\ud800")
@example("x" * 300_000)
def test_a_text_without_braces_is_identical(text: str) -> None:
    """Without any of Jinja2's signs, nothing changes, and line is line."""
    text = text.replace("{", "(")
    assert render_jinja(text, VALUES) == (text, tuple(range(text.count("\n") + 1)))


@given(
    st.lists(
        st.sampled_from(
            [
                *"{}%#|~.,()[]'\"+-*/=<> \n0a",
                *(
                    "{{",
                    "}}",
                    "{% ",
                    " %}",
                    "{#",
                    "#}",
                    "if ",
                    "for i in ",
                    "endif",
                    "endfor",
                    "else",
                    "set ",
                ),
                *("raw", "endraw", "range(3)", "loop.index", "agent_name", "nope", " is ", " in ", " not "),
                *(
                    "default('x')",
                    "join",
                    "upper",
                    "odd",
                    "defined",
                    "lambda",
                    "__class__",
                    "self",
                    "macro f()",
                ),
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_every_template_renders_or_is_an_error(template: str) -> None:
    """Whatever a template says, there is a text or one kind of error with a line of the template."""
    try:
        text, lines = render_jinja(template, VALUES)
    except JinjaError as caught:
        problem = caught
    else:
        assert len(lines) == text.count("\n") + 1
        assert all(0 <= line <= template.count("\n") for line in lines)
        return
    assert problem.message
    assert problem.line is None or 0 <= problem.line <= template.count("\n")


BIG = 10**9
PROBES = {
    # What Jinja2's own sandbox stops.
    "class": "{{ ''.__class__ }}",
    "globals": "{{ agent_name.__init__.__globals__ }}",
    "code": "{{ agent_name.upper.__code__ }}",
    "private": "{{ agent_name._tok }}",
    "private item": "{{ agent_name['_tok'] }}",
    "attr filter": "{{ agent_name|attr('__class__') }}",
    "list append": "{{ [].append(1) }}",
    "list sort": "{{ [2, 1].sort() }}",
    "dict update": "{{ {}.update({'a': 1}) }}",
    "dict pop": "{{ {'a': 1}.pop('a') }}",
    "set add": "{{ {1}.add(2) }}",
    "format": "{{ '{0.__class__}'.format(agent_name) }}",
    "format reference": "{% set f = '{0.__class__}'.format %}{{ f(agent_name) }}",
    "format filter": "{{ ['{0.__class__}'.format]|map('string')|first }}",
    "attr format": "{{ '{0.__class__}'|attr('format') }}",
    "format_map": "{{ '{a.__class__}'.format_map({'a': 1}) }}",
    "self context": "{{ self._TemplateReference__context }}",
    "method self": "{{ agent_name.upper.__self__ }}",
    "large range": "{% for i in range(100001) %}{% endfor %}",
    # What it does not stop.
    "method": "{{ agent_name.delete() }}",
    "path": "{{ (home / 'secret').read_text() }}",
    "logger": "{{ log.setLevel(10) }}",
    "logger handlers": "{{ log.root.handlers }}",
    "dict key": "{{ {'_p': 1}._p }}",
    "dict item": "{{ {'__class__': 1}['__class__'] }}",
    "macro default": "{% macro a(x=agent_name.delete()) %}{% endmacro %}",
    "map attribute": "{{ [agent_name]|map(attribute='home.parent')|list }}",
    "include": "{% include 'SAFETY.md' %}",
    "import": "{% import 'SAFETY.md' as x %}",
    "extends": "{% extends 'SAFETY.md' %}",
    "cycler": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "lipsum": "{{ lipsum.__globals__ }}",
    # Time and memory.
    "times": f"{{{{ 'a' * {BIG} }}}}",
    "times length": f"{{{{ ('a' * {BIG})|length }}}}",
    "times dead": f"{{% if false %}}{{{{ 'a' * {BIG} }}}}{{% endif %}}",
    "list times": f"{{{{ ([0] * {BIG})|length }}}}",
    "percent": f"{{{{ '%{BIG}s' % 'a' }}}}",
    "percent filter": f"{{{{ '%{BIG}s'|format('a') }}}}",
    "percent test": f"{{{{ '%{BIG}s' is even }}}}",
    "percent test odd": f"{{{{ '%{BIG}s' is odd }}}}",
    "percent divisible": f"{{{{ '%{BIG}s' is divisibleby(1) }}}}",
    "format width": f"{{{{ '{{:{BIG}}}'.format('a') }}}}",
    "ljust": f"{{{{ 'a'.ljust({BIG}) }}}}",
    "zfill": f"{{{{ 'a'.zfill({BIG}) }}}}",
    "expandtabs": f"{{{{ '\\t'.expandtabs({BIG}) }}}}",
    "center": f"{{{{ 'a'|center({BIG}) }}}}",
    "indent": f"{{{{ 'a\\nb'|indent({BIG}) }}}}",
    "tojson": f"{{{{ [1]|tojson(indent={BIG}) }}}}",
    "batch": f"{{{{ [1]|batch({BIG}, 'x')|list }}}}",
    "slice": "{{ [1]|slice(100000000)|list }}",
    "lipsum size": "{{ lipsum(n=100000, min=1000, max=2000) }}",
    "power left": "{{ 9**9**9 }}",
    "power right": "{{ 9**(9**9) }}",
    "power float": "{{ 10.0**400 }}",
    "replace": "{{ 'aaaaaaaaaa'" + "|replace('a', 'aaaaaaaaaa')" * 9 + " }}",
    "join": "{{ [" + "1," * 4_000 + "]|join('" + "x" * 250_000 + "') }}",
    "join times": "{{ range(100000)|join('" + "x" * 10_000 + "') }}",
    "concat": "{{ " + " ~ ".join(["large"] * 4_000) + " }}",
    "title": "{{ huge|title }}",
    "title chain": "{{ large" + "|title" * 10 + " }}",
    "int": "{{ '" + "9" * 500_000 + "'|int }}",
    "float": "{{ '" + "9" * 500_000 + "'|float }}",
    "nested ranges": "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "nested loops": "{% for a in range(1000) %}{% for b in range(1000) %}text{% endfor %}{% endfor %}",
    "silent loops": "{% for a in range(999) %}{% for b in [1, 2] %}"
    + "{% if a %}{% endif %}" * 99
    + "{% endfor %}" * 2,
    "empty loops": "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
    "loop of work": "{% for a in range(1000) %}{% if large|upper == 'x' %}{% endif %}{% endfor %}",
    "loop of text": "{% for a in range(1000) %}" + "x" * 500_000 + "{% endfor %}",
    "sort": "{{ (range(100000)|list * 100)|sort }}",
    "doubling": "{% set x = 'aaaaaaaaaa' %}" + "{% set x = x ~ x %}" * 40 + "{{ x|length }}",
    "namespace": "{% set n = namespace(x='a') %}{% for i in range(9) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "block set": "{% set x %}aa{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40,
    "macro tree": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(30) }}",
    "macro recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "recursive loop": "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "caller": "{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}{{ f() }}{% endcall %}",
    "parentheses": "{{ " + "(" * 90 + "1" + ")" * 90 + " }}",
    "brackets": "{{ " + "[" * 100 + "]" * 100 + " }}",
    "many parentheses": "{{ " + "(" * 500_000,
    "nots": "{{ " + "not " * 500 + "1 }}",
    "minuses": "{{ " + "-" * 500_000 + "1 }}",
    "openings": "{{ " * 100_000,
    "nested ifs": "{% if yes %}" * 300 + "{% endif %}" * 300,
    "dots": "{{ a" + ".a" * 300 + " }}",
    "more dots": "{{ a" + ".a" * 200_000 + " }}",
    "filters": "{{ agent_name" + "|upper" * 300 + " }}",
    "more filters": "{{ agent_name" + "|upper" * 80_000 + " }}",
    "ifs": "{% if yes %}" * 100 + "{% endif %}" * 100,
    "fors": "".join(f"{{% for a{n} in [1] %}}" for n in range(21)) + "{% endfor %}" * 21,
    "elifs": "{% if yes %}" + "{% elif yes %}" * 5_000 + "{% endif %}",
    "more elifs": "{% if yes %}" + "{% elif yes %}" * 30_000 + "{% endif %}",
    "ands": "{{ yes" + " and yes" * 50_000 + " }}",
    "pluses": "{{ yes" + "+1" * 200_000 + " }}",
    "concatenations": "{{ yes" + "~1" * 200_000 + " }}",
    "comparisons": "{{ yes" + "<1" * 200_000 + " }}",
    "conditions": "{{ 1" + " if 1 else 1" * 30_000 + " }}",
    "list": "{{ [" + "1," * 200_000 + "] }}",
    "placeholders": "{{ agent_name }}" * 10_000,
    "many placeholders": "{{a}}" * 100_000,
    "digits": "{{ " + "9" * 100_000 + " }}",
    "hex digits": "{{ 0x" + "f" * 500_000 + " }}",
    "zeros": "{{ " + "0" * 524_281 + " }}",
    "float digits": "{{ " + "9" * 200_000 + "." + "9" * 200_000 + " }}",
    "exponent": "{{ 1e" + "9" * 400_000 + " }}",
    "braces": "{" * 500_000,
    "comments": "{#" * 250_000,
    "closed comments": "{#- -#} " * 60_000,
    "raws": "{% raw %}" * 50_000,
    "unclosed text": "{{ '" + "a" * 500_000,
    "backslashes": "{{ '" + "\\" * 500_000,
    "escapes": "{{ '" + "\\u0061" * 80_000 + "' }}",
    "spaces": "{{" + " " * 500_000 + "}}",
    "trimmed spaces": (" " * 50 + "{%- if yes -%}") * 7_000,
    "long name": "{{ " + "a" * 500_000 + " }}",
    "large text": "{# #}" + "a" * 500_000,
    "null": "{{ '\x00' }}\x00",
    "surrogate": "{{ '\ud800' }}\ud800",
}
HARMLESS = {
    *("closed comments", "escapes", "exponent", "float", "float digits", "int", "null", "parentheses"),
    *("surrogate", "title chain"),
}

CHILD = """
import json, sys, time
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))
except ImportError:
    pass
from foreword.templates._jinja import JinjaError, render_jinja
values = {"agent_name": "Ada", "yes": True, "large": "a-" * 5_000, "huge": "a-" * 200_000}
for name, template in json.load(sys.stdin).items():
    start, size = time.perf_counter(), None
    try:
        size = len(render_jinja(template, values)[0])
        outcome = "rendered"
    except JinjaError as problem:
        outcome = "starved" if isinstance(problem.__cause__, MemoryError) else "refused"
    print(json.dumps([name, outcome, size, time.perf_counter() - start]), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[str, int | None, float]]:
    """What becomes of each probe in a process that may use half a gibibyte."""
    result = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps(PROBES),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {name: (outcome, size, seconds) for name, outcome, size, seconds in rows}


@pytest.mark.parametrize("name", PROBES)
def test_a_template_made_to_hurt_is_harmless(
    name: str, outcomes: dict[str, tuple[str, int | None, float]]
) -> None:
    """A template made to escape, to take all memory or to run for ever is refused, or does nothing of it."""
    assert name in outcomes, "the process ended before this template did"
    outcome, size, seconds = outcomes[name]
    assert outcome == "refused" or (outcome == "rendered" and name in HARMLESS)
    assert size is None or size <= max(rules.MAX_OUTPUT, len(PROBES[name]))
    assert seconds < 2
