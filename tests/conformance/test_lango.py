"""The statements that describe Lango's prompts, as they hold for foreword, and where foreword differs on purpose.

Each test is named after its statement. Those of the first part say what both do, or what foreword says anew
because it has no mutable builder; those of the second part (``test_differs_…``) say what foreword does instead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, BuildError, ConfigError, Diagnostic, Edit, Prompt, Section

NOTHING_REQUIRED = "[sections.safety]\nrequired = false\n"
NO_TEMPLATES = '[plugins]\ndisable = ["foreword:builtin"]\n'

GOLDEN_FILES = {
    "AGENTS.md": "MY IDENTITY",
    "SAFETY.md": "S",
    "CONVERSATION_RULES.md": "C",
    "OUTPUT_PRINCIPLES.md": "O",
    "TOOL_USAGE.md": "T",
    "STYLE_GUIDE.md": "formal",
}


class Desk:
    """A prompts directory of its own, with and without the packaged templates under it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.prompts = root / "prompts"
        self.prompts.mkdir()
        self.found: list[Diagnostic] = []

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files below the prompts directory."""
        for name, text in files.items():
            path = self.prompts / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def builder(self, settings: str = "") -> Builder:
        """Return a builder over the packaged templates."""
        self.found.clear()
        if not settings:
            return Builder(prompts_dir=self.prompts, plugins=False, on_diagnostic=self.found.append)
        config = self.root / "foreword.toml"
        config.write_text(f'prompts_dir = "prompts"\n{settings}')
        return Builder.from_config(config, plugins=False, on_diagnostic=self.found.append)

    def bare(self, settings: str = "") -> Builder:
        """Return a builder without the packaged templates, and with a policy that requires nothing."""
        return self.builder(NO_TEMPLATES + NOTHING_REQUIRED + settings)

    def said(self, *, info: bool = False) -> list[tuple[str, str]]:
        """Return code and severity of what the builds had to say."""
        return [(one.code, one.severity) for one in self.found if info or one.severity != "info"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty prompts directory."""
    return Desk(tmp_path)


def ids(prompt: Prompt) -> list[str]:
    """The ids of a prompt's sections in their order."""
    return [section.id for section in prompt.sections]


def outcomes(prompt: Prompt, id: str) -> list[tuple[str, str]]:
    """Layer and outcome of every edit that was tried on a section, low to high."""
    explanation = prompt.explain(id)
    assert not isinstance(explanation, tuple)
    return [(step.edit.layer, step.outcome) for step in explanation.steps]


def alone(desk: Desk, *sections: Section, **arguments: Any) -> str:
    """The prompt of nothing but these sections."""
    return desk.bare().build(defaults=sections, **arguments).text


# -- rendering -------------------------------------------------------------------------------------


def test_r1_title_and_content(desk: Desk) -> None:
    """R1: title "Safety" and content "Do not harm." give "## Safety", one newline, the content."""
    assert alone(desk, Section("x", "Do not harm.", title="Safety")) == "## Safety\nDo not harm."


def test_r2_no_title(desk: Desk) -> None:
    """R2: a section without a title is its content only."""
    assert alone(desk, Section("x", "Do not harm.")) == "Do not harm."
    assert alone(desk, Section("x", "Do not harm.", title="")) == "Do not harm."


@pytest.mark.parametrize("text", ["", "   \n  "])
def test_r3_blank_content(desk: Desk, text: str) -> None:
    """R3: blank content gives nothing, even with a title; foreword says so in a warning."""
    assert alone(desk, Section("x", text, title="Rules")) == ""
    assert desk.said() == [("FW010", "warning")]


def test_r4_content_is_trimmed(desk: Desk) -> None:
    """R4: white space around the content is set aside."""
    assert alone(desk, Section("x", "\n  Be concise.  \n", title="Rules")) == "## Rules\nBe concise."


def test_r6_blank_lines_inside_stay(desk: Desk) -> None:
    """R6: blank lines inside the content are kept as they are."""
    assert alone(desk, Section("x", "a\n\n\n\nb")) == "a\n\n\n\nb"


# -- the builder -----------------------------------------------------------------------------------


def test_b1_nothing_gives_the_empty_text(desk: Desk) -> None:
    """B1: without a section the prompt is empty, under a policy that requires nothing."""
    prompt = desk.bare().build()
    assert prompt.text == ""
    assert prompt.sections == ()


def test_b1_requires_safety_by_default(desk: Desk) -> None:
    """B1: under foreword's own policy an empty prompt is none, since safety is required."""
    with pytest.raises(BuildError, match="safety"):
        desk.builder(NO_TEMPLATES).build()


def test_b2_order_is_by_priority(desk: Desk) -> None:
    """B2: sections given with priorities 300, 100 and 200 stand in the order 100, 200, 300."""
    given = [Section(name, name, priority=priority) for name, priority in (("c", 300), ("a", 100), ("b", 200))]
    assert alone(desk, *given) == "a\n\nb\n\nc"


