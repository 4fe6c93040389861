"""Mode names: registered variables are replaced literally, and everything else stays."""

from __future__ import annotations

import string
import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreword.templates._names import Rendered, Unknown, Value, compile_names, nearest, render_names

VALUES: dict[str, Value] = {
    "agent_name": "Ada",
    "a": "1",
    "_b2": "two",
    "acme_citations.version": "1.2",
    "3c.x": "c",
}

FIRST = string.ascii_letters + "_"
WORD = FIRST + string.digits

# Texts in which placeholders, near misses and everything that looks like one are common.
HOSTILE = st.lists(
    st.sampled_from(
        [
            *"{}$\\ .%#|-\n\t\r1aé",
            "{{",
            "}}",
            "{{ ",
            " }}",
            "{{a}}",
            "{{ a }}",
            "{{ b }}",
            "agent_name",
            "{{ agent_name }}",
            "\\{{ a }}",
            "acme_citations.version",
            "3c.x",
            "_b2",
        ]
    ),
    max_size=30,
).map("".join)
UNIVERSAL = st.text(st.characters(blacklist_categories=()), max_size=200)


def is_name(name: str) -> bool:
    """Whether the text is what a variable may be called, said letter by letter."""
    first, *others = name.split(".")
    if not first or any(letter not in WORD for letter in first):
        return False
    if first[0] in string.digits and not others:
        return False
    return all(part and part[0] in FIRST and all(letter in WORD for letter in part) for part in others)


def reference(text: str, values: dict[str, Value]) -> str:
    """The rule, written out without a regular expression."""
    result, position = "", 0
    while position < len(text):
        before = text[position - 1] if position else ""
        end = text.find("}}", position + 2)
        if text.startswith("{{", position) and end > 0 and before not in ("{", "$"):
            inner = text[position + 2 : end]
            spaced = inner.startswith(" ") and inner.endswith(" ") and len(inner) > 2
            name = inner[1:-1] if spaced else inner
            if is_name(name) and name in values:
                if before == "\\":
                    result = result[:-1] + text[position : end + 2]
                else:
                    result += str(values[name])
                position = end + 2
                continue
        result += text[position]
        position += 1
    return result


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("I am {{ agent_name }}.", "I am Ada."),
        ("{{agent_name}}{{a}}", "Ada1"),
        ("{{ agent_name }}}", "Ada}"),
        ("{{ acme_citations.version }}", "1.2"),
        ("{{ 3c.x }}", "c"),
        ("{{_b2}}", "two"),
        ("\\{{ a }}", "{{ a }}"),
        ("\\{{a}}", "{{a}}"),
        ("\\\\{{ a }}", "\\{{ a }}"),
        ("a\\{{ a }}b{{ a }}", "a{{ a }}b1"),
        ("{ {{ a }} }", "{ 1 }"),
    ],
)
def test_registered_names_are_replaced(text: str, rendered: str) -> None:
    """A registered name in exact form is replaced, and its escape comes out without the backslash."""
    assert render_names(text, VALUES) == Rendered(rendered, None, ())


@pytest.mark.parametrize(
    "text",
    [
        "{{secret:a}}",
        "{{ secret:agent_name }}",
        "${{ a }}",
        "${{ github.ref }}",
        "{{{ a }}}",
        "{{{{ a }}}}",
        "{{  a  }}",
        "{{ a}}",
        "{{a }}",
        "{{\ta\t}}",
        "{{\na\n}}",
        "{{- a -}}",
        "{{ a|upper }}",
        "{{ a.1 }}",
        "{{ a..b }}",
        "{{ .Values.a }}",
        "{{#if a}}",
        "{{> a}}",
        "{{ 1 }}",
        "{{1a}}",
        "{{ é }}",
        "{{}}",
        "{{ }}",
        "{{ a",
        "style={{a: 1}}",
        "<Box sx={{ a: 1 }} />",
        "\\frac{{\\alpha}}{a}",
        "{% raw %}",
        "{% if a %}x{% endif %}",
        "{# a #}",
        "$ARGUMENTS and ${CLAUDE_a} and !`a`",
        "{a: 1}",
    ],
)
def test_what_only_looks_like_a_placeholder_stays(text: str) -> None:
    """Every other use of braces stays byte for byte, and nobody is warned."""
    assert render_names(text, VALUES) == Rendered(text, None, ())


