"""``foreword build``: the prompt, and nothing else, on standard output."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder

SHAPE = ["text", "fingerprint", "sections", "tools", "diagnostics"]
SECTION = ["id", "title", "priority", "layer", "defined_in", "origin", "provenance"]
DIAGNOSTIC = ["code", "severity", "message", "place", "remedy"]


@pytest.fixture
def prompts(work: Path) -> Path:
    """A prompts directory with a section, an agent, prose for tools, and one thing to complain about."""
    directory = work / "prompts"
    (directory / "tools").mkdir(parents=True)
    (directory / "agents" / "operator").mkdir(parents=True)
    (directory / "tools" / "Read.md").write_text("Read before you write, {{ agent_name }}.\n")
    (directory / "STYLE_GUIDE.md").write_text("---\ntitle: Ärger & Glück\n---\nSchreibe „knapp“. {{ nobody }}\n")
    (directory / "agents" / "operator" / "IDENTITY.md").write_text("You operate.\n")
    return directory


def test_standard_output_is_the_prompt_byte_for_byte(process: Any, prompts: Path) -> None:
    """In a pipe the output is the text of the prompt, without a line end after it."""
    ran = process("build", "--prompts-dir", "prompts", "--agent", "operator", "--var", "agent_name=Ada")
    prompt = Builder(prompts_dir=prompts).build("operator", variables={"agent_name": "Ada"})
    assert ran.code == 0
    assert ran.out == prompt.text
    assert "You operate." in ran.out
    assert ran.err.count("\n") == len(prompt.diagnostics) == 1


def test_the_prompt_is_utf_8_whatever_the_locale(process: Any, prompts: Path) -> None:
    """The bytes of the prompt do not depend on the encoding of the terminal."""
    usual = process("build", "--prompts-dir", "prompts")
    other = process("build", "--prompts-dir", "prompts", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="latin-1:replace")
    assert other.code == 0
    assert other.out == usual.out
    assert "„knapp“" in other.out


def test_a_terminal_gets_a_line_end(terminal: Any, prompts: Path) -> None:
    """On a terminal the prompt ends with a line end, so that the shell starts on a line of its own."""
    ran = terminal("build", "--prompts-dir", "prompts")
    assert ran.code == 0
    assert ran.out == Builder(prompts_dir=prompts, on_diagnostic=print).build().text + "\n"


def test_json_has_the_documented_shape(run: Any, prompts: Path) -> None:
    """``--json`` is one object with text, fingerprint, sections, tools and diagnostics."""
    ran = run("build", "--prompts-dir", "prompts", "--agent", "operator", "--json")
    content = json.loads(ran.out)
    prompt = Builder(prompts_dir="prompts", on_diagnostic=print).build("operator")
    assert ran.code == 0
    assert list(content) == SHAPE
    assert content["text"] == prompt.text
    assert content["fingerprint"] == prompt.fingerprint
    assert content["tools"] == {"Read": "Read before you write, operator."}
    assert [section["id"] for section in content["sections"]] == [section.id for section in prompt.sections]
    assert all(list(section) == SECTION for section in content["sections"])
    style = next(section for section in content["sections"] if section["id"] == "custom_style_guide")
    assert style == {
        "id": "custom_style_guide",
        "title": "Ärger & Glück",
        "priority": 900,
        "layer": "project",
        "defined_in": "project",
        "origin": "prompts/STYLE_GUIDE.md:4",
        "provenance": style["provenance"],
    }
    assert "Ärger" in ran.out


def test_json_provenance_says_who_where_and_what(run: Any, prompts: Path) -> None:
    """Every link of a section's provenance has its outcome, layer, mode, provider, version, place and hash."""
    (prompts / "SAFETY.md").write_text("Be safe.")
    content = json.loads(run("build", "--prompts-dir", "prompts", "--json").out)
    below, above = next(section for section in content["sections"] if section["id"] == "safety")["provenance"]
    assert (below["outcome"], below["layer"], below["provider"]) == ("shadowed", "builtin", "foreword:builtin")
    assert below["reason"] == "replaced by prompts/SAFETY.md:1"
    assert above == {
        "outcome": "applied",
        "layer": "project",
        "mode": "plain",
        "provider": "foreword:directory",
        "version": above["version"],
        "place": "prompts/SAFETY.md:1",
        "sha256": hashlib.sha256(b"Be safe.").hexdigest(),
        "reason": "",
    }
    assert above["version"]