def test_b4_replacing_keeps_the_place(desk: Desk) -> None:
    """B4, said anew: a replacement keeps the priority below; only an explicit priority moves the section."""
    defaults = [Section("a", "a", priority=100), Section("b", "b", priority=200)]
    builder = desk.bare()
    assert builder.build(defaults=defaults, edits=[Section("a", "a2")]).text == "a2\n\nb"
    assert builder.build(defaults=defaults, edits=[Section("a", "a2", priority=300)]).text == "b\n\na2"


def test_b5_removing_what_is_not_there(desk: Desk) -> None:
    """B5, said anew: removing an id that nobody has changes nothing and has the outcome no-target."""
    prompt = desk.bare().build(defaults=[Section("a", "a")], edits=[Edit("nonexistent", mode="remove")])
    assert prompt.text == "a"
    assert outcomes(prompt, "nonexistent") == [("session", "no-target")]
    assert desk.said() == [("FW023", "warning")]


def test_b6_what_is_there_is_read_from_the_sections(desk: Desk) -> None:
    """B6, said anew: what was added is among the sections of the prompt, and what was removed is not."""
    builder = desk.bare()
    defaults = [Section("a", "a"), Section("b", "b")]
    assert ids(builder.build(defaults=defaults)) == ["a", "b"]
    assert ids(builder.build(defaults=defaults, edits=[Edit("a", mode="remove")])) == ["b"]


def test_b7_one_agents_edits_touch_no_other_prompt(desk: Desk) -> None:
    """B7, said anew: additions, replacements and removals of one agent reach neither base nor other agents."""
    desk.write({"AGENTS.md": "base", "SAFETY.md": "S", "EXTRA.md": "extra"})
    builder = desk.bare()
    base = builder.build().text
    untouched = builder.build("planner").text
    desk.write(
        {
            "agents/operator/AGENTS.md": "mine",
            "agents/operator/MORE.md": "more",
            "agents/operator/EXTRA.md": "---\nmode: remove\n---\n",
        }
    )
    operator, planner = desk.bare().build_many(["operator", "planner"])
    assert operator.text == "mine\n\n## Safety Guidelines\nS\n\n## MORE\nmore"
    assert planner.text == untouched == base == desk.bare().build().text


def test_b8_an_agent_without_edits_gets_the_base(desk: Desk) -> None:
    """B8, said anew: an agent without edits of its own gets the base, in which only values differ."""
    desk.write({"AGENTS.md": "I am {{ agent_name }}.", "STYLE.md": "Brief."})
    builder = desk.builder()
    base = builder.build(variables={"agent_name": "planner"}).text
    assert builder.build("planner").text == base
    assert builder.build("navigator").text == base.replace("I am planner.", "I am navigator.")


# -- the prompts directory -------------------------------------------------------------------------


def test_l1_agents_file_replaces_the_identity(desk: Desk) -> None:
    """L1: AGENTS.md replaces the identity, and the packaged text is gone."""
    packaged = desk.builder().build().section("identity").text
    desk.write({"AGENTS.md": "Custom identity"})
    prompt = desk.builder().build()
    assert prompt.text.startswith("Custom identity\n\n## Safety Guidelines\n")
    assert packaged not in prompt.text
    assert ids(prompt) == ["identity", "safety", "conversation_rules", "tool_usage"]


def test_l2_any_other_file_is_a_custom_section(desk: Desk) -> None:
    """L2: MY_RULES.md becomes custom_my_rules, titled "MY RULES", at priority 900."""
    desk.write({"MY_RULES.md": "Be kind."})
    section = desk.builder().build().section("custom_my_rules")
    assert (section.title, section.priority, section.text) == ("MY RULES", 900, "Be kind.")


def test_l4_a_blank_custom_file_is_nothing(desk: Desk) -> None:
    """L4: a blank custom file gives no section and moves no other; foreword says so in a warning."""
    desk.write({"A.md": "  \n", "B.md": "b"})
    prompt = desk.bare().build()
    assert [(section.id, section.priority) for section in prompt.sections] == [("custom_b", 900)]
    assert desk.said() == [("FW010", "warning")]


def test_l5_other_files_are_not_read(desk: Desk) -> None:
    """L5: notes.txt is no section; foreword says so for who asks."""
    desk.write({"notes.txt": "private"})
    assert desk.bare().build().text == ""
    assert ("FW008", "info") in desk.said(info=True)
    assert desk.said() == []


# -- the per-agent directory -----------------------------------------------------------------------


