"""The prompt: its text, its sections, its fingerprint, and where every line and every section comes from."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder, Edit, ForewordError, Place, Prompt, Section, UnknownSection
from foreword._explanation import Explanation, describe
from foreword._prepared import PreparedEdit
from foreword._provider import Provider

AGENT = "operator"
CONFIG = """\
prompts_dir = "prompts"
[memory]
path = "memory"
[sections.safety]
required = false
[plugins]
disable = ["foreword:builtin"]
"""


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a directory that is a project with prompts and a memory."""
    for name in ("prompts", "memory"):
        (root / name).mkdir(exist_ok=True)
    for name, text in {"foreword.toml": CONFIG, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)


def built(root: Path, **given: Any) -> Prompt:
    """The prompt of the project's agent."""
    builder = Builder.from_config(root / "foreword.toml", plugins=False, on_diagnostic=lambda _: None)
    return builder.build(AGENT, **given)


def explained(prompt: Prompt, id: str) -> Explanation:
    """The explanation of one section."""
    explanation = prompt.explain(id)
    assert isinstance(explanation, Explanation)
    return explanation


def read(root: Path, place: Place) -> str:
    """The line of the source file at a place, as an editor would show it."""
    assert place.line is not None
    text = (root / place.path).read_bytes().decode().removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[place.line - 1]


def sources(prompt: Prompt) -> list[tuple[str, str | None]]:
    """Each line of the prompt with its place, and None for the blank lines between."""
    return [(line.text, str(line.place) if line.place is not None else None) for line in prompt.lines()]


# -- lines -----------------------------------------------------------------------------------------


def test_lines_are_the_lines_of_the_text(tmp_path: Path) -> None:
    """The lines, numbered from 1, make the text."""
    write(tmp_path, {"prompts/AGENTS.md": "a\n\nb", "prompts/SAFETY.md": "s", "prompts/X.md": "# Own\nx"})
    prompt = built(tmp_path)
    assert "\n".join(line.text for line in prompt.lines()) == prompt.text
    assert [line.number for line in prompt.lines()] == list(range(1, prompt.text.count("\n") + 2))


def test_lines_of_plain_files(tmp_path: Path) -> None:
    """A line's place is its line in the file: front matter, leading blank lines and a byte order mark counted."""
    write(
        tmp_path,
        {
            "prompts/AGENTS.md": "\n\n  a\nb\n",
            "prompts/X.md": "\ufeff---\ntitle: T\n---\n\nx\ny\n\n",
            "prompts/Y.md": b"\r\none\r\n\r\ntwo\rthree",
        },
    )
    assert sources(built(tmp_path)) == [
        ("a", "prompts/AGENTS.md:3"),
        ("b", "prompts/AGENTS.md:4"),
        ("", None),
        ("## T", "prompts/X.md"),
        ("x", "prompts/X.md:5"),
        ("y", "prompts/X.md:6"),
        ("", None),
        ("## Y", "prompts/Y.md"),
        ("one", "prompts/Y.md:2"),
        ("", "prompts/Y.md:3"),
        ("two", "prompts/Y.md:4"),
        ("three", "prompts/Y.md:5"),
    ]


def test_lines_say_section_layer_and_provider(tmp_path: Path) -> None:
    """A line says which section it is in, and whose it is; the blank lines between sections are nobody's."""
    write(tmp_path, {"prompts/AGENTS.md": "a", f"prompts/agents/{AGENT}/AGENTS.md": "---\nmode: append\n---\nb"})
    first, blank, last, between, code = built(tmp_path, edits=[Section("z", "c")]).lines()
    assert (first.section, first.layer) == ("identity", "project")
    assert (blank.section, blank.layer, blank.place, blank.provider) == ("identity", None, None, None)
    assert (last.section, last.layer) == ("identity", "agent")
    assert last.provider is not None
    assert last.provider.startswith("foreword:agent ")
    assert between == (4, "", None, None, None, None)
    assert (code.section, code.layer, code.provider, code.place) == ("z", "session", "edits=", Place("code", 1))


