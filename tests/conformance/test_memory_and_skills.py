"""The statements about memories, overrides and skills that foreword must keep, and the bug reports behind them.

``test_t…`` are the statements, ``test_s…`` the defects of an older assembly that the sources must not have,
``test_report_…`` the reports of real users of other programs, each with its smallest input.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from foreword import Builder, BuildError, ConfigError, Diagnostic, Edit, MemoryRecord, Prompt, Section, hookimpl
from foreword._discovery import Discovered
from foreword._manager import Manager
from foreword._memory_record import CopyRecord
from foreword._provider import Provider
from foreword._settings import PluginSettings

ALL = 'prompts_dir = "prompts"\n[memory]\npath = "m"\n[skills]\nroots = ["skills"]\n'
BARE = '[plugins]\ndisable = ["foreword:builtin"]\n[sections.safety]\nrequired = false\n'
OVERRIDES = "m/souveraine_operations/prompt-overrides"
COPIES = "m/souveraine_operations/prompts"
RECORD = "m/souveraine_operations/.foreword/record.json"
SKILL = "---\nname: x\ndescription: D.\n---\nBody."


class Desk:
    """A prompts directory, a memory and a root of skills, and what the builds had to say."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: list[Diagnostic] = []
        for name in ("prompts", "m", "skills"):
            (root / name).mkdir()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def builder(self, settings: str = "") -> Builder:
        """Return a builder over everything, with the packaged templates."""
        self.found.clear()
        config = self.root / "foreword.toml"
        config.write_text(ALL + settings)
        return Builder.from_config(config, plugins=False, on_diagnostic=self.found.append)

    def build(
        self, files: Mapping[str, str | bytes] | None = None, settings: str = "", agent: str | None = None, **more: Any
    ) -> Prompt:
        """Build over everything, without the packaged templates."""
        self.write(files or {})
        return self.builder(BARE + settings).build(agent, **more)

    def said(self) -> list[tuple[str, str]]:
        """Return code and severity of what the last build had to say, without information."""
        return [(one.code, one.severity) for one in self.found if one.severity != "info"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty desk."""
    return Desk(tmp_path)


def shown(prompt: Prompt) -> dict[str, str]:
    """Return the text of every section but the tree of the memory."""
    return {section.id: section.text for section in prompt.sections if section.id != "memory_tree"}


def chain(prompt: Prompt, id: str) -> list[tuple[str, str]]:
    """Return layer and outcome of every edit of a section."""
    explanation = prompt.explain(id)
    assert not isinstance(explanation, tuple)
    return [(step.edit.layer, step.outcome) for step in explanation.steps]


def sha(text: str) -> str:
    """Return the hash of a text, as a record names it."""
    return hashlib.sha256(text.encode()).hexdigest()


EVERYWHERE = {
    "prompts/a.md": "custom_a",
    "m/system/a.md": "memory/a",
    f"{COPIES}/b.md": "custom_b",
    f"{OVERRIDES}/c.md": "custom_c",
}
"""A file in each place where sections are read, and its section."""

# -- T: parsing ------------------------------------------------------------------------------------

VARIANTS = [("\n", ""), ("\r\n", ""), ("\r", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff"), ("\r", "\ufeff")]


@pytest.mark.parametrize(("newline", "bom"), VARIANTS)
def test_t1_newlines_and_a_bom_make_no_difference(desk: Desk, newline: str, bom: str) -> None:
    """T1: BOM, LF, CRLF and CR variants of a file give the same prompt bytes, wherever the file is."""
    text = "---\ntitle: T\nwhen:\n  agents: [ada]\n---\n\nOne {{ agent_name }}\n\n\n\ntwo\n"
    for name, id in EVERYWHERE.items():
        section = desk.build({name: bom + text.replace("\n", newline)}, agent="ada").section(id)
        assert (section.title, section.text) == ("T", "One ada\n\n\n\ntwo")
        (desk.root / name).unlink()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: T\n---\nbody", "body"),
        ("--- \t\ntitle: T\n---  \nbody", "body"),
        ("---\ntitle: T\n---", ""),
        ("---\ntitle: T\n...\nbody\n---\nrest", "---\ntitle: T\n...\nbody\n---\nrest"),
        ("---\ntitle: T\n----\nbody", "---\ntitle: T\n----\nbody"),
        ("---\ntitle: T\n ---\nbody", "---\ntitle: T\n ---\nbody"),
        ("----\ntitle: T\n---\nbody", "----\ntitle: T\n---\nbody"),
        (" ---\ntitle: T\n---\nbody", "---\ntitle: T\n---\nbody"),
        ("\n---\ntitle: T\n---\nbody", "---\ntitle: T\n---\nbody"),
    ],
)
def test_t2_fences_are_whole_lines_at_offset_zero(desk: Desk, text: str, expected: str) -> None:
    """T2: fences are whole lines ``---``, the first at offset 0; ``...`` and ``----`` never close one."""
    prompt = desk.build({"prompts/a.md": text})
    if expected:
        assert shown(prompt) == {"custom_a": expected}
    else:
        assert desk.said() == [("FW022", "error")]


@pytest.mark.parametrize("block", ["---\ntitle: T\nbody", "---\n- a\n- b\n---\nbody", "---\nintro: x\n---\nbody", "---\nx\n---\nb"])
def test_t3_a_block_that_is_no_front_matter_is_text(desk: Desk, block: str) -> None:
    """T3: a block that is unclosed, no mapping, or without a known key is text, with a warning."""
    for name, id in EVERYWHERE.items():
        assert shown(desk.build({name: block}))[id] == block
        assert ("FW013", "warning") in desk.said()
        (desk.root / name).unlink()


def test_t4_only_front_matter_adds_no_text(desk: Desk) -> None:
    """T4: with a priority or title such a file moves, else it is empty; ``mode: remove`` needs no text."""
    below = {"prompts/x.md": "X"}
    front = {
        "title: T": ("T", 900),
        "priority: 800": ("x", 800),
        "description: D": ("x", 900),
        "mode: remove": None,
    }
    for said, expected in front.items():
        prompt = desk.build({**below, "prompts/agents/ada/x.md": f"---\n{said}\n---\n"}, agent="ada")
        row = [(section.title, section.priority) for section in prompt.sections]
        assert row == ([expected] if expected else [])
        assert "D" not in prompt.text


@pytest.mark.parametrize(("data", "offset"), [(b"\xff", 0), (b"ok \xc3\x28", 3), (b"a\n\xed\xa0\x80", 2), (b"\xc0\x80", 0)])
def test_t5_bytes_that_are_not_utf8_refuse_the_file(desk: Desk, data: bytes, offset: int) -> None:
    """T5: bad bytes refuse the file with their offset, and the other sections are built."""
    for name in EVERYWHERE:
        assert shown(desk.build({name: data, "prompts/ok.md": "fine"})) == {"custom_ok": "fine"}
        assert [one.code for one in desk.found if one.severity == "error"] == ["FW004"]
        assert any(f"at offset {offset}" in one.message for one in desk.found)
        (desk.root / name).unlink()


@pytest.mark.parametrize("other", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_t6_only_newlines_end_a_line(desk: Desk, other: str) -> None:
    """T6: no other character that some programs split at opens or closes front matter."""
    for text in (f"---{other}title: T{other}---{other}body", f"---\ntitle: T\nx{other}---\nbody"):
        prompt = desk.build({"prompts/a.md": text})
        assert shown(prompt) == {"custom_a": text}


def test_t7_copies_are_compared_whatever_their_newlines(desk: Desk) -> None:
    """T7: a copy saved with other newlines is no edited one; every other change of its bytes is."""
    record = MemoryRecord(copies={"x.md": CopyRecord("custom_x", sha("a\nb"))})
    for text, layer in ((b"a\r\nb\r\n", "project"), (b"a\rb", "project"), (b"a\n b", "memory"), (b"a\n\nb", "memory")):
        prompt = desk.build({RECORD: record.dump(), "prompts/x.md": "new", f"{COPIES}/x.md": text})
        assert prompt.section("custom_x").layer == layer


@given(
    st.lists(
        st.sampled_from(["---", "--- ", "----", "...", "title: T", "id: x", "x", "", "\r", "\ufeff", "- a", "k: [", "# h"]),
        max_size=9,
    ).map("\n".join)
)
def test_t8_one_parser_reads_every_file(text: str) -> None:
    """T8: the same bytes have the same text and front matter wherever they are read."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        desk = Desk(Path(name))
        for path in EVERYWHERE:
            desk.write({path: text})
        desk.write({"skills/x/SKILL.md": text})
        plan = desk.builder().plan()
        documents = {
            (one.contribution.edit.file.document.text, one.contribution.edit.file.front_matter.model_dump_json())
            for one in plan.contributions
            if one.contribution.edit.file is not None
            and one.contribution.edit.file.document is not None
            and not one.contribution.edit.file.place.startswith("foreword_prompts")
        }
    assert len(documents) <= 1


# -- T: layers -------------------------------------------------------------------------------------


def test_t9_the_order_of_the_layers_and_the_whole_chain(desk: Desk) -> None:
    """T9: builtin, extension, project, agent, memory, override, session: every edit is told with its place."""
    desk.write(
        {
            "prompts/TOOL_USAGE.md": "of project",
            "prompts/agents/ada/TOOL_USAGE.md": "of agent",
            f"{COPIES}/TOOL_USAGE.md": "of memory",
            f"{OVERRIDES}/TOOL_USAGE.md": "of override",
        }
    )
    builder = desk.builder('[sections.tool_usage]\neditable_by = ["builtin", "extension", "project", "agent",')
    raise AssertionError(builder)


def test_t11_building_changes_no_byte_of_the_memory(desk: Desk) -> None:
    """T11: a build, and a second one, writes nothing below the memory."""
    raise AssertionError