def test_a1_the_agents_identity(desk: Desk) -> None:
    """A1: IDENTITY.md in the agent's directory replaces agent_identity, at 150."""
    desk.write({"IDENTITY.md": "Somebody.", "agents/operator/IDENTITY.md": "The operator."})
    prompt = desk.builder().build("operator")
    assert (prompt.section("agent_identity").text, prompt.section("agent_identity").priority) == ("The operator.", 150)
    assert ids(prompt)[:3] == ["identity", "agent_identity", "safety"]
    assert "Somebody." not in prompt.text


def test_a2_the_agents_safety_and_rules(desk: Desk) -> None:
    """A2: SAFETY.md and CONVERSATION_RULES.md in the agent's directory replace the shared ones in their place."""
    desk.write({"SAFETY.md": "shared S", "CONVERSATION_RULES.md": "shared C"})
    desk.write({"agents/operator/SAFETY.md": "own S", "agents/operator/CONVERSATION_RULES.md": "own C"})
    text = desk.bare().build("operator").text
    assert text == "## Safety Guidelines\nown S\n\n## Conversation Rules\nown C"


def test_a3_the_agents_custom_section(desk: Desk) -> None:
    """A3: MY_RULES.md in the agent's directory adds custom_my_rules, and the rest is kept."""
    desk.write({"agents/operator/MY_RULES.md": "Mine."})
    builder = desk.builder()
    assert builder.build("operator").text == builder.build(variables={"agent_name": "operator"}).text + (
        "\n\n## MY RULES\nMine."
    )


def test_a5_the_base_never_changes(desk: Desk) -> None:
    """A5: after the prompts of all agents are built, the base is what it was, in the same builder."""
    desk.write({"SAFETY.md": "S", "agents/a/SAFETY.md": "A", "agents/b/X.md": "x"})
    builder = desk.builder()
    base = builder.build().text
    builder.build_many(["a", "b"])
    assert builder.build().text == base


def test_a6_a_blank_file_leaves_the_base(desk: Desk) -> None:
    """A6: a blank file in the agent's directory leaves the base; foreword says so in a warning."""
    desk.write({"SAFETY.md": "S", "agents/operator/SAFETY.md": "\n \n"})
    assert desk.bare().build("operator").text == "## Safety Guidelines\nS"
    assert desk.said() == [("FW010", "warning")]


# -- requirements of the specifications ------------------------------------------------------------


def test_sai1_identity_safety_and_rules_in_order(desk: Desk) -> None:
    """SAI1: the prompt of an agent holds agent_identity, safety and conversation_rules in the order of priority."""
    desk.write({"agents/operator/IDENTITY.md": "The operator."})
    sections = desk.builder().build("operator").sections
    chosen = [one for one in sections if one.id in ("agent_identity", "safety", "conversation_rules")]
    assert [(one.id, one.priority) for one in chosen] == [
        ("agent_identity", 150),
        ("safety", 200),
        ("conversation_rules", 300),
    ]


def test_sai3_per_agent_files_override_and_add(desk: Desk) -> None:
    """SAI3: identity and safety of the agent's directory override, and a custom file is added at 900."""
    desk.write({"IDENTITY.md": "i", "SAFETY.md": "s"})
    desk.write({f"agents/operator/{name}.md": name.lower() for name in ("IDENTITY", "SAFETY", "OWN")})
    prompt = desk.bare().build("operator")
    assert prompt.text == "identity\n\n## Safety Guidelines\nsafety\n\n## OWN\nown"
    assert prompt.section("custom_own").priority == 900


def default_instruction(text: str = "I am the framework's.") -> list[Section]:
    """The agent's instruction as a framework gives it."""
    return [Section("agent_identity", text, priority=150)]


def test_sai4_the_frameworks_instruction_stands_without_a_file(desk: Desk) -> None:
    """SAI4, said anew: the framework's instruction is given as a default, and stands among the shared sections."""
    desk.write({"SAFETY.md": "S"})
    prompt = desk.bare().build("operator", defaults=default_instruction())
    assert prompt.text == "I am the framework's.\n\n## Safety Guidelines\nS"
    assert prompt.section("agent_identity").layer == "builtin"


def test_sai5_the_operators_file_replaces_the_instruction(desk: Desk) -> None:
    """SAI5, said anew: the operator's IDENTITY.md replaces the default instruction, and not one given as an edit."""
    desk.write({"agents/operator/IDENTITY.md": "The operator's."})
    builder = desk.bare()
    assert builder.build("operator", defaults=default_instruction()).text == "The operator's."
    assert builder.build("planner", defaults=default_instruction()).text == "I am the framework's."
    assert builder.build("operator", edits=default_instruction()).text == "I am the framework's."


