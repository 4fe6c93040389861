"""``foreword explain``: the answer to "why does my prompt say this"."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from foreword import __version__

FIXTURES = Path(__file__).parent.parent / "fixtures"
STEP = ["outcome", "layer", "mode", "provider", "version", "place", "sha256", "reason"]


@pytest.fixture
def fixtures(work: Path) -> list[str]:
    """The options of a team's prompts directory and an agent's memory, named as its operator would."""
    for name in ("prompts", "memory-system", "skills"):
        (work / name).symlink_to(FIXTURES / name)
    return ["--prompts-dir", "prompts", "--agent", "operator", "--memory", "memory-system"]


def test_one_section_is_explained_from_the_winner_down(run: Any, fixtures: list[str]) -> None:
    """The winner stands first, with file, line, layer and plugin; then each other edit with its reason."""
    ran = run("explain", "safety", *fixtures)
    v = __version__
    assert ran.code == 0
    assert ran.out == f"""\
safety stands at priority 200, under the title 'Safety Guidelines'.
Its text is that of prompts/agents/operator/SAFETY.md:1 (layer agent, foreword:agent {v}).

  refused    override   memory-system/souveraine_operations/prompt-overrides/SAFETY.md:1 gives the text (foreword:memory {v})
                        the policy lets only builtin, project, agent, session edit 'safety' ([sections.safety] editable_by)
  applied    agent      prompts/agents/operator/SAFETY.md:1 gives the text (foreword:agent {v})
  shadowed   project    prompts/SAFETY.md:1 gives the text (foreword:directory {v})
                        replaced by prompts/agents/operator/SAFETY.md:1
  shadowed   builtin    foreword_prompts/SAFETY.md:1 gives the text (foreword:builtin {v})
                        replaced by prompts/SAFETY.md:1

Configuration: none; these are the defaults.
"""  # noqa: E501


def test_additions_and_patches_are_named_beside_the_winner(run: Any, fixtures: list[str]) -> None:
    """A text that others change is not said to be one file's alone."""
    words = run("explain", "tool_usage", *fixtures).out.splitlines()
    assert words[1].startswith("Its text is that of prompts/TOOL_USAGE.md:1 (layer project,")
    overrides = "memory-system/souveraine_operations/prompt-overrides"
    assert words[2] == f"It is changed by {overrides}/files_patch.md:6 and {overrides}/tool_notes.md:5."
    assert any(re.search(r"applied +override .*files_patch\.md:6 exchanges the text under 'Files' ", w) for w in words)
    assert any(re.search(r"applied +override .*tool_notes\.md:5 puts text after ", w) for w in words)


def test_title_and_place_are_explained_too(run: Any, fixtures: list[str]) -> None:
    """An edit that sets title or priority says so."""
    words = run("explain", "custom_glossary", *fixtures).out
    assert "prompts/glossary.md:5 gives the text and sets title 'Words We Use' and priority 910 " in words


def test_a_plugins_section_is_explained_with_its_version(run: Any, site: Any) -> None:
    """A section from code names the plugin and its version, which is all there is to name."""
    source = "@hookimpl\ndef foreword_sections():\n    return [Section('acme-cite.style', 'Cite.', title='Cite')]\n"
    site.add("acme-cite", source, version="1.2")
    words = run("explain", "acme-cite.style").out
    assert "Its text is given in code by acme-cite:main 1.2 (layer extension)." in words
    assert "code gives the text and sets title 'Cite' (acme-cite:main 1.2)" in words


def test_a_tool_is_explained_as_what_it_is(run: Any, fixtures: list[str]) -> None:
    """Prose for a tool has no place in the prompt, and is explained without one."""
    words = run("explain", "tools/READ", *fixtures).out
    assert words.startswith("tools/read is prose for the tool 'read', beside the prompt's text.\n")
    assert "priority" not in words


def test_what_was_removed_is_explained(run: Any, fixtures: list[str]) -> None:
    """A section that is not in the prompt is explained by who took it away."""
    ran = run("explain", "tool_usage", "--prompts-dir", "prompts", "--agent", "librarian")
    assert ran.code == 0
    assert ran.out.startswith("tool_usage is not in the prompt.\n")
    assert re.search(r"applied +agent +prompts/agents/librarian/drop_tools\.md:\d+ removes it ", ran.out)
    assert re.search(r"shadowed +project .*\n +removed by prompts/agents/librarian/drop_tools\.md", ran.out)
    table = run("explain", "--prompts-dir", "prompts", "--agent", "librarian").out
    assert "\nTried, and not in the prompt: tool_usage\n" in table


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_prompt_that_must_not_be_used_is_explained_all_the_same(run: Any, work: Path, how: list[str]) -> None:
    """With a required section broken, ``explain`` explains it, and ends with 1."""
    (work / "prompts").mkdir()
    (work / "prompts" / "SAFETY.md").write_bytes(b"caf\xe9")
    ran = run("explain", "safety", "--prompts-dir", "prompts", *how)
    assert ran.code == 1
    assert "FW028 error" in ran.err
    if how:
        content = json.loads(ran.out)
        assert [step["outcome"] for step in content["provenance"]] == ["applied", "failed"]
        assert "FW028" in [found["code"] for found in content["diagnostics"]]
    else:
        assert re.search(r"failed +project +prompts/SAFETY\.md:1 gives the text .*\n +it is not UTF-8", ran.out)
        assert re.search(r"applied +builtin +foreword_prompts/SAFETY\.md:1", ran.out)
        assert "FW028 error" in ran.out
    assert run("explain", "--prompts-dir", "prompts", *how).code == 1


