"""The per-agent directory, as a source of sections."""

from __future__ import annotations

import os
import unicodedata
from typing import Any

import pytest

from foreword import BuildError, ConfigError

WITH_TEMPLATES = 'prompts_dir = "prompts"\n'


def test_every_known_name_overrides(desk: Any) -> None:
    """A per-agent directory may replace each known section, for its agent and for nobody else."""
    names = ["AGENTS", "IDENTITY", "SAFETY", "CONVERSATION_RULES", "OUTPUT_PRINCIPLES", "TOOL_USAGE"]
    shared = {f"{name}.md": f"shared {name}" for name in names}
    own = {f"agents/ada/{name}.md": f"own {name}" for name in names}
    ada = desk.bare({**shared, **own}, "ada")
    assert [(s.layer, s.defined_in, s.text) for s in ada.sections] == [
        ("agent", "project", f"own {name}") for name in names
    ]
    assert [s.title for s in ada.sections] == [
        None,
        None,
        "Safety Guidelines",
        "Conversation Rules",
        "Output Principles",
        "Tool Usage Guidelines",
    ]
    assert all(text not in desk.bare({}, "bob").text for text in own.values())
    assert all(text not in desk.bare({}).text for text in own.values())


def test_an_agents_identity_needs_no_shared_one(desk: Any) -> None:
    """An agent's own ``IDENTITY.md`` defines the section where the prompts directory has none."""
    files = {"agents/ada/IDENTITY.md": "I am Ada."}
    assert desk.bare(files, "ada").section("agent_identity").defined_in == "agent"
    assert desk.bare({}, "bob").sections == ()


def test_own_custom_sections_stand_after_shared_ones_and_overriding_moves_nothing(desk: Any) -> None:
    """Equal priorities are ordered by the layer that defined the section, then by id."""
    files = {
        "zeta.md": "shared",
        "agents/ada/zeta.md": "own zeta",
        "agents/ada/alpha.md": "own alpha",
        "agents/ada/ZULU.md": "---\npriority: 899\n---\nown zulu",
    }
    prompt = desk.bare(files, "ada")
    assert [(s.id, s.text) for s in prompt.sections] == [
        ("custom_zulu", "own zulu"),
        ("custom_zeta", "own zeta"),
        ("custom_alpha", "own alpha"),
    ]


def test_tool_prose_of_an_agent_overrides_that_of_the_team(desk: Any) -> None:
    """Tools compare without case and keep the spelling of the file that defined them."""
    files = {"tools/Read.md": "shared", "agents/ada/tools/read.md": "own", "agents/ada/tools/Write.md": "w"}
    assert dict(desk.bare(files, "ada").tools) == {"Read": "own", "Write": "w"}
    assert dict(desk.bare({}, "bob").tools) == {"Read": "shared"}


def test_modes_work_in_a_per_agent_directory(desk: Any) -> None:
    """Front matter removes, appends, patches and moves, as in the prompts directory."""
    desk.write(
        {
            "prompts/agents/ada/1.md": "---\nid: tool_usage\nmode: remove\n---\n",
            "prompts/agents/ada/2.md": "---\nid: conversation_rules\nmode: append\n---\nP.S.",
            "prompts/agents/ada/3.md": "---\nid: safety\nmode: patch\nheading: Secrets\n---\nNever.",
        }
    )
    prompt = desk.build(WITH_TEMPLATES, "ada")
    assert [s.id for s in prompt.sections] == ["identity", "safety", "conversation_rules"]
    assert prompt.section("conversation_rules").text.endswith("\n\nP.S.")
    assert "### Secrets\n\nNever.\n\n###" in prompt.section("safety").text
    assert desk.said(info=True) == []


def test_an_agent_without_a_directory_is_no_finding(desk: Any) -> None:
    """An agent that has no directory of its own gets what all share, and nothing is said."""
    desk.write({"prompts/SAFETY.md": "s", "prompts/agents/ada/x.md": "x"})
    prompt = desk.build(WITH_TEMPLATES, "bob")
    assert [s.id for s in prompt.sections] == ["identity", "safety", "conversation_rules", "tool_usage"]
    assert desk.said(info=True) == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_form_of_the_directorys_name_does_not_matter(desk: Any, form: Any) -> None:
    """An agent is found whether its directory's name is composed or decomposed, and so is a file in it."""
    name = unicodedata.normalize(form, "rené")
    file = unicodedata.normalize(form, "Règle.md")
    for asked in ("NFC", "NFD"):
        agent = unicodedata.normalize(asked, "rené")  # type: ignore[arg-type]
        prompt = desk.bare({f"agents/{name}/{file}": "r"}, agent)
        assert prompt.agent == unicodedata.normalize("NFC", "rené")
        assert [(s.id, s.title, s.text) for s in prompt.sections] == [("custom_règle", "Règle", "r")]
    assert desk.said(info=True) == []


