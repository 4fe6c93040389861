"""Templates, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

import pytest

from foreword.templates import _jinja_rules as rules
from foreword.templates._jinja import JinjaError, _environment, render_jinja
from foreword.templates._jinja_gate import Gate
from foreword.templates._names import Value, nearest


def test_the_longest_name_that_is_compared() -> None:
    """Names up to a hundred characters are compared, on both sides, and longer ones are not."""
    assert nearest("x" * 100, ["x" * 100]) == "x" * 100
    assert nearest("x" * 101, ["x" * 100]) is None
    assert nearest("x" * 100, ["x" * 101]) is None


def test_pieces_of_text_count_as_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text between placeholders counts towards the size of a template."""
    monkeypatch.setattr(rules, "MAX_NODES", 241)
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


@pytest.mark.parametrize(
    ("innermost", "most"), [("{% for i in [1] %}{% endfor %}", 37), ("{{ [1]|length }}", 36), ("a", 38)]
)
def test_how_deep_a_list_may_be(innermost: str, most: int) -> None:
    """What stands in a list is one deeper than the list."""
    assert _deepest_around(innermost) == most


def _deepest_around(template: str) -> int:
    for times in range(2 * rules.MAX_DEPTH):
        try:
            render_jinja(template, {})
        except JinjaError as error:
            _says(error, f"nested more than {rules.MAX_DEPTH} deep")
            return times - 1
        template = f"{{% if 1 %}}{template}{{% endif %}}"
    return -1


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