def test_a_section_that_is_required_and_absent_is_explained(run: Any, work: Path) -> None:
    """A required section that nobody gives is named by the failed build, in the table's place."""
    (work / "foreword.toml").write_text("[sections.custom_rules]\nrequired = true\n")
    ran = run("explain")
    assert ran.code == 1
    assert "FW028 error: the required section 'custom_rules' is not in the prompt" in ran.err
    assert " safety " in ran.out


def test_the_table_shows_the_whole_prompt(run: Any, fixtures: list[str]) -> None:
    """Without an id: one row a section in the order of the prompt, with place and size, and the sum."""
    ran = run("explain", *fixtures, "--skills", "skills")
    content = json.loads(run("build", *fixtures, "--skills", "skills", "--json").out)
    rows = ran.out.splitlines()
    assert rows[0].split() == ["priority", "id", "title", "layer", "place", "characters", "~tokens"]
    sections = content["sections"]
    assert [row.split()[:2] for row in rows[1 : len(sections) + 1]] == [[str(s["priority"]), s["id"]] for s in sections]
    for row, section in zip(rows[1:], sections, strict=False):
        assert section["layer"] in row.split()
        if section["origin"] != "code":
            assert section["origin"] in row
    total = rows[len(sections) + 1].split()
    assert total == [str(len(content["text"])), f"~{-(-len(content['text'].encode()) // 4)}"]
    assert "foreword:skills" in next(row for row in rows if " skills " in row)


def test_in_a_pipe_nothing_is_coloured_and_on_a_terminal_it_is(
    process: Any, terminal: Any, fixtures: list[str]
) -> None:
    """Colour is for terminals; the words are the same."""
    for arguments in (["explain", *fixtures], ["explain", "safety", *fixtures]):
        piped, shown = process(*arguments), terminal(*arguments)
        assert piped.code == shown.code == 0
        assert "\x1b" not in piped.out
        assert "\x1b[" in shown.out
        bare = re.sub(r"\x1b\[[0-9;]*m", "", shown.out)
        assert bare.split() == piped.out.split()
        assert shown.err == piped.err


def test_json_of_one_section(run: Any, fixtures: list[str]) -> None:
    """``explain ID --json`` is one object: the section, whether it is in the prompt, its provenance, its findings."""
    content = json.loads(run("explain", "safety", *fixtures, "--json").out)
    assert content["id"] == "safety"
    assert content["in_prompt"] is True
    assert content["config"] is None
    assert (content["layer"], content["origin"]) == ("agent", "prompts/agents/operator/SAFETY.md:1")
    assert [step["outcome"] for step in content["provenance"]] == ["shadowed", "shadowed", "applied", "refused"]
    assert all(list(step) == STEP for step in content["provenance"])
    assert all(re.fullmatch("[0-9a-f]{64}", step["sha256"]) for step in content["provenance"])
    assert [found["code"] for found in content["diagnostics"]] == ["FW020"]


def test_json_of_all(run: Any, fixtures: list[str]) -> None:
    """``explain --json`` explains every section, the tools, and what is not in the prompt."""
    content = json.loads(run("explain", *fixtures, "--json").out)
    assert list(content) == ["config", "sections"]
    inside = [one["id"] for one in content["sections"] if one["in_prompt"]]
    assert inside[0] == "identity"
    assert "tools/read" in inside


def test_the_configuration_in_force_is_named(run: Any, work: Path) -> None:
    """``explain`` says which foreword.toml was found, in words and in JSON."""
    config = work / "foreword.toml"
    config.write_text("")
    below = work / "deep" / "er"
    below.mkdir(parents=True)
    assert run("explain").out.splitlines()[-1].startswith("Configuration: ")
    assert "foreword.toml" in run("explain", "safety").out.splitlines()[-1]
    assert json.loads(run("explain", "--json").out)["config"].endswith("foreword.toml")


def test_policy_shows_each_rule_and_where_it_comes_from(run: Any, work: Path) -> None:
    """``--policy`` gives every rule with its value, and the line of the file that set it."""
    (work / "foreword.toml").write_text('[sections.identity]\nrequired = true\n[priorities]\nextension = [400, 800]\n')
    ran = run("explain", "--policy")
    assert ran.code == 0
    assert re.search(r"^sections\.identity\.required +true +\S*foreword\.toml:2$", ran.out, re.MULTILINE)
    assert re.search(r"^priorities\.extension +\[400, 800\] +\S*foreword\.toml:4$", ran.out, re.MULTILINE)
    assert re.search(r"^sections\.safety\.required +true +default$", ran.out, re.MULTILINE)
    content = json.loads(run("explain", "--policy", "--json").out)
    rule = next(rule for rule in content["policy"] if rule["key"] == "sections.identity.required")
    assert list(rule) == ["key", "value", "from"]
    assert rule["from"].endswith("foreword.toml:2")


def test_strict_explains_nothing_when_there_is_an_error(run: Any, fixtures: list[str]) -> None:
    """Under ``--strict`` an error ends ``explain`` like any build: nothing on standard output, status 1."""
    ran = run("explain", *fixtures, "--strict")
    assert (ran.code, ran.out) == (1, "")
    assert "FW020 error" in ran.err
