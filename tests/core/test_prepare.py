"""Preparation: what becomes of one edit by itself, before any two are laid over one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Diagnostic, Edit, Prompt, Section

CONFIG = """\
prompts_dir = "prompts"
[sections.safety]
required = false
[plugins]
disable = ["foreword:builtin"]
"""


class Bench:
    """A prompts directory without packaged templates, and what builds over it say."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[Diagnostic] = []
        (root / "prompts").mkdir()

    def file(self, name: str, text: str) -> None:
        """Write one file of the prompts directory."""
        path = self.root / "prompts" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def build(self, *edits: Section, settings: str = "", **given: Any) -> Prompt:
        """Build with these edits in layer session."""
        (self.root / "foreword.toml").write_text(settings + CONFIG)
        self.said.clear()
        builder = Builder.from_config(self.root / "foreword.toml", plugins=False, on_diagnostic=self.said.append)
        return builder.build(edits=edits, **given)

    def codes(self) -> list[tuple[str, str]]:
        """Code and severity of what was said."""
        return [(one.code, one.severity) for one in self.said]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty prompts directory."""
    return Bench(tmp_path)


def steps(prompt: Prompt, id: str) -> list[tuple[str, str]]:
    """Outcome and reason of every edit of a section."""
    return [(step.outcome, step.reason) for explanation in [prompt.explain(id)] for step in explanation.steps]  # type: ignore[union-attr]


# -- ids -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["", ".", "a//b", "..", "a/..", "a\x00", "a\u202eb", "x" * 201])
def test_id_from_code_that_is_none(bench: Bench, id: str) -> None:
    """An id that is none is reported, and the edit is left out."""
    assert bench.build(Section(id, "text")).text == ""
    assert bench.codes() == [("FW034", "error")]


def test_id_from_front_matter_that_is_none(bench: Bench) -> None:
    """A file whose front matter gives no proper id is reported as such, and left out."""
    bench.file("a.md", "---\nid: a//b\n---\ntext")
    assert bench.build().text == ""
    assert ("FW007", "error") in bench.codes() or ("FW014", "error") in bench.codes()


def test_file_name_that_is_refused(bench: Bench) -> None:
    """A file whose name cannot become an id is refused and named."""
    bench.file("a\u202eb.md", "text")
    assert bench.build().text == ""
    assert bench.codes() == [("FW007", "error")]


def test_id_is_normalised(bench: Bench) -> None:
    """An id from code has one spelling, like one from a file."""
    assert bench.build(Section("My Rules/Ä", "text")).sections[0].id == "my_rules/ä"


# -- text and title --------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_of_code_are_normalised(bench: Bench, newline: str) -> None:
    """A text from code with other line ends gives the same bytes."""
    text = f"{newline}a{newline}{newline}b{newline}"
    assert bench.build(Section("x", text)).text == "a\n\nb"


def test_a_placeholder_is_found_whatever_the_line_ends(bench: Bench) -> None:
    """Line ends are normalised before a template is read, so a diagnostic has the right line."""
    bench.build(Section("x", "a\r\rb {{ nobody }}"))
    assert bench.codes() == [("FW012", "warning")]


@pytest.mark.parametrize("mode", ["define", "replace", "patch", "prepend", "append", None])
def test_empty_text_changes_nothing(bench: Bench, mode: Any) -> None:
    """An edit without a text changes nothing, in every mode that has one, with a warning."""
    prompt = bench.build(Edit("x", " \n", mode=mode, heading="H", title="T"), defaults=[Section("x", "# H\nold")])
    assert prompt.text == "# H\nold"
    assert [one for one in bench.codes() if one[0] != "FW016"] == [("FW010", "warning")]


def test_text_that_is_empty_once_rendered(bench: Bench) -> None:
    """A template that gives nothing changes nothing, with a warning."""
    bench.file("x.md", "---\ntemplate: jinja\n---\n{% if v %}text{% endif %}\n")
    prompt = bench.build(variables={"v": False}, defaults=[Section("custom_x", "below")])
    assert prompt.text == "below"
    assert bench.codes() == [("FW010", "warning")]
    assert bench.build(Section("x", "{{ v }}"), variables={"v": "  "}).text == "## x\ntext"
    assert bench.codes() == [("FW010", "warning")]


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("title: T", ("T", 100, "below")),
        ("priority: 5", (None, 5, "below")),
        ("title: T\npriority: 5", ("T", 5, "below")),
    ],
)
def test_a_file_that_is_only_front_matter_moves(bench: Bench, front: str, expected: tuple[Any, ...]) -> None:
    """A file that is only front matter with a title or a priority, and no mode, is a move."""
    bench.file("AGENTS.md", f"---\n{front}\n---\n")
    section = bench.build(defaults=[Section("identity", "below")]).sections[0]
    assert (section.title, section.priority, section.text) == expected
    assert bench.codes() == []


def test_a_file_that_is_only_other_front_matter_is_empty(bench: Bench) -> None:
    """A file that is only front matter, without title and priority, is an empty file."""
    bench.file("AGENTS.md", "---\ndescription: d\n---\n")
    assert bench.build(defaults=[Section("identity", "below")]).text == "below"
    assert bench.codes() == [("FW010", "warning")]


def test_known_ids_from_code_have_their_title_and_place(bench: Bench) -> None:
    """A section of a known id that code defines takes that name's title and priority, any other none and 900."""
    sections = bench.build(Section("tool_usage", "t"), Section("x", "x"), Section("output_principles", "o")).sections
    assert [(one.title, one.priority) for one in sections] == [
        ("Output Principles", 350),
        ("Tool Usage Guidelines", 400),
        (None, 900),
    ]


