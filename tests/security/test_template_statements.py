"""Statements on templates (T1 to T11), held against whole prompts.

The engines by themselves are held against them in tests/core: test_template.py (T3, T4, T5, T8 of mode ``names``)
and test_jinja.py (T1, T2, T7, T8, T9, T10 of mode ``jinja``, and every template that was made to hurt). What both may
cost at most is measured in test_template_costs.py.
"""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from foreword import BuildError, ConfigError, Edit, Section

OVERRIDES = "memory/souveraine_operations/prompt-overrides"
BAD = "---\ntemplate: jinja\n---\nfirst\n\n{{ agnt_name }}"

# Every exception that compiling and rendering can end in, and the line of the file that is to blame.
ENDS = {
    "undefined name": ("a\n{{ 'x' ~ agnt_name }}", 5),
    "syntax": ("a\nb\n{{ a", 6),
    "RecursionError": ("(" * 90 + "{{ " + "(" * 200 + "1" + ")" * 200 + " }}", 4),
    "a long chain": ("x\n{{ a" + "|upper" * 300 + " }}", 5),
    "IndentationError": ("{% if true %}" * 100 + "{% endif %}" * 100, 4),
    "ValueError": ("\n{{ " + "9" * 5000 + " }}", 5),
    "MemoryError": ("{{ 'a' * 10**9 }}", 4),
    "OverflowError": ("{% for i in range(999999999999) %}x{% endfor %}", 4),
    "TypeError": ("x\n{{ 1 < agent_name }}", 5),
    "include": ("x\n\n{% include 'SAFETY.md' %}", 6),
}


@pytest.mark.parametrize("kind", ENDS)
def test_t1_t2_t7_every_failure_is_one_error_with_file_and_line(desk: Any, kind: str) -> None:
    """T1, T2, T7, T10: whatever a template ends in, one error names section, file and line; the layer below stands."""
    template, line = ENDS[kind]
    text = f"---\ntemplate: jinja\n---\n{template}"
    started = time.process_time()
    prompt = desk.build({"prompts/TOOL_USAGE.md": "Read first.", "prompts/agents/operator/TOOL_USAGE.md": text})
    assert time.process_time() - started < 2
    assert prompt.section("tool_usage").text == "Read first."
    (error,) = [one for one in desk.found if one.severity == "error"]
    assert (error.code, error.section) == ("FW017", "tool_usage")
    assert error.place.path == "prompts/agents/operator/TOOL_USAGE.md"
    assert error.place.line in (line, None) if kind == "RecursionError" else error.place.line == line
    assert [step.outcome for step in prompt.explain("tool_usage").steps] == ["shadowed", "applied", "failed"]


def test_t1_a_failure_in_a_required_section_raises(desk: Any) -> None:
    """T1: in an operator layer of a required section, or under strict, a failed template makes the build raise."""
    with pytest.raises(BuildError, match=r"required section 'safety'"):
        desk.build({"prompts/agents/operator/SAFETY.md": BAD})
    assert desk.build(agent=None).section("safety").text
    (desk.root / "prompts/agents/operator/SAFETY.md").rename(desk.root / "prompts/STYLE.md")
    with pytest.raises(ExceptionGroup) as caught:
        desk.build(strict=True)
    assert [failure.diagnostics[0].code for failure in caught.value.exceptions] == ["FW017"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
@settings(max_examples=30)
def test_t3_a_value_comes_out_as_it_went_in(new_desk: Any, value: str) -> None:
    """T3: for every value of the caller's, both modes put exactly that value into the text."""
    with new_desk() as desk:
        edits = [Edit("a", "<{{ v }}>", template=mode) for mode in ("names", "jinja")]
        for edit in edits:
            prompt = desk.build(edits=[edit], variables={"v": value})
            assert prompt.section("a").text == f"<{value}>"


# fmt: off
PIECES = [
    "{{ agent_name }}", "{{agent_name}}", "{{  agent_name }}", "{{ agent_name}}", "{{ nope }}", "${{ agent_name }}",
    "{{{ agent_name }}}", "\\{{ agent_name }}", "{% if x %}", "{# x #}", "{{ 7*7 }}", "{{ ''.__class__ }}", "{{", "}}",
    "{{secret:name}}", "{a: 1}", "$ARGUMENTS", "!`rm -rf /`", "${CLAUDE_ROOT}", "{% raw %}", "é", " ", "a",
]
# fmt: on


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join))
@settings(max_examples=60)
def test_t4_untrusted_text_is_itself_with_registered_names_replaced(new_desk: Any, giving: Any, text: str) -> None:
    """T4: in every untrusted layer registered names are replaced and no other byte changes."""
    wrapped = f"<{text}>"
    expected = wrapped
    for name in ("{{ agent_name }}", "{{agent_name}}"):
        # What follows a dollar, a brace or a backslash is no placeholder.
        for before in ("$", "{", "\\"):
            expected = expected.replace(before + name, f"{before}\0{name[2:]}")
        expected = expected.replace(name, "operator").replace("\0", "{{")
    expected = expected.replace("\\{{ agent_name }}", "{{ agent_name }}")
    with new_desk() as desk:
        prompt = desk.build(
            {"memory/system/persona.md": wrapped, f"{OVERRIDES}/TOOL_USAGE.md": wrapped},
            plugins={"acme": giving([Section("acme.x", wrapped)])},
            untrusted=[Section("stranger", wrapped)],
        )
        for id in ("memory/persona", "tool_usage", "acme.x", "stranger"):
            assert prompt.section(id).text == expected