def test_a_value_is_never_read_as_a_template() -> None:
    """What a value brings along is not looked at again."""
    values: dict[str, Value] = {"a": "{{ b }}", "b": "{{ a }}", "c": "$"}
    assert render_names("{{ a }}{{ b }}{{c}}{{a}}", values).text == "{{ b }}{{ a }}${{ b }}"


def test_numbers_and_booleans_are_written_as_python_writes_them() -> None:
    """A value that is no text is put in as str() gives it."""
    values: dict[str, Value] = {"a": 1, "b": 1.5, "c": True}
    assert render_names("{{a}} {{b}} {{c}}", values).text == "1 1.5 True"


def test_unregistered_names_stay_and_are_named_once_a_line() -> None:
    """A name that nobody registered stays, and each line that holds it is told, once."""
    text = "{{ x }} {{x}} {{ y.z }}\n\n{{ x }}\n\\{{ q }} ${{ q }} {{ a }}"
    rendered = render_names(text, {"a": "1\n2"})
    assert rendered.text == text.replace("{{ a }}", "1\n2")
    assert rendered.unknown == (Unknown("x", 0), Unknown("y.z", 0), Unknown("x", 2))


def test_lines_of_values_with_line_breaks_are_traced() -> None:
    """When a value brings lines along, each line of the text knows its line of the source."""
    rendered = render_names("x\n{{ a }} {{ a }}\ny {{ b }}\n", {"a": "1\n2", "b": "3\n"})
    assert rendered.text == "x\n1\n2 1\n2\ny 3\n\n"
    assert rendered.lines == (0, 1, 1, 1, 2, 2, 3)


@given(HOSTILE | UNIVERSAL, st.dictionaries(st.sampled_from([*VALUES, "q"]), UNIVERSAL))
@example("\\{{ a }}{{ a }}", {"a": "\\"})
def test_only_registered_names_change(text: str, values: dict[str, Value]) -> None:
    """Whatever the text, the result is the text with registered names replaced, and no other byte changed."""
    assert render_names(text, values).text == reference(text, values)


@given(UNIVERSAL | HOSTILE)
@example("{{ x }}")
@example("{% raw %}\r\n{#\\g<0>")
def test_a_value_comes_out_exactly(value: str) -> None:
    """For every value, its placeholder alone renders to that value."""
    assert render_names("{{ x }}", {"x": value}).text == value


@given(UNIVERSAL.filter(lambda text: "{{" not in text))
def test_a_text_without_placeholders_is_identical(text: str) -> None:
    """A text without two braces is the same object afterwards."""
    assert render_names(text, VALUES).text is text


@given(HOSTILE, st.text("ab\n", max_size=4))
def test_every_line_is_traced(text: str, value: str) -> None:
    """There is one source line for every line of the text, in order, and none when they run in step."""
    rendered = render_names(text, {"a": value, "agent_name": "Ada"})
    count = rendered.text.count("\n") + 1
    if rendered.lines is None:
        assert count == text.count("\n") + 1
    else:
        assert len(rendered.lines) == count
        assert set(rendered.lines) == set(range(text.count("\n") + 1))
        assert list(rendered.lines) == sorted(rendered.lines)


@given(
    HOSTILE,
    st.lists(st.dictionaries(st.sampled_from([*VALUES, "b"]), st.sampled_from(["x\ny", "", "\\", 3])), max_size=4),
)
def test_a_template_is_rendered_any_number_of_times(text: str, many: list[dict[str, Value]]) -> None:
    """A template that was taken apart once renders, with each set of values, to what the text itself renders to."""
    template = compile_names(text)
    for values in (*many, *many[::-1]):
        assert template.render(values) == render_names(text, values)
        assert template.render(values).text == reference(text, values)