BAD_NAMES = ["", ".", "..", "a/b", "/etc", "..\\x", "a\0b", ".hidden", "a b", "x" * 65, "a\u200bb"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_is_none_is_refused_before_anything_is_read(desk: Any, name: str) -> None:
    """What is asked for is one component of a path, or a configuration error."""
    desk.write({"prompts/SAFETY.md": "s"})
    with pytest.raises(ConfigError):
        desk.build(WITH_TEMPLATES, name)


def test_bad_files_fall_back_to_what_the_team_shares(desk: Any) -> None:
    """A file of an agent that cannot be read is an error, and the team's text stands."""
    desk.write({"prompts/TOOL_USAGE.md": "shared", "prompts/agents/ada/TOOL_USAGE.md": b"\xff"})
    desk.write({"prompts/agents/ada/x.md/y.md": "directory", "prompts/agents/ada/big.md": "x" * 300_000})
    os.mkfifo(desk.root / "prompts/agents/ada/AGENTS.md")
    desk.link("prompts/agents/ada/out.md", "/etc/hostname")
    prompt = desk.build(WITH_TEMPLATES, "ada")
    assert prompt.section("tool_usage").text == "shared"
    assert prompt.section("identity").layer == "builtin"
    assert sorted(desk.said()) == [
        ("FW003", "error", "prompts/agents/ada/AGENTS.md"),
        ("FW003", "error", "prompts/agents/ada/x.md"),
        ("FW004", "error", "prompts/agents/ada/TOOL_USAGE.md:1"),
        ("FW005", "error", "prompts/agents/ada/big.md"),
        ("FW006", "error", "prompts/agents/ada/out.md"),
    ]
    steps = prompt.section("tool_usage").provenance
    assert [(step.edit.layer, step.outcome) for step in steps] == [
        ("builtin", "shadowed"),
        ("project", "applied"),
        ("agent", "failed"),
    ]


def test_a_bad_file_of_a_required_section_stops_the_build_of_this_agent_only(desk: Any) -> None:
    """The per-agent directory is the operator's: its safety text counts, or there is no prompt."""
    desk.write({"prompts/agents/ada/SAFETY.md": b"\xff"})
    with pytest.raises(BuildError, match=r"agents/ada/SAFETY\.md"):
        desk.build(WITH_TEMPLATES, "ada")
    assert desk.build(WITH_TEMPLATES, "bob").section("safety").layer == "builtin"


def test_a_directory_that_is_a_file_is_refused(desk: Any) -> None:
    """A file where an agent's directory should be is an error, and not an agent without a directory."""
    desk.write({"prompts/agents/ada": "no directory"})
    desk.build(WITH_TEMPLATES, "ada")
    assert ("FW003", "error", "prompts/agents/ada") in desk.said()


def test_links_between_agents_are_followed_and_out_of_the_prompts_directory_not(desk: Any) -> None:
    """The prompts directory is the root of the agents' directories too."""
    desk.write({"prompts/agents/ada/x.md": "shared by link", "elsewhere/y.md": "y"})
    desk.link("prompts/agents/bob", "ada")
    desk.link("prompts/agents/eve", "../../elsewhere")
    assert desk.bare({}, "bob").text == "## x\nshared by link"
    assert desk.bare({}, "eve").text == ""
    assert ("FW006", "error", "prompts/agents/eve") in desk.said()
    assert desk.bare({}, "eve", '[files]\nlink_roots = ["elsewhere"]\n').text == "## y\ny"


def test_the_team_may_read_nothing_of_another_agent(desk: Any) -> None:
    """The directory of one agent says nothing in the prompt of another, even with a name that begins alike."""
    desk.bare({"agents/ada/x.md": "of ada", "agents/ada-2/y.md": "of ada-2", "agents/ADA/z.md": "of ADA"}, "ada")
    texts = {agent: desk.bare({}, agent).text for agent in ("ada", "ada-2", "ADA")}
    assert texts == {"ada": "## x\nof ada", "ada-2": "## y\nof ada-2", "ADA": "## z\nof ADA"}