def test_sai6_nothing_leaks_to_another_agent(desk: Desk) -> None:
    """SAI6: in one batch, what one agent's directory says is in no other agent's prompt."""
    desk.write({f"agents/{name}/IDENTITY.md": f"I am {name}." for name in ("operator", "planner", "vault")})
    desk.write({"agents/planner/SAFETY.md": "planner's safety", "agents/vault/KEYS.md": "vault's keys"})
    operator, planner, vault = desk.builder().build_many(["operator", "planner", "vault"])
    own = {"operator": operator, "planner": planner, "vault": vault}
    for name, prompt in own.items():
        assert [other for other in own if f"I am {other}." in prompt.text] == [name]
    assert ["planner's safety" in prompt.text for prompt in own.values()] == [False, True, False]
    assert ["vault's keys" in prompt.text for prompt in own.values()] == [False, False, True]


def test_og1_output_principles_stand_at_350(desk: Desk) -> None:
    """OG1: output_principles stand at 350, between conversation_rules and tool_usage."""
    desk.write({"OUTPUT_PRINCIPLES.md": "O"})
    sections = desk.builder().build().sections
    assert [(one.id, one.priority, one.title) for one in sections[2:]] == [
        ("conversation_rules", 300, "Conversation Rules"),
        ("output_principles", 350, "Output Principles"),
        ("tool_usage", 400, "Tool Usage Guidelines"),
    ]


def test_og2_output_principles_can_be_overridden(desk: Desk) -> None:
    """OG2: OUTPUT_PRINCIPLES.md overrides the default of that name."""
    desk.write({"OUTPUT_PRINCIPLES.md": "the operator's"})
    prompt = desk.bare().build(defaults=[Section("output_principles", "the framework's")])
    assert prompt.text == "## Output Principles\nthe operator's"


# -- the golden strings ----------------------------------------------------------------------------


def test_golden_default_layout(desk: Desk) -> None:
    """Five known files and a custom one give the golden text, byte for byte."""
    desk.write(GOLDEN_FILES)
    assert desk.builder().build().text == (
        "MY IDENTITY\n\n## Safety Guidelines\nS\n\n## Conversation Rules\nC\n\n## Output Principles\nO\n\n"
        "## Tool Usage Guidelines\nT\n\n## STYLE GUIDE\nformal"
    )


def test_golden_sub_agent(desk: Desk) -> None:
    """A sub-agent's golden text comes out where edits take identity and tool usage away, which Lango does unasked."""
    desk.write(GOLDEN_FILES)
    text = (
        desk.builder()
        .build(
            "operator",
            defaults=default_instruction("I am operator"),
            edits=[Edit("identity", mode="remove"), Edit("tool_usage", mode="remove")],
        )
        .text
    )
    assert text == (
        "I am operator\n\n## Safety Guidelines\nS\n\n## Conversation Rules\nC\n\n## Output Principles\nO\n\n"
        "## STYLE GUIDE\nformal"
    )


# -- where foreword differs on purpose -------------------------------------------------------------


def test_differs_b3_same_id_twice(desk: Desk) -> None:
    """B3 differs: the same id twice in one layer is a conflict, none applies, and the layer below stands."""
    twice = [Section("a", "one"), Section("a", "two")]
    prompt = desk.bare().build(defaults=[Section("a", "below")], edits=twice)
    assert prompt.text == "below"
    assert outcomes(prompt, "a") == [("builtin", "applied"), ("session", "conflict"), ("session", "conflict")]
    assert desk.said() == [("FW021", "error")]


def test_differs_b3_across_layers(desk: Desk) -> None:
    """B3 differs: across layers the higher layer wins, whoever was asked last."""
    desk.write({"A.md": "project"})
    prompt = desk.bare().build(defaults=[Section("custom_a", "builtin")], edits=[Section("custom_a", "session")])
    assert prompt.text == "session"
    assert outcomes(prompt, "custom_a") == [("builtin", "shadowed"), ("project", "shadowed"), ("session", "applied")]


@pytest.mark.parametrize(
    ("title", "line"),
    [("  T  ", "## T"), ("a\n# b", "## a # b"), ("a\r\nb", "## a b"), ("a\x00b\u2028c", "## a b c")],
)
def test_differs_r7_d14_titles_are_one_clean_line(desk: Desk, title: str, line: str) -> None:
    """R7 and D14 differ: a title is one trimmed line without control characters, so it injects nothing."""
    assert alone(desk, Section("x", "text", title=title)) == f"{line}\ntext"


def test_differs_r8_blank_text_from_code_is_left_out(desk: Desk) -> None:
    """R8 differs: a blank text from code is left out like any other, with no separator for it."""
    assert alone(desk, Section("a", "A"), Section("b", " "), Section("c", "C")) == "A\n\nC"


def test_differs_b12_total_order(desk: Desk) -> None:
    """B12 differs: sections of one priority stand in the order of their ids, however many there are."""
    names = [f"s{number:02}" for number in range(40)]
    shuffled = names[1::2] + names[::2][::-1]
    assert alone(desk, *(Section(name, name) for name in shuffled)) == "\n\n".join(names)