@given(HOSTILE, st.dictionaries(st.sampled_from([*VALUES, "b"]), st.text("a\n"), min_size=1))
def test_a_template_knows_its_names(text: str, values: dict[str, Value]) -> None:
    """A template depends on no variable but those it names, and names all that are reported as not registered."""
    template = compile_names(text)
    others = {name: value for name, value in values.items() if name not in template.names}
    assert template.render(others) == template.render({})
    assert {name for name, _ in template.render({}).unknown} <= template.names


@pytest.mark.parametrize(
    ("text", "names"),
    [("{{ a }} {{b}} {{ a }}", {"a", "b"}), ("\\{{ a.b }}", {"a.b"}), ("{{ a}} ${{ b }} { c }", set()), ("", set())],
)
def test_the_names_of_a_template(text: str, names: set[str]) -> None:
    """A template names every placeholder once, one behind a backslash too, and nothing that is none."""
    assert compile_names(text).names == names


@given(HOSTILE, st.text("b\n", max_size=4))
@example("\\{{ a }}\n{{ a }}", "\n")
@example("\\{{ a }}\n", "\n")
@example("\n{{ a }}\n{{ a }}\n", "x\n\ny")
def test_each_line_comes_from_the_one_that_is_told(text: str, value: str) -> None:
    """A line of the result stands for the source line whose text or whose values it holds."""
    mark = "\ue000"
    whole = render_names(text, {"a": value.replace("\n", mark)}).text
    expected = [line for line, written in enumerate(whole.split("\n")) for _ in range(1 + written.count(mark))]
    lines = render_names(text, {"a": value}).lines
    assert lines == (tuple(expected) if mark in whole else None)


@given(HOSTILE)
def test_unknown_names_stand_in_their_line(text: str) -> None:
    """Each name that is reported stands, in exact form, in the line that is named, and only once."""
    unknown = render_names(text, {"a": "1"}).unknown
    assert len(set(unknown)) == len(unknown)
    for name, line in unknown:
        assert is_name(name)
        source = text.split("\n")[line]
        assert f"{{{{ {name} }}}}" in source or f"{{{{{name}}}}}" in source


@pytest.mark.parametrize(
    "part",
    ["{", "{{ ", "{{a", "{{a.", "{{ a }}", "{{ b }}\n", "\\{{a}}", "{{1", "${{ a }}", "\n"],
)
def test_time_is_linear(part: str) -> None:
    """Five megabytes made to be slow take a moment, as they would not if the time grew with the square."""
    text = "{{" + part * (5_000_000 // len(part))
    start = time.perf_counter()
    render_names(text, {"a": "x\ny"})
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("inner", ["a" * 3_000_000, "a." * 1_500_000, "1" * 3_000_000, "a1_" * 1_000_000 + "."])
def test_time_is_linear_in_one_name(inner: str) -> None:
    """One endless name, finished or not, takes a moment."""
    start = time.perf_counter()
    render_names("{{" + inner, {})
    render_names("{{" + inner + "}}", {})
    assert time.perf_counter() - start < 10


def test_no_template_engine_is_loaded() -> None:
    """Mode names needs neither Jinja2 nor the Markdown parser."""
    code = (
        "import sys; from foreword.templates._names import render_names; render_names('{{ a }}', {});"
        "print(sorted({'jinja2', 'markdown_it'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("agnt_name", "agent_name"),
        ("AGENT_NAME", "agent_name"),
        ("acme_citation.version", "acme_citations.version"),
        ("seedkey", "seed_key"),
        ("user", None),
        ("x" * 5_000_000, None),
    ],
)
def test_the_nearest_name(name: str, found: str | None) -> None:
    """A slip finds the name that was meant, and a strange name none."""
    assert nearest(name, ["seed_key", "agent_name", "acme_citations.version"]) == found


@given(st.permutations(["abcd", "abce", "abcf", "ABCE", "x" * 200]))
def test_the_nearest_name_depends_on_no_order(names: list[str]) -> None:
    """Of several that are equally near, it is always the same one."""
    assert nearest("abcx", names) == nearest("abcx", sorted(names))