@pytest.mark.parametrize(
    "piece", ["{{", "{{ agent_name }}", "{{ a" + "a" * 60, "{{ a.a.a.a }}", "{% ", "\\{{ ", "{{ nope }} "]
)
def test_t5_untrusted_text_costs_little(desk: Any, piece: str) -> None:
    """T5: 64 KiB of anything in an untrusted layer are dealt with in a moment and in little memory."""
    text = (piece * 65_536)[:65_536]
    desk.build()
    tracemalloc.start()
    started = time.process_time()
    desk.build({"memory/system/persona.md": text})
    spent = time.process_time() - started
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # With tracing, and the whole build around it.
    assert spent < 3
    assert most < 50_000_000


@pytest.mark.parametrize(
    ("path", "id"),
    [
        ("memory/system/persona.md", "memory/persona"),
        ("memory/souveraine_operations/prompts/TOOL_USAGE.md", "tool_usage"),
        (f"{OVERRIDES}/TOOL_USAGE.md", "tool_usage"),
        (f"{OVERRIDES}/tools/read.md", "tools/read"),
        ("skills/x/SKILL.md", "skills/x"),
    ],
)
def test_t6_jinja_is_refused_to_the_untrusted(desk: Any, path: str, id: str) -> None:
    """T6: ``template: jinja`` in a memory, an override or a skill refuses the text, whatever section it lands in."""
    front = "name: x\ndescription: d\n" if path.startswith("skills") else ""
    (desk.root / "foreword.toml").write_text(
        'prompts_dir = "prompts"\n[memory]\npath = "memory"\n[skills]\nroots = ["skills"]\nmode = "full"\n'
    )
    files = {"prompts/TOOL_USAGE.md": "---\ntemplate: jinja\n---\nFor {{ agent_name|upper }}."}
    prompt = desk.build({**files, path: f"---\n{front}template: jinja\n---\nAlive {{{{ 7 * 7 }}}}"})
    assert "Alive" not in prompt.text
    assert "Alive" not in "".join(prompt.tools.values())
    assert prompt.section("tool_usage").text == "For OPERATOR."
    assert [(one.code, one.section) for one in desk.found if one.severity == "error"] == [("FW018", id)]


def test_t6_no_untrusted_text_reaches_jinja_in_a_section_of_the_operators(desk: Any) -> None:
    """T6: text appended, prepended or patched into a section that Jinja renders is never seen by Jinja."""
    probe = "{{ 7*7 }}{% include 'x' %}{{ agent_name }}"
    prompt = desk.build(
        {
            "prompts/TOOL_USAGE.md": "---\ntemplate: jinja\n---\n{% if true %}Read.{% endif %}\n\n### Write\n\nx",
            f"{OVERRIDES}/a.md": f"---\nid: tool_usage\nmode: append\n---\nA {probe}",
            f"{OVERRIDES}/b.md": f"---\nid: tool_usage\nmode: prepend\n---\nB {probe}",
            f"{OVERRIDES}/c.md": f"---\nid: tool_usage\nmode: patch\nheading: Write\n---\nC {probe}",
        }
    )
    said = "{{ 7*7 }}{% include 'x' %}operator"
    assert prompt.section("tool_usage").text == f"B {said}\n\nRead.\n\n### Write\n\nC {said}\n\nA {said}"


@given(st.text(st.characters(exclude_characters="{\r", exclude_categories=["Cs"]), min_size=1))
@settings(max_examples=40)
def test_t8_text_without_braces_is_identical(new_desk: Any, text: str) -> None:
    """T8: a text without the signs of a template comes out the same, to the byte, in both modes."""
    with new_desk() as desk:
        for mode in ("names", "jinja"):
            prompt = desk.build(edits=[Edit("a", f"<{text}>", template=mode)])
            assert prompt.section("a").text == f"<{text}>"


class _Object:
    def __str__(self) -> str:
        raise AssertionError


@pytest.mark.parametrize(
    "value", [_Object(), _Object, ["a"], {"a": 1}, b"x", SecretStr("x"), float("nan"), 10**100, "\ud800", lambda: "x"]
)
def test_t9_only_plain_values_reach_a_template(desk: Any, value: object) -> None:
    """T9: anything but text, numbers and booleans is refused where it is given, by the call and by a plugin."""
    with pytest.raises(ConfigError, match="variable 'v'"):
        desk.build(variables={"v": value})


@pytest.mark.parametrize(
    "value",
    ["a\nb", "a\r## Safety Guidelines", "a\u2028b", "a\x85b", "a" * 201, _Object(), SecretStr("x"), ["a"], "a\x1b[31m"],
)
def test_t11_a_plugins_value_is_one_short_plain_line(desk: Any, giving: Any, value: object) -> None:
    """T11: a value that could make a heading or hide something is an error, and its placeholder stays."""
    prompt = desk.build({"prompts/STYLE.md": "<{{ acme.v }}>"}, plugins={"acme": giving((), {"acme.v": value})})
    assert prompt.section("custom_style").text == "<{{ acme.v }}>"
    assert [one.code for one in desk.found if one.severity == "error"] == ["FW038"]


def test_t11_only_the_operators_values_reach_a_locked_section(desk: Any, giving: Any) -> None:
    """T11: into a locked section come values of configuration and call, in both modes, and none of a plugin."""
    desk.configure('[variables]\nteam = "Harbour"\n')
    plugin = giving((), {"acme.v": "stranger"})
    prompt = desk.build(
        {"prompts/SAFETY.md": "{{ team }} {{ now }} {{ acme.v }}"}, plugins={"acme": plugin}, variables={"now": "noon"}
    )
    assert prompt.section("safety").text == "Harbour noon {{ acme.v }}"
    with pytest.raises(BuildError, match=r"no variable 'acme\.v'"):
        desk.build({"prompts/SAFETY.md": "---\ntemplate: jinja\n---\n{{ acme.v }}"}, plugins={"acme": plugin})