def test_a_subclass_of_str_is_read_as_its_characters(bench: Bench) -> None:
    """A text that is an object of a class of its own is taken for its characters alone."""

    class Sly(str):
        def __str__(self) -> str:
            return "other"

        def strip(self, *_: Any) -> str:  # type: ignore[override]
            return "other"

    assert bench.build(Section(Sly("x"), Sly("text"), title=Sly("T"))).text == "## T\ntext"


# -- conditions ------------------------------------------------------------------------------------


def test_an_edit_whose_condition_does_not_hold_is_no_edit(bench: Bench) -> None:
    """Where its condition does not hold a file is no edit: it is in no chain and in no conflict."""
    bench.file("A.md", "---\nwhen:\n  variables: {channel: slack}\n---\nslack")
    bench.file("a.md", "---\nwhen:\n  variables: {channel: mail}\n---\nmail")
    assert bench.build(variables={"channel": "slack"}).section("custom_a").text == "slack"
    assert bench.codes() == []
    prompt = bench.build(variables={"channel": "mail"})
    assert prompt.section("custom_a").text == "mail"
    assert len(steps(prompt, "custom_a")) == 1
    assert bench.build().text == ""


# -- verdicts --------------------------------------------------------------------------------------


def test_layer_that_is_not_granted(bench: Bench) -> None:
    """An edit that names a layer which is not its provider's is refused, and the reason names those that are."""
    prompt = bench.build(Edit("x", "text", layer="project"))
    assert steps(prompt, "x") == [("refused", "edits= may not write in layer project, only in session")]
    assert bench.codes() == [("FW020", "error")]


@pytest.mark.parametrize("heading", [None, "", "  "])
def test_patch_without_a_heading(bench: Bench, heading: str | None) -> None:
    """A patch that names no heading has failed."""
    prompt = bench.build(Edit("x", "new", mode="patch", heading=heading), defaults=[Section("x", "old")])
    assert prompt.text == "old"
    assert [outcome for outcome, _ in steps(prompt, "x")] == ["applied", "failed"]
    assert bench.codes() == [("FW014", "error")]


def test_heading_without_a_patch(bench: Bench) -> None:
    """A heading in any other mode has no effect, with a warning."""
    assert bench.build(Edit("x", "new", heading="H")).text == "new"
    assert bench.codes() == [("FW016", "warning")]


def test_template_from_code(bench: Bench) -> None:
    """A template from the integrator's code is rendered, and one that fails is named without a line of a file."""
    assert bench.build(Edit("x", "{% if true %}yes{% endif %}", template="jinja")).text == "yes"
    prompt = bench.build(Edit("x", "a\n{{ nobody }}", template="jinja"))
    assert prompt.text == ""
    assert [outcome for outcome, _ in steps(prompt, "x")] == ["failed"]
    (error,) = bench.said
    assert (error.code, str(error.place)) == ("FW017", "code")


def test_front_matter_of_the_wrong_kind(bench: Bench) -> None:
    """A file with a known key of the wrong kind has failed, and the layer below stands."""
    bench.file("AGENTS.md", "---\npriority: soon\n---\nnew")
    prompt = bench.build(defaults=[Section("identity", "old")])
    assert prompt.text == "old"
    assert [outcome for outcome, _ in steps(prompt, "identity")] == ["applied", "failed"]
    assert bench.codes() == [("FW014", "error")]


def test_another_id_in_a_file_with_a_known_name(bench: Bench) -> None:
    """A file with a known name whose front matter names another section has failed."""
    bench.file("AGENTS.md", "---\nid: safety\n---\nnew")
    prompt = bench.build(defaults=[Section("identity", "old")])
    assert prompt.text == "old"
    assert [outcome for outcome, _ in steps(prompt, "identity")] == ["applied", "failed"]


# -- values ----------------------------------------------------------------------------------------


def test_what_is_no_value_of_operator_or_call_reaches_no_locked_section(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin's variable is put into open sections, and stays a placeholder in locked ones."""
    site = tmp_path / "site"
    info = site / "acme_values-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-values\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foreword]\nmain = acme_values_for_prepare\n")
    (site / "acme_values_for_prepare.py").write_text(
        "from foreword import hookimpl\n\n"
        "@hookimpl\ndef foreword_variables():\n    return {'acme_values.v': 'THEIRS'}\n"
    )
    monkeypatch.syspath_prepend(str(site))
    text = "{{ acme_values.v }} {{ agent_name }}"
    bench.file("SAFETY.md", text)
    bench.file("TOOL_USAGE.md", text)
    (tmp_path / "foreword.toml").write_text(CONFIG)
    builder = Builder.from_config(tmp_path / "foreword.toml", on_diagnostic=bench.said.append)
    prompt = builder.build(variables={"agent_name": "Ada"})
    assert prompt.section("tool_usage").text == "THEIRS Ada"
    assert prompt.section("safety").text == "{{ acme_values.v }} Ada"
    assert ("FW012", "warning") in bench.codes()
    given = builder.build(variables={"agent_name": "Ada", "acme_values.v": "ours"})
    assert given.section("safety").text == "ours Ada"


def test_an_edit_says_what_it_was_given() -> None:
    """The model of an edit keeps what its author gave, and None is "not given"."""
    edit = Edit("x", "text")
    assert (edit.title, edit.priority, edit.mode, edit.layer) == (None, None, None, None)
    with pytest.raises(ValueError, match="frozen"):
        edit.text = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="mode"):
        Edit("x", mode="exchange")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="priority"):
        Section("x", priority=True)