def test_title_line_is_that_of_who_gave_the_title(tmp_path: Path) -> None:
    """The line of a title points at the file that gave the title, whoever gave the text."""
    write(
        tmp_path,
        {
            "prompts/X.md": "x",
            f"prompts/agents/{AGENT}/t.md": "---\nid: custom_x\nmode: move\ntitle: T\n---\n",
            "memory/souveraine_operations/prompt-overrides/X.md": "mine",
        },
    )
    title, text = built(tmp_path).lines()
    assert (title.text, str(title.place), title.layer) == ("## T", f"prompts/agents/{AGENT}/t.md", "agent")
    assert text.layer == "override"
    assert str(text.place) == "memory/souveraine_operations/prompt-overrides/X.md:1"


def test_lines_of_values_with_line_breaks(tmp_path: Path) -> None:
    """Every line that a value makes comes from the line of its placeholder, and those after it are not displaced."""
    write(tmp_path, {"prompts/AGENTS.md": "---\npriority: 1\n---\n{{ v }} a {{ v }}\nb\n{{ w }}c{{ agent_name }}\nd"})
    assert sources(built(tmp_path, variables={"v": "1\n2", "w": "\n\n", "agent_name": "x"})) == [
        ("1", "prompts/AGENTS.md:4"),
        ("2 a 1", "prompts/AGENTS.md:4"),
        ("2", "prompts/AGENTS.md:4"),
        ("b", "prompts/AGENTS.md:5"),
        ("", "prompts/AGENTS.md:6"),
        ("", "prompts/AGENTS.md:6"),
        ("cx", "prompts/AGENTS.md:6"),
        ("d", "prompts/AGENTS.md:7"),
    ]


def test_lines_of_a_value_that_is_trimmed_away(tmp_path: Path) -> None:
    """When the first lines of a rendered text are blank and trimmed, the lines that are left keep their places."""
    write(tmp_path, {"prompts/AGENTS.md": "{{ v }}\na\n{{ w }}b\n{{ v }}"})
    assert sources(built(tmp_path, variables={"v": "\n \n", "w": "1\n"})) == [
        ("a", "prompts/AGENTS.md:2"),
        ("1", "prompts/AGENTS.md:3"),
        ("b", "prompts/AGENTS.md:3"),
    ]


def test_lines_of_jinja(tmp_path: Path) -> None:
    """A line that Jinja gives comes from the line of the template that it stands in."""
    template = "\n{% if v %}\nyes {{ v }}\n{% else %}\nno\n{% endif %}\n{# note\n #}end {{ v }}\nlast"
    write(tmp_path, {"prompts/AGENTS.md": f"---\ntemplate: jinja\n---\n{template}"})
    lines = [(text, place) for text, place in sources(built(tmp_path, variables={"v": "1\n2"})) if text]
    assert lines == [
        ("yes 1", "prompts/AGENTS.md:6"),
        ("2", "prompts/AGENTS.md:6"),
        ("end 1", "prompts/AGENTS.md:11"),
        ("2", "prompts/AGENTS.md:11"),
        ("last", "prompts/AGENTS.md:12"),
    ]


def test_lines_of_a_jinja_that_failed(tmp_path: Path) -> None:
    """A template that fails is reported at its line in the file."""
    write(tmp_path, {"prompts/X.md": "---\ntemplate: jinja\n---\n\nfine\n\n{{ nobody }}\n"})
    (error,) = [one for one in built(tmp_path).diagnostics if one.severity == "error"]
    assert error.place is not None
    assert read(tmp_path, error.place) == "{{ nobody }}"


