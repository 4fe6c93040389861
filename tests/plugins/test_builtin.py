"""The packaged templates, as a source of sections."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, BuildError, Section

NAMES = {
    "identity": "AGENTS.md",
    "safety": "SAFETY.md",
    "conversation_rules": "CONVERSATION_RULES.md",
    "tool_usage": "TOOL_USAGE.md",
}
WHOLE_CHAIN = [("builtin", "applied")]


def test_the_four_sections_stand_in_layer_builtin_in_their_order() -> None:
    """Nothing but the packaged templates gives four sections, each defined by its own file."""
    prompt = Builder(plugins=False).build()
    assert [(s.id, s.title, s.priority, s.layer, s.defined_in) for s in prompt.sections] == [
        ("identity", None, 100, "builtin", "builtin"),
        ("safety", "Safety Guidelines", 200, "builtin", "builtin"),
        ("conversation_rules", "Conversation Rules", 300, "builtin", "builtin"),
        ("tool_usage", "Tool Usage Guidelines", 400, "builtin", "builtin"),
    ]
    assert {s.id: s.origin.path for s in prompt.sections} == {
        id: f"foreword_prompts/{name}" for id, name in NAMES.items()
    }
    assert all(s.provider.startswith("foreword:builtin ") for s in prompt.sections)
    assert prompt.diagnostics == ()


def test_their_text_is_that_of_the_package_byte_for_byte() -> None:
    """Nothing but the agent's name is put into a packaged template."""
    prompt = Builder(plugins=False).build(variables={"agent_name": "{{ agent_name }}"})
    for id, name in NAMES.items():
        assert prompt.section(id).text == (files("foreword_prompts") / name).read_text(encoding="utf-8").strip()


def test_the_agents_name_is_filled_in(desk: Any) -> None:
    """The identity names the agent by the highest of call, configuration, agent and the word assistant."""
    configured = '[variables]\nagent_name = "Cfg"\n[agents.ada.variables]\nagent_name = "Own"\n'
    for settings, agent, variables, name in (
        ("", None, {}, "assistant"),
        (configured, None, {}, "Cfg"),
        (configured, "bob", {}, "bob"),
        (configured, "ada", {}, "Own"),
        (configured, "ada", {"agent_name": "Call"}, "Call"),
    ):
        prompt = desk.build(settings, agent, variables=variables)
        assert prompt.section("identity").text.startswith(f"You are {name},")


def test_the_integrators_defaults_replace_them_id_by_id() -> None:
    """A default of the integrator takes the place of the packaged template of its id and of no other."""
    plain = Builder(plugins=False).build()
    prompt = Builder(plugins=False).build(defaults=[Section("identity", "I am the desk."), Section("desk", "Ours.")])
    assert prompt.section("identity").text == "I am the desk."
    assert prompt.section("identity").layer == "builtin"
    assert [s.text for s in prompt.sections[1:-1]] == [s.text for s in plain.sections[1:]]
    assert prompt.sections[-1].id == "desk"


def test_they_can_be_switched_off_as_any_plugin(desk: Any) -> None:
    """Without its templates there is no prompt, and a required section is missed."""
    off = '[plugins]\ndisable = ["foreword:builtin"]\n'
    with pytest.raises(BuildError, match="'safety' is not in the prompt"):
        desk.build(off)
    prompt = desk.build(off + "[sections.safety]\nrequired = false\n")
    assert prompt.text == ""
    assert prompt.sections == ()


def test_a_file_of_a_known_name_in_the_prompts_directory_stands_over_them(desk: Any) -> None:
    """The operator's file replaces the text of the template and keeps its title and place."""
    desk.write({"prompts/SAFETY.md": "Be safe."})
    prompt = desk.build('prompts_dir = "prompts"\n')
    section = prompt.section("safety")
    assert (section.text, section.title, section.priority) == ("Be safe.", "Safety Guidelines", 200)
    assert (section.layer, section.defined_in) == ("project", "builtin")
    assert [(step.edit.layer, step.outcome) for step in section.provenance] == [
        ("builtin", "shadowed"),
        ("project", "applied"),
    ]


def test_every_line_of_the_prompt_is_traced_to_its_line_in_the_template() -> None:
    """Each line says which line of which packaged file it is."""
    sources = {f"foreword_prompts/{n}": Path(str(files("foreword_prompts") / n)).read_text() for n in NAMES.values()}
    traced = 0
    for line in Builder(plugins=False).build(variables={"agent_name": "{{ agent_name }}"}).lines():
        if line.place is not None and line.place.line is not None:
            assert sources[line.place.path].split("\n")[line.place.line - 1] == line.text
            traced += 1
    assert traced > 100