def test_differs_a10_d3_shared_before_own(desk: Desk) -> None:
    """A10 and D3 differ: every custom section is at 900, and shared ones stand before an agent's own."""
    desk.write({f"G{number}.md": f"G{number}" for number in range(8)})
    desk.write({f"agents/operator/A{number}.md": f"A{number}" for number in range(8)})
    sections = desk.bare().build("operator").sections
    assert [one.text for one in sections] == [f"{kind}{number}" for kind in "GA" for number in range(8)]
    assert {one.priority for one in sections} == {900}


def test_differs_a9_overriding_never_moves_a_section(desk: Desk) -> None:
    """A9 differs: an agent's file of the same name as a shared one replaces it in its place."""
    desk.write({"A.md": "a", "B.md": "b", "C.md": "c", "agents/operator/A.md": "own"})
    prompt = desk.bare().build("operator")
    assert [one.text for one in prompt.sections] == ["own", "b", "c"]
    assert (prompt.sections[0].layer, prompt.sections[0].defined_in) == ("agent", "project")


@pytest.mark.parametrize(
    ("name", "id", "title"),
    [
        ("my-rules v2.md", "custom_my-rules_v2", "my rules v2"),
        ("ÜBER_regel.md", "custom_über_regel", "ÜBER regel"),
        ("a.b.md", "custom_a.b", "a.b"),
        ("What?.md", "custom_what_", "What?"),
    ],
)
def test_differs_l2_l9_titles_and_ids(desk: Desk, name: str, id: str, title: str) -> None:
    """L2 and L9 differ: ``_`` and ``-`` become spaces in the title; other characters become ``_`` in the id."""
    desk.write({name: "text"})
    section = desk.bare().build().sections[0]
    assert (section.id, section.title) == (id, title)


def test_differs_l3_blank_known_file_is_reported(desk: Desk) -> None:
    """L3 differs: a blank known file leaves the packaged text with a warning; removal is said."""
    before = desk.builder().build().text
    desk.write({"TOOL_USAGE.md": " \n"})
    assert desk.builder().build().text == before
    assert desk.said() == [("FW010", "warning")]
    desk.write({"TOOL_USAGE.md": "---\nmode: remove\n---\n"})
    assert ids(desk.builder().build()) == ["identity", "safety", "conversation_rules"]
    assert desk.said() == []


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_differs_l6_l7_missing_directory_is_an_error(tmp_path: Path, kind: str) -> None:
    """L6 and L7 differ: a prompts directory that was asked for and is missing, or is none, is an error."""
    asked = tmp_path / "prompts"
    if kind == "a file":
        asked.write_text("text")
    with pytest.raises(ConfigError, match="prompts"):
        Builder(prompts_dir=asked, plugins=False).build()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every directory")
def test_differs_l7_unreadable_directory_is_an_error(desk: Desk) -> None:
    """L7 differs: a prompts directory that cannot be read is an error, not a prompt of defaults."""
    desk.prompts.chmod(0)
    try:
        with pytest.raises((ConfigError, BuildError)):
            desk.builder().build(strict=True)
    finally:
        desk.prompts.chmod(0o755)


@pytest.mark.parametrize("name", ["Safety.md", "safety.md", "SAFETY.MD"])
def test_differs_l8_d8_known_names_in_any_case(desk: Desk, name: str) -> None:
    """L8 and D8 differ: Safety.md is the safety section and no second one, with a warning."""
    desk.write({name: "Mine."})
    prompt = desk.builder().build()
    assert ids(prompt) == ["identity", "safety", "conversation_rules", "tool_usage"]
    assert prompt.section("safety").text == "Mine."
    assert desk.said() == [("FW009", "warning")]


def test_differs_l9_hidden_files_and_readme_are_skipped(desk: Desk) -> None:
    """L9 differs: dot files, editor leftovers and README.md are not read."""
    desk.write(dict.fromkeys((".hidden.md", ".md", "README.md", "a.md~", "#a.md#", ".a.md.swp"), "no"))
    assert desk.bare().build().text == ""
    assert {severity for code, severity in desk.said(info=True) if code == "FW008"} == {"info"}
    assert desk.said() == []


def test_differs_l10_collisions_are_conflicts(desk: Desk) -> None:
    """L10 differs: file names that differ only in case are a conflict, and the message names both."""
    desk.write({"MY_RULES.md": "one", "my_rules.md": "two"})
    prompt = desk.bare().build()
    assert prompt.text == ""
    assert outcomes(prompt, "custom_my_rules") == [("project", "conflict"), ("project", "conflict")]
    (error,) = [one for one in desk.found if one.code == "FW021"]
    assert "MY_RULES.md" in error.message
    assert "my_rules.md" in error.message


def test_differs_l11_directory_named_like_a_file(desk: Desk) -> None:
    """L11 differs: a directory whose name ends in .md is refused and named."""
    (desk.prompts / "X.md").mkdir()
    assert desk.bare().build().text == ""
    (error,) = [one for one in desk.found if one.severity == "error"]
    assert error.code == "FW003"
    assert error.place is not None
    assert error.place.path == "prompts/X.md"