def test_an_unregistered_name_is_reported_at_its_line(tmp_path: Path) -> None:
    """A placeholder of no variable is reported at the line it stands in, front matter counted."""
    write(tmp_path, {"prompts/X.md": "---\ntitle: T\n---\n\nfine\n\nI am {{ agent_nmae }}.\n"})
    (warning,) = [one for one in built(tmp_path).diagnostics if one.code == "FW012"]
    assert warning.place is not None
    assert read(tmp_path, warning.place) == "I am {{ agent_nmae }}."
    assert warning.remedy == "did you mean 'agent_name'?"


def test_lines_through_every_mode(tmp_path: Path) -> None:
    """Through replacement, patches, prepends and appends of several layers every line can be read at its place."""
    own = f"prompts/agents/{AGENT}"
    write(
        tmp_path,
        {
            "prompts/TOOL_USAGE.md": "---\ntitle: T\n---\n\nintro\n\n### One\n\n1\n\n### Two\n\n2\n\n### Three\n",
            "prompts/p.md": "---\nid: tool_usage\nmode: patch\nheading: Two\n---\n\nnew two\n\n#### Deep\n\ndeep\n",
            "prompts/q.md": "---\nid: tool_usage\nmode: patch\nheading: Three\n---\nnew three",
            f"{own}/a.md": "---\nid: tool_usage\nmode: prepend\n---\n\nbefore\n\nbefore too",
            f"{own}/b.md": "---\nid: tool_usage\nmode: append\n---\nafter",
            f"{own}/c.md": "---\nid: tool_usage\nmode: patch\nheading: Deep\n---\n\n\ndeeper",
            "memory/souveraine_operations/prompt-overrides/TOOL_USAGE.md": "---\nmode: append\n---\n\nmine\n\nmine too",
        },
    )
    prompt = built(tmp_path)
    assert prompt.text == (
        "## T\nbefore\n\nbefore too\n\nintro\n\n### One\n\n1\n\n### Two\n\nnew two\n\n#### Deep\n\n"
        "deeper\n\n### Three\n\nnew three\n\nafter\n\nmine\n\nmine too"
    )
    placed = [line for line in prompt.lines()[1:] if line.place is not None]
    assert [line.text for line in placed] == [read(tmp_path, line.place) for line in placed if line.place is not None]
    assert {line.text for line in prompt.lines() if line.place is None} == {""}
    assert len({line.place.path for line in placed if line.place is not None}) == 7


WORDS = st.lists(st.sampled_from(["text", "", "{{ v }}", "  indented", "### {n}", "```"]), max_size=7)


@given(st.lists(st.tuples(st.sampled_from(["append", "prepend", "patch", "replace"]), WORDS), max_size=4), WORDS)
@settings(max_examples=60)
def test_every_line_can_be_read_at_its_place(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, list[str]]], base: list[str]
) -> None:
    """Whatever files say about one section, each of its lines is, rendered, the line at its place."""
    root = tmp_path_factory.mktemp("lines")

    def body(lines: list[str], name: str) -> str:
        return "\n".join(f"{line} {name}{number}".format(n=number) if line else "" for number, line in enumerate(lines))

    files = {"prompts/AGENTS.md": "start\n\n### A\n\n" + body(base, "base") + "\n\n### B\n\nend"}
    for number, (mode, lines) in enumerate(edits):
        heading = f"heading: {'AB'[number % 2]}\n" if mode == "patch" else ""
        folder = "prompts" if number < 2 else f"prompts/agents/{AGENT}"
        front = f"---\nid: identity\nmode: {mode}\n{heading}---\n"
        files[f"{folder}/e{number}.md"] = front + "\n" * (number % 3) + body(lines, f"e{number}")
    write(root, files)
    values = {"v": "VALUE"}
    prompt = built(root, variables=values)
    for line in prompt.lines():
        if line.place is None:
            assert line.text == ""
        elif line.place.line is not None:
            source = read(root, line.place).replace("{{ v }}", "VALUE")
            assert line.text in (source, source.strip())
    assert "\n".join(line.text for line in prompt.lines()) == prompt.text


