"""The prompts directory, as a source of sections."""

from __future__ import annotations

import os
import unicodedata
from typing import Any

import pytest

from foreword import BuildError

WITH_TEMPLATES = 'prompts_dir = "prompts"\n'


def rows(prompt: Any) -> list[tuple[str, str | None, int]]:
    """Return id, title and priority of every section."""
    return [(section.id, section.title, section.priority) for section in prompt.sections]


def test_known_and_custom_names(desk: Any) -> None:
    """A known name stands for its section; any other for one of its own, with a title made of its stem."""
    prompt = desk.bare(
        {
            "AGENTS.md": "a",
            "SAFETY.md": "s",
            "CONVERSATION_RULES.md": "c",
            "OUTPUT_PRINCIPLES.md": "o",
            "TOOL_USAGE.md": "t",
            "Style-Guide.md": "g",
            "ÜBER_regel.md": "r",
        }
    )
    assert rows(prompt) == [
        ("identity", None, 100),
        ("safety", "Safety Guidelines", 200),
        ("conversation_rules", "Conversation Rules", 300),
        ("output_principles", "Output Principles", 350),
        ("tool_usage", "Tool Usage Guidelines", 400),
        ("custom_style-guide", "Style Guide", 900),
        ("custom_über_regel", "ÜBER regel", 900),
    ]
    assert desk.said(info=True) == []


def test_a_decomposed_file_name_is_the_composed_one(desk: Any) -> None:
    """The form in which a file system keeps a name changes no byte of the prompt."""
    composed = desk.bare({"Règle.md": "r"})
    (desk.root / "prompts" / "Règle.md").unlink()
    decomposed = desk.bare({unicodedata.normalize("NFD", "Règle.md"): "r"})
    assert composed.text == decomposed.text == "## Règle\nr"
    assert composed.sections[0].id == decomposed.sections[0].id == "custom_règle"


def test_a_known_name_in_another_case_is_taken_and_reported(desk: Any) -> None:
    """``safety.md`` stands for safety, with a warning."""
    prompt = desk.bare({"safety.md": "s"})
    assert rows(prompt) == [("safety", "Safety Guidelines", 200)]
    assert desk.said() == [("FW009", "warning", "prompts/safety.md")]


def test_two_names_for_one_id_are_a_conflict(desk: Any) -> None:
    """Of two files for one section neither counts, and the error names both."""
    prompt = desk.bare({"My_Rules.md": "1", "my_rules.md": "2", "ok.md": "fine"})
    assert rows(prompt) == [("custom_ok", "ok", 900)]
    assert [(code, severity) for code, severity, _ in desk.said()] == [("FW021", "error")]
    assert "prompts/My_Rules.md" in desk.messages("FW021")[0]
    assert "prompts/my_rules.md" in desk.messages("FW021")[0]


def test_identity_of_the_agent_only_when_one_is_asked_for(desk: Any) -> None:
    """``IDENTITY.md`` is the default for every agent and is nothing while none is asked for."""
    files = {"IDENTITY.md": "I serve.", "who.md": "---\nid: agent_identity\nmode: append\n---\nWell."}
    assert desk.bare(files).sections == ()
    prompt = desk.bare(files, "ada")
    assert rows(prompt) == [("agent_identity", None, 150)]
    assert prompt.text == "I serve.\n\nWell."


def test_tools_give_prose_and_no_section(desk: Any) -> None:
    """What stands in ``tools/`` comes out by the tool's name, as it is spelt, and not in the text."""
    prompt = desk.bare({"tools/Read File.md": "---\ntitle: T\n---\nReads {{ agent_name }}.", "tools/Bash.md": "B"})
    assert prompt.text == ""
    assert dict(prompt.tools) == {"Bash": "B", "Read_File": "Reads assistant."}


def test_front_matter_says_which_section_and_how(desk: Any) -> None:
    """Several files may speak of one section, each in its own mode."""
    desk.write(
        {
            "prompts/a.md": "---\nid: tool_usage\nmode: append\n---\nAfter.",
            "prompts/b.md": "---\nid: tool_usage\nmode: prepend\n---\nBefore.",
            "prompts/c.md": "---\nid: tool_usage\npriority: 950\n---\n",
            "prompts/d.md": "---\nid: conversation_rules\nmode: remove\n---\n",
            "prompts/e.md": "---\nid: safety\nmode: patch\nheading: Secrets\n---\nNone at all.",
        }
    )
    prompt = desk.build(WITH_TEMPLATES)
    assert desk.said(info=True) == []
    assert [section.id for section in prompt.sections] == ["identity", "safety", "tool_usage"]
    tools = prompt.section("tool_usage")
    assert tools.priority == 950
    assert tools.text.startswith("Before.\n\n")
    assert tools.text.endswith("\n\nAfter.")
    assert "### Secrets\n\nNone at all.\n\n### Destructive" in prompt.section("safety").text