def test_differs_l12_links(desk: Desk) -> None:
    """L12 and D12 differ: a link inside the root is followed, one that leaves it is refused."""
    outside = desk.root / "outside.md"
    outside.write_text("stolen")
    desk.write({"A.md": "a", "drafts/new.md": "inside"})
    (desk.prompts / "B.md").symlink_to("drafts/new.md")
    (desk.prompts / "ESCAPE.md").symlink_to(outside)
    (desk.prompts / "BROKEN.md").symlink_to("nowhere.md")
    prompt = desk.bare().build()
    assert prompt.text == "## A\na\n\n## B\ninside"
    assert [code for code, severity in desk.said() if severity == "error"].count("FW006") == 1
    assert outcomes(prompt, "custom_escape") == [("project", "failed")]


def test_differs_l12_link_roots(desk: Desk) -> None:
    """L12 differs: a link may leave the root for a directory that the operator names."""
    (desk.root / "shared").mkdir()
    (desk.root / "shared" / "A.md").write_text("shared")
    (desk.prompts / "A.md").symlink_to(desk.root / "shared" / "A.md")
    assert desk.bare('[files]\nlink_roots = ["shared"]\n').build().text == "## A\nshared"


def test_differs_l13_fifo_does_not_hang(desk: Desk) -> None:
    """L13 and D12 differ: a FIFO is refused and named, and the build goes on."""
    os.mkfifo(desk.prompts / "PIPE.md")
    desk.write({"A.md": "a"})
    assert desk.bare().build().text == "## A\na"
    assert desk.said() == [("FW003", "error")]


def test_differs_l14_size(desk: Desk) -> None:
    """L14 and D12 differ: a file over the limit is refused and named, never cut."""
    desk.write({"BIG.md": "x" * 101, "SMALL.md": "x" * 100})
    assert desk.bare("[files]\nmax_bytes = 100\n").build().text == "## SMALL\n" + "x" * 100
    assert desk.said() == [("FW005", "error")]


def test_differs_l15_unreadable_required_file_fails_closed(desk: Desk) -> None:
    """L15 and D5 differ: when the operator's SAFETY.md cannot be read the build raises, and no default steps in."""
    desk.write({"SAFETY.md": b"\xff\xfe"})
    with pytest.raises(BuildError, match=r"SAFETY\.md"):
        desk.builder().build()


def test_differs_l15_other_unreadable_file(desk: Desk) -> None:
    """L15 differs: a file of a section that is not required, and cannot be read, is an error, and the rest stands."""
    desk.write({"TOOL_USAGE.md": b"\xff\xfe", "A.md": "a"})
    prompt = desk.builder().build()
    assert prompt.section("custom_a").text == "a"
    assert outcomes(prompt, "tool_usage") == [("builtin", "applied"), ("project", "failed")]
    assert desk.said() == [("FW004", "error")]


@pytest.mark.parametrize(
    "written",
    [b"a\n\nb\n", b"\xef\xbb\xbfa\n\nb\n", b"a\r\n\r\nb\r\n", b"a\r\rb\r", b"\xef\xbb\xbf\r\na\r\n\r\nb"],
    ids=["LF", "BOM", "CRLF", "CR", "BOM and CRLF"],
)
def test_differs_l16_l17_d13_one_prompt_for_all_encodings(desk: Desk, written: bytes) -> None:
    """L16, L17 and D13 differ: BOM, LF, CRLF and CR give the same bytes."""
    desk.write({"A.md": written})
    assert desk.bare().build().text == "## A\na\n\nb"


def test_differs_l16_file_of_only_a_bom(desk: Desk) -> None:
    """L16 differs: a file that is only a byte order mark is empty and wipes nothing."""
    before = desk.builder().build().text
    desk.write({"SAFETY.md": b"\xef\xbb\xbf"})
    assert desk.builder().build().text == before
    assert desk.said() == [("FW010", "warning")]


@pytest.mark.parametrize("written", [b"a\x00b", b"a\xffb"], ids=["NUL", "not UTF-8"])
def test_differs_l18_d13_no_text(desk: Desk, written: bytes) -> None:
    """L18 and D13 differ: NUL and what is not UTF-8 are reported, and never part of the prompt."""
    desk.write({"A.md": written})
    assert desk.bare().build().text == ""
    assert desk.said() == [("FW004", "error")]


def test_differs_l19_front_matter_is_read(desk: Desk) -> None:
    """L19 differs: front matter is no text; it gives title and priority."""
    desk.write({"A.md": "---\ntitle: x\npriority: 5\n---\nbody"})
    section = desk.bare().build().sections[0]
    assert (section.title, section.priority, section.text) == ("x", 5, "body")