def test_a_changed_text_of_a_file_has_no_line() -> None:
    """When a source gives another text than its file's, no line of the file is claimed for it."""
    edit = PreparedEdit("x", "project", "plain", Provider("d", "1", "e"), Place("a.md"), text="a\nb")
    assert edit.line(1) == Place("a.md")
    assert PreparedEdit("x", "session", "plain", Provider("", "", "edits="), Place("code")).line(1) == Place("code", 2)


# -- text, sections, tools, fingerprint ------------------------------------------------------------


@pytest.fixture
def prompt(tmp_path: Path) -> Prompt:
    """A prompt with sections of several layers and tool prose."""
    write(
        tmp_path,
        {
            "prompts/AGENTS.md": "I am {{ agent_name }}.",
            "prompts/SAFETY.md": "S",
            "prompts/STYLE.md": "# Own heading\n\nstyle",
            "prompts/tools/read.md": "Read {{ agent_name }}.",
            "prompts/tools/Bash.md": "Bash.",
            f"prompts/agents/{AGENT}/tools/READ.md": "---\nmode: append\n---\nMore.",
            f"prompts/agents/{AGENT}/SAFETY.md": "---\nmode: append\n---\nown",
            "memory/souveraine_operations/prompt-overrides/STYLE.md": "mine",
            "memory/souveraine_operations/prompt-overrides/SAFETY.md": "never",
        },
    )
    return built(tmp_path)


def test_str_is_the_text(prompt: Prompt) -> None:
    """A prompt as a string is its text, and its representation is short."""
    assert str(prompt) == prompt.text
    assert repr(prompt) == f"<Prompt of {len(prompt.sections)} sections, {prompt.fingerprint[:12]}>"
    assert prompt.agent == AGENT


def test_sections_say_where_they_come_from(prompt: Prompt) -> None:
    """A section says its title, its place, its layers and the file and line of the text that stands."""
    style = prompt.section("custom_style")
    assert (style.title, style.priority, style.text) == ("STYLE", 900, "mine")
    assert (style.layer, style.defined_in) == ("override", "project")
    assert str(style.origin) == "memory/souveraine_operations/prompt-overrides/STYLE.md:1"
    assert style.provider.startswith("foreword:memory ")
    assert [(step.edit.layer, step.outcome) for step in style.provenance] == [
        ("project", "shadowed"),
        ("override", "applied"),
    ]


def test_an_addition_leaves_the_winner(prompt: Prompt) -> None:
    """The layer of a section is that of the text that stands, not of what was added to it."""
    safety = prompt.section("safety")
    assert (safety.layer, safety.text) == ("project", "S\n\nown")
    assert [step.outcome for step in safety.provenance] == ["applied", "applied", "refused"]


def test_tools_are_the_prose_by_name(prompt: Prompt) -> None:
    """The prose of tools is rendered like a section, by the name as its definition spells it, sorted."""
    assert dict(prompt.tools) == {"Bash": "Bash.", "read": f"Read {AGENT}.\n\nMore."}
    assert list(prompt.tools) == ["Bash", "read"]
    assert "Bash" not in prompt.text


def test_fingerprint_is_the_hash_of_text_and_tools(prompt: Prompt) -> None:
    """The fingerprint is the SHA-256 of text and tools."""
    content = json.dumps([prompt.text, sorted(prompt.tools.items())]).encode()
    assert prompt.fingerprint == hashlib.sha256(content).hexdigest()


def test_fingerprint_is_equal_exactly_when_text_and_tools_are() -> None:
    """Equal text and tools have one fingerprint, whatever gave them; any other text or tool has another."""
    builder = Builder(plugins=False)

    def fingerprint(*sections: Section) -> str:
        return builder.build(edits=sections).fingerprint

    base = fingerprint(Section("a", "x"))
    assert fingerprint(Section("b", "x")) == base
    assert builder.build(defaults=[Section("c", "x")]).fingerprint == base
    others = {
        fingerprint(Section("a", "y")),
        fingerprint(Section("a", "x", title="T")),
        fingerprint(Section("a", "x"), Section("tools/t", "p")),
        fingerprint(Section("a", "x"), Section("tools/t", "q")),
        fingerprint(Section("a", "x"), Section("tools/u", "p")),
        fingerprint(Section("a", "x"), Section("tools/t", "p"), Section("tools/u", "p")),
    }
    assert len(others | {base}) == 7