def test_a_condition_that_does_not_hold_makes_no_edit(desk: Any) -> None:
    """``when`` picks agents and values of variables; otherwise the file is not there."""
    files = {"a.md": "---\nwhen: {agents: [ada], variables: {channel: [slack, mail]}}\n---\nonly here"}
    wanted = '[variables]\nchannel = "slack"\n'
    assert desk.bare(files, "ada", wanted).text == "## a\nonly here"
    assert desk.bare(files, "bob", wanted).text == ""
    assert desk.bare(files, "ada").text == ""
    assert desk.said(info=True) == []


def test_what_is_not_read_is_said_as_information(desk: Any) -> None:
    """A readme, leftovers, other files and sub-directories are named; dot files and ``agents/`` are not."""
    prompt = desk.bare(
        {
            "README.md": "r",
            "a.md~": "x",
            "#b.md#": "x",
            "c.md.swp": "x",
            ".hidden.md": "x",
            "notes.txt": "x",
            "sub/d.md": "x",
            "agents/zed/e.md": "x",
            "ok.md": "fine",
        }
    )
    assert prompt.text == "## ok\nfine"
    assert desk.said() == []
    assert {place for code, _, place in desk.said(info=True) if code == "FW008"} == {
        f"prompts/{name}" for name in ("README.md", "a.md~", "#b.md#", "c.md.swp", "notes.txt", "sub")
    }


def test_bad_files_are_refused_and_named_and_the_others_stand(desk: Any) -> None:
    """Whatever is no text file is an error with its place, and changes nothing else."""
    (desk.root / "prompts").mkdir()
    os.mkfifo(desk.root / "prompts/fifo.md")
    desk.link("prompts/device.md", "/dev/null")
    desk.link("prompts/dangling.md", "nowhere.md")
    desk.link("prompts/circle.md", "circle.md")
    prompt = desk.bare(
        {
            "folder.md/inside.md": "x",
            "latin.md": "fa\nça".encode("latin-1"),
            "utf16.md": "text".encode("utf-16"),
            "nul.md": "a\0b",
            "big.md": "x" * 262_145,
            "full.md": "x" * 262_144,
            "bell\a.md": "x",
            "ok.md": "fine",
        }
    )
    assert [section.id for section in prompt.sections] == ["custom_full", "custom_ok"]
    assert sorted(desk.said()) == sorted(
        [
            ("FW003", "error", "prompts/fifo.md"),
            ("FW006", "error", "prompts/device.md"),
            ("FW002", "error", "prompts/dangling.md"),
            ("FW002", "error", "prompts/circle.md"),
            ("FW003", "error", "prompts/folder.md"),
            ("FW004", "error", "prompts/latin.md:2"),
            ("FW004", "error", "prompts/utf16.md"),
            ("FW004", "error", "prompts/nul.md:1"),
            ("FW005", "error", "prompts/big.md"),
            ("FW007", "error", "prompts/bell\a.md"),
        ]
    )
    assert "byte 0xe7 at offset 3" in desk.messages("FW004")[0]
    assert all(one.remedy for one in desk.found)


def test_a_device_inside_a_link_root_is_no_file(desk: Any) -> None:
    """A device is never opened, wherever links may lead."""
    desk.link("prompts/device.md", "/dev/null")
    desk.bare({}, settings='[files]\nlink_roots = ["/dev"]\n')
    assert [(code, severity) for code, severity, _ in desk.said()] == [("FW003", "error")]


def test_the_limit_of_size_is_the_operators(desk: Any) -> None:
    """``max_bytes`` decides which file is too large."""
    assert desk.bare({"a.md": "12345"}, settings="[files]\nmax_bytes = 4\n").text == ""
    assert desk.said() == [("FW005", "error", "prompts/a.md")]
    assert desk.bare({}, settings="[files]\nmax_bytes = 5\n").text == "## a\n12345"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"\xff", "not UTF-8"), (b"---\nmode: nonsense\n---\nx", "'mode'"), (b"---\nid: identity\n---\nx", "stands for")],
)
def test_a_bad_file_of_a_required_section_stops_the_build(desk: Any, content: bytes, why: str) -> None:
    """The operator's file of a required section counts, or there is no prompt."""
    desk.write({"prompts/SAFETY.md": content})
    with pytest.raises(BuildError, match=why):
        desk.build(WITH_TEMPLATES)
    desk.write({"prompts/SAFETY.md": "ok", "prompts/TOOL_USAGE.md": content.replace(b"identity", b"safety")})
    prompt = desk.build(WITH_TEMPLATES)
    assert prompt.section("tool_usage").layer == "builtin"