@pytest.mark.parametrize("written", ["---\ntitle: x\nbody", "---\n- a\n---\nbody", "---\ncolour: red\n---\nbody"])
def test_differs_l19_what_is_no_front_matter_is_text(desk: Desk, written: str) -> None:
    """L19 differs: an unclosed block, one that is no mapping, or one without a known key is text, with a warning."""
    desk.write({"A.md": written})
    assert desk.bare().build().text == f"## A\n{written}"
    assert desk.said() == [("FW013", "warning")]


def test_differs_l20_the_texts_own_heading_stands(desk: Desk) -> None:
    """L20 differs: an operator's own heading stands instead of the derived title, unless front matter sets one."""
    desk.write({"HEAD.md": "# My heading\nbody"})
    assert desk.bare().build().text == "# My heading\nbody"
    desk.write({"HEAD.md": "---\ntitle: Given\n---\n# My heading\nbody"})
    assert desk.bare().build().text == "## Given\n# My heading\nbody"


def test_differs_l21_d7_only_registered_names_are_replaced(desk: Desk) -> None:
    """L21 and D7 differ: only ``{{ name }}`` of a registered variable is replaced; all other braces stay."""
    desk.write({"A.md": "{{ agent_name }} {{secret:x}} {user} $X %s {% raw %} ${{ github.ref }}"})
    text = desk.bare().build(variables={"agent_name": "Ada"}).text
    assert text == "## A\nAda {{secret:x}} {user} $X %s {% raw %} ${{ github.ref }}"
    assert desk.said() == []


def test_differs_l21_jinja_is_asked_for(desk: Desk) -> None:
    """L21 differs: Jinja runs only where an operator's file asks for it, and nowhere else."""
    desk.write({"A.md": "---\ntemplate: jinja\n---\n{% if agent_name %}yes{% endif %}", "B.md": "{% if x %}"})
    assert desk.bare().build().text == "## A\nyes\n\n## B\n{% if x %}"
    given = Edit("c", "{{ 7 * 7 }}", template="jinja")
    prompt = desk.bare().build(untrusted=[given])
    assert "49" not in prompt.text
    assert outcomes(prompt, "c") == [("extension", "refused")]


def test_differs_a7_d9_every_known_name_overrides(desk: Desk) -> None:
    """A7 and D9 differ: every known name overrides in an agent's directory, and none becomes a duplicate."""
    names = ["AGENTS", "IDENTITY", "SAFETY", "CONVERSATION_RULES", "OUTPUT_PRINCIPLES", "TOOL_USAGE"]
    desk.write({f"{name}.md": "shared" for name in names})
    desk.write({f"agents/operator/{name}.md": f"own {name}" for name in names})
    prompt = desk.bare().build("operator")
    assert [one.text for one in prompt.sections] == [f"own {name}" for name in names]
    assert "shared" not in prompt.text


def test_differs_a8_identity_in_any_case(desk: Desk) -> None:
    """A8 differs: identity.md in an agent's directory is the agent's identity, not a section beside it."""
    desk.write({"agents/operator/identity.md": "Me."})
    assert desk.bare().build("operator").text == "Me."


def test_differs_a11_no_directory_is_no_error(desk: Desk) -> None:
    """A11 differs: an agent without a directory is no error, and gets the shared prompt."""
    desk.write({"A.md": "a", "agents/operater/IDENTITY.md": "misspelt"})
    assert desk.bare().build("operator").text == "## A\na"
    assert desk.said() == []


@pytest.mark.parametrize("name", ["../../outside", "..", "", ".", "a/b", "a\\b", "a\x00", ".hidden", "a" * 65])
def test_differs_a12_d12_agent_names_are_checked(desk: Desk, name: str) -> None:
    """A12 and D12 differ: an agent's name is one safe component of a path, checked before any path is built."""
    (desk.root / "outside").mkdir()
    (desk.root / "outside" / "A.md").write_text("OUTSIDE")
    with pytest.raises(ConfigError, match="name"):
        desk.bare().build(name)


def test_differs_sai2_d11_sections_for_some_agents(desk: Desk) -> None:
    """SAI2 and D11 differ: an agent gets every shared section, unless its front matter names other agents."""
    desk.write({"ALL.md": "all", "SOME.md": "---\nwhen:\n  agents: [operator]\n---\nsome"})
    builder = desk.bare()
    assert builder.build("operator").text == "## ALL\nall\n\n## SOME\nsome"
    assert builder.build("planner").text == "## ALL\nall"
    assert builder.build().text == "## ALL\nall"


def test_differs_3_3_nothing_is_dropped_unasked(desk: Desk) -> None:
    """The sub-agents of 3.3 differ: identity and tool usage stay, until an edit or a condition says otherwise."""
    desk.write({"AGENTS.md": "I", "TOOL_USAGE.md": "T", "agents/operator/IDENTITY.md": "operator"})
    assert ids(desk.bare().build("operator")) == ["identity", "agent_identity", "tool_usage"]
    desk.write({"agents/operator/AGENTS.md": "---\nmode: remove\n---\n"})
    assert ids(desk.bare().build("operator")) == ["agent_identity", "tool_usage"]