@pytest.mark.parametrize("id", ["custom_stlye", "Safety", "identity "])
def test_unknown_section_names_the_nearest(prompt: Prompt, id: str) -> None:
    """Asking for a section that is not there names the nearest one, and is a KeyError too."""
    with pytest.raises(UnknownSection, match="did you mean") as caught:
        prompt.section(id)
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, ForewordError)
    assert str(caught.value).startswith(f"no section {id!r}")


def test_unknown_section_without_a_near_one(prompt: Prompt) -> None:
    """Where nothing is near, nothing is suggested."""
    with pytest.raises(UnknownSection, match=r"^no section 'zzzz'$"):
        prompt.section("zzzz")
    with pytest.raises(UnknownSection, match=r"^no section 'zzzz'$"):
        prompt.explain("zzzz")


def test_unknown_section_is_found_by_its_last_part() -> None:
    """A section whose id ends in what was asked for is suggested."""
    built = Builder(plugins=False).build(untrusted=[Section("acme-citations.style", "x", priority=900)])
    with pytest.raises(UnknownSection, match=r"did you mean 'acme-citations.style'"):
        built.section("style")


# -- explanations ----------------------------------------------------------------------------------


def test_explanation_of_a_section_that_stands(prompt: Prompt) -> None:
    """An explanation names the winner first, then every edit that was tried, high to low, with its reason."""
    words = str(explained(prompt, "custom_style")).splitlines()
    assert words[0] == "custom_style stands at priority 900, under the title 'STYLE'."
    assert words[1].startswith(
        "Its text is that of memory/souveraine_operations/prompt-overrides/STYLE.md:1 (layer override, foreword:memory "
    )
    assert words[2] == ""
    assert words[3].split()[:4] == [
        "applied",
        "override",
        "memory/souveraine_operations/prompt-overrides/STYLE.md:1",
        "gives",
    ]
    assert words[4].split()[:3] == ["shadowed", "project", "prompts/STYLE.md:1"]
    assert words[5].strip().startswith("replaced by memory/")
    assert len(words) == 6


def test_explanation_gives_the_reason_of_a_refusal_once(prompt: Prompt) -> None:
    """The reason of an edit that had no effect stands by the edit, and is not repeated as a finding."""
    words = str(explained(prompt, "safety"))
    assert "refused" in words
    assert words.count("the policy lets only") == 1


def test_explanation_of_what_is_not_in_the_prompt() -> None:
    """What was removed, or never stood, is explained too, with what there is to say about it."""
    found: list[object] = []
    built = Builder(plugins=False, on_diagnostic=found.append).build(
        edits=[Edit("tool_usage", mode="remove"), Edit("nobody", "x", mode="append")],
        defaults=[Section("b", "x {{ nmae }}")],
    )
    assert str(explained(built, "tool_usage")).startswith("tool_usage is not in the prompt.\n\n  applied    session ")
    assert explained(built, "tool_usage").section is None
    words = str(explained(built, "nobody"))
    assert "no-target  session    code puts text after (edits=)" in words
    assert "FW022 error" in words
    assert "FW012 warning" in str(explained(built, "b"))


def test_explanation_of_a_tool_in_any_case(prompt: Prompt) -> None:
    """Tools are explained by their id, whatever the case."""
    assert explained(prompt, "tools/READ").id == "tools/read"
    assert explained(prompt, "tools/read").section is not None


def test_explanation_of_a_tool_names_the_tool() -> None:
    """The explanation of a tool's prose gives the tool's whole name, dots included."""
    prompt = Builder(plugins=False).build(edits=[Section("tools/fs.read", "Read.")])
    assert "'fs.read'" in str(explained(prompt, "tools/fs.read"))