def test_json_diagnostics_have_the_documented_keys(run: Any, prompts: Path) -> None:
    """Every diagnostic says its code, severity, message, place and remedy, and goes to standard error too."""
    ran = run("build", "--prompts-dir", "prompts", "--json")
    [found] = json.loads(ran.out)["diagnostics"]
    assert list(found)[:5] == DIAGNOSTIC
    assert (found["code"], found["severity"], found["place"]) == ("FW012", "warning", "prompts/STYLE_GUIDE.md:4")
    assert found["message"] in ran.err
    assert found["remedy"] in ran.err


def test_tools_prints_their_prose_as_json(run: Any, prompts: Path) -> None:
    """``--tools`` gives the prose for tools, by the spelling of the file, instead of the prompt."""
    ran = run("build", "--prompts-dir", "prompts", "--tools", "--var", "agent_name=Ada")
    assert ran.code == 0
    assert json.loads(ran.out) == {"Read": "Read before you write, Ada."}


def test_an_error_costs_its_edit_and_not_the_prompt(run: Any, prompts: Path) -> None:
    """Without ``--strict`` an error is told, the rest is printed, and the status is 0."""
    (prompts / "LOST.md").write_text("---\nid: nobody\nmode: append\n---\nx\n")
    ran = run("build", "--prompts-dir", "prompts")
    assert ran.code == 0
    assert "Schreibe" in ran.out
    assert re.search(r"^FW022 error prompts/LOST\.md", ran.err, re.MULTILINE)


@pytest.mark.parametrize("how", [[], ["--json"], ["--tools"]])
def test_strict_prints_nothing_when_there_is_an_error(process: Any, prompts: Path, how: list[str]) -> None:
    """Under ``--strict`` an error leaves standard output empty, all are told, and the status is 1."""
    (prompts / "LOST.md").write_text("---\nid: nobody\nmode: append\n---\nx\n")
    (prompts / "BAD.md").write_text("---\ntemplate: jinja\n---\n{{ 1 / 0 }}\n")
    ran = process("build", "--prompts-dir", "prompts", "--strict", *how)
    assert (ran.code, ran.out) == (1, "")
    assert "Traceback" not in ran.err
    for code in ("FW012 warning", "FW017 error", "FW022 error"):
        assert ran.err.count(code) == 1


def test_strict_prints_the_prompt_when_all_is_well(run: Any, prompts: Path) -> None:
    """Under ``--strict`` a prompt without errors and unknown names is printed as ever."""
    (prompts / "STYLE_GUIDE.md").write_text("Short.")
    strict, plain = (run("build", "--prompts-dir", "prompts", *more) for more in (["--strict"], []))
    assert strict == plain
    assert strict.code == 0
    assert strict.out


def test_a_required_section_that_is_broken_fails_the_build(run: Any, prompts: Path) -> None:
    """A policy that is not met prints nothing, says what is required, and ends with 1."""
    (prompts / "SAFETY.md").write_bytes(b"\xff\xfe not text")
    ran = run("build", "--prompts-dir", "prompts")
    assert (ran.code, ran.out) == (1, "")
    assert "FW028 error" in ran.err
    assert "'safety'" in ran.err
    assert "FW004 error prompts/SAFETY.md" in ran.err


def test_a_required_plugin_that_is_absent_fails_the_build(run: Any, work: Path) -> None:
    """A required plugin that is not installed prints nothing and ends with 1."""
    (work / "foreword.toml").write_text('[plugins]\nrequire = ["acme-absent"]\n')
    ran = run("build")
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"FW036 error: .*'acme-absent'.*is not installed.*\n", ran.err)