def test_differs_l22_shared_identity_of_agents(desk: Desk) -> None:
    """L22 differs: IDENTITY.md in the prompts directory is every agent's default, and unused without an agent."""
    desk.write({"IDENTITY.md": "Some agent."})
    builder = desk.bare()
    section = builder.build("anyone").sections[0]
    assert (section.id, section.title, section.priority, section.text) == ("agent_identity", None, 150, "Some agent.")
    assert builder.build().text == ""


def test_differs_spb4_four_built_in_sections(desk: Desk) -> None:
    """SPB4 differs: four sections are built in; output_principles takes its place when a file exists."""
    assert ids(desk.builder().build()) == ["identity", "safety", "conversation_rules", "tool_usage"]
    desk.write({"OUTPUT_PRINCIPLES.md": "O"})
    assert ids(desk.builder().build()) == [
        "identity",
        "safety",
        "conversation_rules",
        "output_principles",
        "tool_usage",
    ]


def test_differs_d1_home_and_relative_paths(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D1 differs: ``~`` is the home directory, and a relative path is relative to the file that names it."""
    desk.write({"AGENTS.md": "from home"})
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Builder(prompts_dir="~/prompts", plugins=False).build().section("identity").text == "from home"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert desk.bare().build().text == "from home"


def test_differs_d4_limits_are_hard(desk: Desk) -> None:
    """D4 differs: what is over a limit is left out and reported; a limit of nothing is no licence."""
    desk.write({"A.md": "x" * 11})
    assert desk.bare("[files]\nmax_bytes = 10\n").build().text == ""
    (error,) = [one for one in desk.found if one.severity == "error"]
    assert "10" in error.message
    with pytest.raises(ConfigError, match="max_bytes"):
        desk.bare("[files]\nmax_bytes = 0\n")


def test_differs_d5_d6_diagnostics_and_explanations(desk: Desk) -> None:
    """D5 and D6 differ: failures are diagnostics with a code and a place, and every section is explained."""
    desk.write({"TOOL_USAGE.md": b"\xff", "AGENTS.md": "Mine."})
    prompt = desk.builder().build()
    (error,) = [one for one in prompt.diagnostics if one.severity == "error"]
    assert (error.code, str(error.place)) == ("FW004", f"{desk.prompts}/TOOL_USAGE.md:1")
    assert error.remedy
    words = str(prompt.explain("identity"))
    assert f"Its text is that of {desk.prompts}/AGENTS.md:1" in words
    assert f"replaced by {desk.prompts}/AGENTS.md:1" in words


def test_differs_d10_l23_sections_made_in_code_can_be_overridden(desk: Desk) -> None:
    """D10 and L23 differ: a file whose front matter names it reaches a section that code gave."""
    catalog = [Section("tool_catalog", "read, write", title="Available Tool Categories", priority=410)]
    builder = desk.bare()
    assert builder.build(defaults=catalog).text == "## Available Tool Categories\nread, write"
    desk.write({"CATALOG.md": "---\nid: tool_catalog\n---\nask first"})
    assert desk.bare().build(defaults=catalog).text == "## Available Tool Categories\nask first"
    desk.write({"CATALOG.md": "---\nid: tool_catalog\nmode: remove\n---\n"})
    assert desk.bare().build(defaults=catalog).text == ""


def test_differs_d10_the_policy_may_forbid_it(desk: Desk) -> None:
    """D10 differs: what the policy locks stays, whoever wants to reach it."""
    catalog = [Section("tool_catalog", "read, write")]
    desk.write({"CATALOG.md": "---\nid: tool_catalog\n---\nask first"})
    prompt = desk.bare('[sections.tool_catalog]\neditable_by = ["builtin"]\n').build(defaults=catalog)
    assert prompt.text == "read, write"
    assert outcomes(prompt, "tool_catalog") == [("builtin", "applied"), ("project", "refused")]


def test_differs_d20_what_changes_often_stands_behind(desk: Desk) -> None:
    """D20 differs: no clock is in a prompt, and memory that changes often stands behind the rest of it."""
    memory = desk.root / "memory"
    for name in ("persona", "human", "state", "dynamic/energy", "notes"):
        path = memory / "system" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    builder = desk.bare('[memory]\npath = "memory"\n')
    prompt = builder.build()
    assert [(one.id, one.priority) for one in prompt.sections] == [
        ("memory/persona", 500),
        ("memory/human", 520),
        ("memory/notes", 530),
        ("memory/dynamic/energy", 580),
        ("memory/state", 580),
        ("memory_tree", 590),
    ]
    assert builder.build().text == prompt.text