def test_explanations_of_all(prompt: Prompt) -> None:
    """All explanations come in the order of the prompt, then the tools, then what is not in it."""
    all_of_them = prompt.explain()
    assert isinstance(all_of_them, tuple)
    assert [one.id for one in all_of_them] == [
        "identity",
        "safety",
        "custom_style",
        "tools/Bash",
        "tools/read",
    ]
    removed = Builder(plugins=False).build(edits=[Edit("identity", mode="remove")])
    last = removed.explain()
    assert isinstance(last, tuple)
    assert (last[-1].id, last[-1].section) == ("identity", None)


def test_explanation_of_nothing() -> None:
    """A section about which nobody said anything is explained by that."""
    assert str(Explanation("x", None, (), ())) == "x is not in the prompt.\n\nNobody said anything about it."


def test_explanation_shows_no_control_characters() -> None:
    """Control and format characters of titles and files are shown by their number, so a terminal obeys none."""
    edit = PreparedEdit("x", "project", "move", Provider("d", "1", "e"), Place("a\x1b[31m.md"), title="T\u202e")
    shown = str(Explanation("x", None, (edit_step(edit),), ()))
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def edit_step(edit: PreparedEdit) -> Any:
    """An edit as it stands in a chain."""
    from foreword._prepared import Step

    return Step(edit, "applied")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mode": "plain"}, "gives the text"),
        ({"mode": "define"}, "defines it"),
        ({"mode": "replace"}, "replaces the text"),
        ({"mode": "remove"}, "removes it"),
        ({"mode": "patch", "heading": "One"}, "exchanges the text under 'One'"),
        ({"mode": "prepend"}, "puts text before"),
        ({"mode": "append"}, "puts text after"),
        ({"mode": "move"}, "changes title or priority"),
        ({"mode": "move", "title": "T"}, "sets title 'T'"),
        ({"mode": "move", "priority": 5}, "sets priority 5"),
        ({"mode": "move", "title": "T", "priority": 5}, "sets title 'T' and priority 5"),
    ],
)
def test_an_edit_in_words(given: dict[str, Any], words: str) -> None:
    """Each mode has its words: where the edit stands, what it does, who gave it."""
    edit = PreparedEdit(id="x", layer="project", provider=Provider("d", "1", "e"), place=Place("a.md", 3), **given)
    assert describe(edit) == f"a.md:3 {words} (d:e 1)"


def test_what_a_prompt_is_asked_for_again_it_keeps(prompt: Prompt) -> None:
    """Every answer is the same, and a text that is asked for a second time is not made a third time."""
    first = prompt.text
    assert prompt.text == first
    assert prompt.text is prompt.text
    assert prompt.sections is prompt.sections
    assert prompt.tools == prompt.tools
    assert prompt.fingerprint == prompt.fingerprint


def test_a_prompt_can_be_pickled_and_copied(tmp_path: Path) -> None:
    """A prompt that went through pickle, as between processes, says what it said: text, sections and every line."""
    (tmp_path / "STYLE.md").write_text("As {{ agent_name }}.")
    (tmp_path / "agents/ada").mkdir(parents=True)
    (tmp_path / "agents/ada/STYLE.md").write_text("---\nmode: append\n---\nMore.")
    builder = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
    many = builder.build_many(["ada", "bob", *[f"other-{number}" for number in range(20)]])
    for prompt in (builder.build(), builder.build("ada"), builder.build("bob"), *many[:3]):
        for copy in (pickle.loads(pickle.dumps(prompt)), deepcopy(prompt)):
            assert copy.text == prompt.text
            assert copy.sections == prompt.sections
            assert copy.lines() == prompt.lines()
            assert copy.explain() == prompt.explain()
            assert (copy.agent, copy.diagnostics, copy.fingerprint) == (
                prompt.agent,
                prompt.diagnostics,
                prompt.fingerprint,
            )