@pytest.mark.parametrize(
    ("snippet", "parts"),
    [
        ("{% if 1 %}{% endif %}", 2),
        ("{% if 0 %}{% elif 1 %}{% endif %}", 4),
        ("{% if -1 %}{% endif %}", 2),
        ("{% if x %}{% endif %}", 2),
        ("{% if a.b %}{% endif %}", 3),
        ("{% if not 1 %}{% endif %}", 3),
        ("{% if 1 and 1 %}{% endif %}", 4),
        ("{% if 1 ~ 1 ~ 1 %}{% endif %}", 5),
        ("{% if 1 == 1 %}{% endif %}", 4),
        ("{% if 1 in [1, 2] %}{% endif %}", 6),
        ("{% if (1 if 1 else 1) %}{% endif %}", 5),
        ("{% if 1 is eq 1 %}{% endif %}", 4),
        ("{% if 1|default(1) %}{% endif %}", 4),
        ("{% for i in [] %}{% endfor %}", 2),
        ("{% for i in [1, 2] %}{% endfor %}", 4),
        ("{% for i in range(2) %}{% endfor %}", 2),
    ],
)
def test_what_counts_as_a_part(snippet: str, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every construct counts towards the size of a template as what it is made of."""
    monkeypatch.setattr(rules, "MAX_NODES", 240)
    most = rules.MAX_NODES // parts
    values: dict[str, Value] = {"x": 1, "a.b": 1}
    Gate(values).check(_environment().parse(snippet * most))
    with pytest.raises(JinjaError, match=f"more than {rules.MAX_NODES} parts"):
        Gate(values).check(_environment().parse(snippet * (most + 1)))


@pytest.mark.parametrize(
    ("snippet", "steps"),
    [
        ("{% for i in range(7) %}@{% endfor %}", 7),
        ("{% for i in ['a', 'b', 'c'] %}@{% endfor %}", 3),
        ("{% for i in range(1, 10, 3) %}@{% endfor %}", 3),
    ],
)
def test_what_a_loop_multiplies(snippet: str, steps: int) -> None:
    """A loop makes as much work as its body, so many times."""
    value = "a" * rules.STEP_CHARACTERS * 1_000
    body = "{% if x %}{% endif %}"

    def fits(template: str) -> bool:
        try:
            Gate({"x": value}).check(_environment().parse(template))
        except JinjaError as error:
            _says(error, "too much work")
            return False
        return True

    def most(template: str) -> int:
        return next(times for times in range(1, 300) if not fits(template.replace("@", body * times)))

    once, looped = most("{% if 1 %}@{% endif %}"), most(snippet)
    assert once // steps <= looped <= once // steps + 1


def test_the_greatest_number() -> None:
    """A number may be as great as the limit, with either sign, and not greater."""
    most = rules.MAX_INTEGER
    assert render_jinja(f"{{{{ {most} }}}} {{{{ -{most} }}}}", {})[0] == f"{most} -{most}"
    for number in (f"{most + 1}", f"-{most + 1}"):
        with pytest.raises(JinjaError):
            render_jinja(f"{{{{ {number} }}}}", {})


def test_every_part_in_a_loop_is_work() -> None:
    """Whatever stands in a loop makes as much work as the loop runs, a short text too."""
    loops = "{% for i in range(1000) %}{% for j in range(150) %}@{% endfor %}{% endfor %}"
    assert render_jinja(loops.replace("@", ""), {})[0] == ""
    with pytest.raises(JinjaError, match="too much work"):
        render_jinja(loops.replace("@", "x"), {})


@pytest.mark.parametrize(
    ("template", "steps"),
    [
        ("a", 2),
        ("{{ 1 }}", 2),
        ("{{ 'LONG' }}", 6),
        ("{{ x }}", 6),
        ("{{ a.b }}", 7),
        ("{% if x %}{% endif %}", 6),
        ("{% if 1 %}{{ x }}{% endif %}", 10),
        ("{% if 0 %}{% elif x %}{{ x }}{% endif %}", 20),
        ("{% for i in [] %}{% else %}{{ x }}{% endfor %}", 10),
        ("{% for i in [1, 2, 3] %}{% endfor %}", 8),
        ("{% for i in ['LONG', 'b'] %}{% endfor %}", 12),
        ("{% for i in ['LONG', 'b'] %}{{ i }}{% endfor %}", 28),
        ("{% for i in range(5) %}{{ x }}{% endfor %}", 47),
        ("{% for i in range(2) %}{% for j in range(3) %}{{ x }}{% endfor %}{% endfor %}", 74),
        ("{% for i in range(4) %}{{ loop.index }}{% endfor %}", 18),
        ("{{ not x }}", 9),
        ("{{ x|upper }}", 9),
        ("{{ x ~ x }}", 16),
        ("{{ x is eq x }}", 16),
        ("{{ x if x else x }}", 23),
        ("{{ x == x == x }}", 25),
        ("{{ 'a' in ['LONG'] }}", 13),
        ("{{ ['LONG', 'b']|join }}", 13),
        ("{{ ['a', 'b', 'c']|join('LONG') }}", 31),
    ],
)
def test_how_much_work_a_template_makes(template: str, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is a step as often as it runs, and a value of two units is two more for each level around it."""
    long = "a" * 2 * rules.STEP_CHARACTERS
    values: dict[str, Value] = {"x": long, "a.b": long}
    tree = template.replace("LONG", long)
    monkeypatch.setattr(rules, "MAX_STEPS", steps)
    Gate(values).check(_environment().parse(tree))
    monkeypatch.setattr(rules, "MAX_STEPS", steps - 1)
    with pytest.raises(JinjaError, match=f"too much work: more than {steps - 1} steps"):
        Gate(values).check(_environment().parse(tree))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ ['a']|join(d=',') }}", "the filter 'join' takes at most a separator in parentheses"),
        ("{{ ['a']|join(*[]) }}", "the filter 'join' takes at most a separator in parentheses"),
        ("{{ ['a']|join(**x) }}", "the filter 'join' takes at most a separator in parentheses"),
        ("{{ ['a']|join(',', ';') }}", "the filter 'join' takes at most a separator in parentheses"),
        ("{{ x|upper(1) }}", "the filter 'upper' takes nothing in parentheses"),
        ("{{ x|default }}", "the filter 'default' takes one value, or a value and true, in parentheses"),
        ("{{ x|default(1, true, 1) }}", "the filter 'default' takes one value, or a value and true, in parentheses"),
        ("{{ 1 is even(a=1) }}", "the test 'even' takes nothing after it"),
        ("{{ 1 is even(*[]) }}", "the test 'even' takes nothing after it"),
        ("{{ 1 is even(**x) }}", "the test 'even' takes nothing after it"),
        ("{{ 1 is even(1) }}", "the test 'even' takes nothing after it"),
        ("{{ 1 is eq }}", "the test 'eq' takes one value after it"),
        ("{{ 1 is eq(1, 2) }}", "the test 'eq' takes one value after it"),
        ("{% for i in range() %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1, 2, 3, 4) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1, 2, 0) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1.0) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(true) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1, stop=2) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1, *[]) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1, **x) %}{% endfor %}", "range takes one to three whole numbers"),
        ("{% for i in range(1001) %}{% endfor %}", "a loop runs more than 1000 times"),
        ("{% for i in range(0, -2002, -2) %}{% endfor %}", "a loop runs more than 1000 times"),
    ],
)
def test_what_takes_how_many_arguments(template: str, message: str) -> None:
    """Filters, tests and ranges take so many arguments, none of them by name and none unpacked."""
    with pytest.raises(JinjaError) as caught:
        render_jinja(template, {"x": "a"})
    assert message in caught.value.message


def test_the_longest_loops() -> None:
    """A loop may run so many times, over numbers in any order, with a sign or without."""
    for numbers in ("1000", "-1000, 0", "0, -2000, -2", "+1, +1001, +1"):
        assert render_jinja(f"{{% for i in range({numbers}) %}}{{% endfor %}}", {})[0] == ""
    assert render_jinja("{% for i in range(3, -3, -2) %}{{ i }},{% endfor %}", {})[0] == "3,1,-1,"


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("{{ x.nope }}", "x.nope"),
        ("{% if false %}{{ x.nope }}{% endif %}", "x.nope"),
        ("{% for i in [] %}{{ i.nope }}{% endfor %}", "i.nope"),
        ("{{ x.nope is defined }}", "x.nope"),
    ],
)
def test_a_dot_behind_a_value_is_refused_wherever_it_stands(template: str, name: str) -> None:
    """What looks like a part of a variable, or of a loop's item, is refused even where it is not reached."""
    with pytest.raises(JinjaError, match=f"no variable '{name}' is registered"):
        render_jinja(template, {"x": "a"})