def test_an_empty_file_lets_the_template_stand(desk: Any) -> None:
    """An empty file is a warning, whatever white space or comment-only front matter it holds."""
    texts = ["", " \n\t\n", "\ufeff", "---\n---\n", "---\n# nothing\n---\n", "---\ndescription: d\n---\n"]
    plain = desk.build("")
    for text in texts:
        desk.write({"prompts/TOOL_USAGE.md": text})
        assert desk.build(WITH_TEMPLATES).text == plain.text
        assert [(code, severity) for code, severity, _ in desk.said()] == [("FW010", "warning")]


def test_a_file_that_is_only_front_matter_moves(desk: Any) -> None:
    """With a title or a priority and no text, a file changes these and keeps the text below."""
    desk.write({"prompts/TOOL_USAGE.md": "---\ntitle: Tools\npriority: 150\n---\n"})
    prompt = desk.build(WITH_TEMPLATES)
    section = prompt.section("tool_usage")
    assert (section.title, section.priority, section.layer) == ("Tools", 150, "builtin")
    assert section.text == desk.build("").section("tool_usage").text


def test_links_inside_are_followed_and_others_refused_with_the_remedy(desk: Any) -> None:
    """A link may lead anywhere in the prompts directory, and into a ``link_roots`` entry."""
    desk.write({"outside/out.md": "out", "prompts/agents/zed/in.md": "in"})
    desk.link("prompts/inner.md", "agents/zed/in.md")
    desk.link("prompts/outer.md", "../outside/out.md")
    desk.link("prompts/tools", "../outside")
    prompt = desk.bare({})
    assert prompt.text == "## inner\nin"
    assert sorted(desk.said()) == [("FW006", "error", "prompts/outer.md"), ("FW006", "error", "prompts/tools")]
    assert all("link_roots" in one.remedy for one in desk.found if one.code == "FW006")
    prompt = desk.bare({}, settings='[files]\nlink_roots = ["outside"]\n')
    assert prompt.text == "## inner\nin\n\n## outer\nout"
    assert dict(prompt.tools) == {"out": "out"}
    assert desk.said() == []


def test_one_file_under_two_names_is_read_once(desk: Any) -> None:
    """Hard links and links to a file of the same directory give one section; the second name is listed."""
    desk.bare({"AGENTS.md": "me", "b.md": "b"})
    desk.link("prompts/A_CLAUDE.md", "AGENTS.md")
    os.link(desk.root / "prompts/b.md", desk.root / "prompts/c.md")
    prompt = desk.bare({})
    assert prompt.text == "me\n\n## b\nb"
    assert [row for row in desk.said(info=True) if row[0] == "FW019"] == [
        ("FW019", "info", "prompts/A_CLAUDE.md"),
        ("FW019", "info", "prompts/c.md"),
    ]


def test_a_heading_at_the_top_stands_for_the_derived_title(desk: Any) -> None:
    """The operator's own heading is not doubled by a derived title; a title in front matter is."""
    assert desk.bare({"style.md": "# Our Style\ntext"}).text == "# Our Style\ntext"
    titled = desk.bare({"style.md": "---\ntitle: Style\n---\n# Our Style\ntext"})
    assert titled.text == "## Style\n# Our Style\ntext"


def test_jinja_is_the_operators(desk: Any) -> None:
    """A file of the prompts directory may ask for the template mode ``jinja``; others stay ``names``."""
    files = {
        "a.md": "---\ntemplate: jinja\n---\n{% if channel == 'slack' %}short{% else %}long{% endif %}",
        "b.md": "{% if channel %}",
    }
    prompt = desk.bare(files, settings='[variables]\nchannel = "slack"\n')
    assert prompt.text == "## a\nshort\n\n## b\n{% if channel %}"


def test_the_order_in_which_files_were_made_decides_nothing(desk: Any) -> None:
    """The prompt depends on what is in the directory and not on when it came there."""
    names = ["zeta.md", "Alpha.md", "mid.md", "tools/z.md", "tools/a.md", "TOOL_USAGE.md", "ächz.md"]
    first = desk.bare(dict.fromkeys(names, "x"))
    for name in names:
        (desk.root / "prompts" / name).unlink()
    second = desk.bare(dict.fromkeys(reversed(names), "x"))
    assert first.fingerprint == second.fingerprint
