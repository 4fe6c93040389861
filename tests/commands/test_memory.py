"""``foreword memory``: what an operator and an agent type, and what they are told."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

ADA = ["--agent", "ada", "--no-plugins"]


@pytest.fixture
def memory(work: Path) -> Path:
    """A configuration, two templates, and an empty memory."""
    (work / "prompts").mkdir()
    (work / "prompts" / "STYLE.md").write_text("## Length\n\nShort, says {{ agent_name }}.\n\n## Tone\n\nPlain.\n")
    (work / "foreword.toml").write_text('prompts_dir = "prompts"\n[memory]\npath = "memories/{agent}"\n')
    return work / "memories" / "ada"


@pytest.fixture
def ready(memory: Path, run: Any) -> Path:
    """A memory that was created."""
    assert run("memory", "init", *ADA).code == 0
    return memory


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_init_says_what_it_made_and_again_the_same(run: Any, memory: Path) -> None:
    """Init makes the memory's directory too, tells how many copies it holds, and run again changes no byte."""
    ran = run("memory", "init", *ADA)
    assert (ran.code, ran.out, ran.err) == (0, "memories/ada holds 5 copies for ada.\n", "")
    (memory / "souveraine_operations" / "prompts" / "AGENTS.md").write_text("Mine.\n")
    before = {path: path.read_bytes() for path in memory.rglob("*") if path.is_file()}
    again = run("memory", "init", *ADA)
    assert (again.code, again.out) == (0, ran.out)
    assert {path: path.read_bytes() for path in memory.rglob("*") if path.is_file()} == before
    told = json.loads(run("memory", "init", *ADA, "--json").out)
    assert told == {
        "memory": "memories/ada",
        "copies": ["AGENTS.md", "CONVERSATION_RULES.md", "SAFETY.md", "STYLE.md", "TOOL_USAGE.md"],
    }


def test_init_of_another_agents_memory_is_refused(run: Any, ready: Path) -> None:
    """A memory that is another agent's is named as that, with exit 1, and nothing is written."""
    before = {path: path.read_bytes() for path in ready.rglob("*") if path.is_file()}
    ran = run("memory", "init", "--agent", "bob", "--memory", "memories/ada")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: memories/ada is the memory of 'ada', not of 'bob'\n"
    assert {path: path.read_bytes() for path in ready.rglob("*") if path.is_file()} == before


def test_the_agent_has_to_be_named(run: Any, ready: Path) -> None:
    """Without --agent every command of one memory says whose memory it needs."""
    for command in (["init"], ["status"], ["show", "safety"], ["history"], ["pending"], ["revert", "1"]):
        ran = run("memory", *command)
        assert ran.code == 2, command
        assert "whose memory? Name the agent: --agent NAME" in ran.err


@pytest.mark.parametrize(
    "command", ["init", "status", "show", "override", "history", "revert", "upgrade", "pending", "approve", "reject"]
)
def test_each_command_has_help_with_an_example(run: Any, command: str) -> None:
    """--help of each command shows an example that begins with the command itself."""
    ran = run("memory", command, "--help")
    assert ran.code == 0
    assert f"Example: foreword memory {command}" in ran.out


def test_status_tells_copies_overrides_and_problems(run: Any, ready: Path) -> None:
    """Status lists each copy and each override with its state, and says on standard error what is wrong."""
    run("memory", "override", "custom_style", "--text", "Mine.", *ADA)
    folder = ready / "souveraine_operations"
    (folder / "prompts" / "SAFETY.md").write_text("Anything goes.\n")
    ran = run("memory", "status", *ADA)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert any("edited, refused" in line and "SAFETY.md" in line and "policy" in line for line in lines)
    assert any(line.startswith("applied") and "style.md" in line for line in lines)
    assert sum(line.startswith("untouched") for line in lines) == 4
    assert "FW020" in ran.err
    told = json.loads(run("memory", "status", *ADA, "--json").out)
    assert sorted(told) == ["agent", "copies", "created", "overrides", "pending", "problems"]
    assert next(copy for copy in told["copies"] if copy["file"] == "SAFETY.md")["outcome"] == "refused"
    assert told["overrides"] == [
        {
            "file": "style.md",
            "id": "custom_style",
            "mode": "replace",
            "outcome": "applied",
            "reason": "",
            "stale": False,
        }
    ]


def test_status_of_a_memory_that_is_not_there(run: Any, memory: Path) -> None:
    """Before the creation status lists what would be copied, and how."""
    ran = run("memory", "status", *ADA)
    assert ran.code == 0
    assert ran.out.startswith("There are no copies yet: foreword memory init makes them.\n")
    assert not memory.exists()


@pytest.mark.parametrize("how", ["text", "file", "dash", "stdin"])
def test_the_text_of_an_override_comes_from_anywhere(run: Any, ready: Path, work: Path, monkeypatch: Any, how) -> None:
    """A text is taken from the command line, from a file or from standard input, and shows in the next build."""
    given = {"text": ["--text", "Größe.\n"], "file": ["--file", "text.md"], "dash": ["--file", "-"], "stdin": []}[how]
    (work / "text.md").write_text("Größe.\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Größe.\n".encode())))
    ran = run("memory", "override", "custom_style", *given, "--reason", "why not", *ADA)
    assert (ran.code, ran.out) == (0, "Entry 2: override: replace. It shows in the next build.\n")
    assert "Größe." in run("build", *ADA).out
    (entry,) = json.loads(run("memory", "history", *ADA, "--json").out)[1:]
    assert (entry["who"], entry["why"]) == ("operator", "why not")


def test_a_text_that_cannot_be_read_is_a_usage_error(run: Any, ready: Path, work: Path, monkeypatch: Any) -> None:
    """A file that is not there, and bytes that are no UTF-8, end with exit 2 and name where they come from."""
    (work / "bad.md").write_bytes(b"\xff")
    for name in ("bad.md", "nowhere.md"):
        ran = run("memory", "override", "custom_style", "--file", name, *ADA)
        assert ran.code == 2
        assert f"--file {name} cannot be read" in ran.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    ran = run("memory", "override", "custom_style", *ADA)
    assert ran.code == 2
    assert "standard input cannot be read" in ran.err


@pytest.fixture
def editor(work: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a shell script in $EDITOR, and standard input on a terminal."""
    monkeypatch.setattr(sys, "stdin", _Terminal())

    def edit(script: str) -> Path:
        path = work / "editor.sh"
        path.write_text(f'#!/bin/sh\ncp "$1" {work}/opened.md\n{script}\n')
        path.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(path))
        monkeypatch.delenv("VISUAL", raising=False)
        return work / "opened.md"

    return edit


def test_an_editor_opens_with_the_text_before_rendering(run: Any, ready: Path, editor: Any) -> None:
    """On a terminal $EDITOR opens with the section's text, placeholders unreplaced, and what it saves comes back."""
    opened = editor("echo 'And {{ agent_name }} adds this.' >> \"$1\"")
    ran = run("memory", "override", "custom_style", *ADA)
    assert ran.code == 0, ran.err
    assert "Short, says {{ agent_name }}." in opened.read_text()
    assert "And ada adds this." in run("build", *ADA).out
    saved = (ready / "souveraine_operations" / "prompt-overrides" / "style.md").read_text()
    assert "{{ agent_name }} adds" in saved


@pytest.mark.parametrize(
    ("mode", "shown"),
    [(["--mode", "patch", "--heading", "Tone"], "Plain.\n"), (["--mode", "append"], ""), (["--title", "New"], "")],
)
def test_an_editor_opens_with_what_the_mode_exchanges(run: Any, ready: Path, editor: Any, mode, shown) -> None:
    """For a patch the editor shows the text under the heading, for an addition nothing, for a new section nothing."""
    opened = editor("echo 'More.' >> \"$1\"")
    id = "custom_new" if mode[0] == "--title" else "custom_style"
    ran = run("memory", "override", id, *mode, *ADA)
    assert ran.code == 0, ran.err
    assert opened.read_text().strip() == shown.strip()
    assert "More." in run("build", *ADA).out


def test_an_editor_that_saves_nothing_changes_nothing(run: Any, ready: Path, editor: Any) -> None:
    """Where the editor leaves the file as it was there is no override."""
    editor("")
    ran = run("memory", "override", "custom_style", *ADA)
    assert ran.code == 2
    assert "nothing is changed" in ran.err
    assert len(json.loads(run("memory", "history", *ADA, "--json").out)) == 1


def test_what_was_written_while_the_editor_was_open_is_not_overwritten(run: Any, ready: Path, editor: Any) -> None:
    """An override by somebody else in the meantime makes a conflict, and stands."""
    other = ready / "souveraine_operations" / "prompt-overrides" / "style.md"
    editor(f"mkdir -p {other.parent}; echo Other. > {other}; echo 'Mine.' > \"$1\"")
    ran = run("memory", "override", "custom_style", *ADA)
    assert ran.code == 1
    assert "changed by somebody else" in ran.err
    assert other.read_text() == "Other.\n"


def test_each_mode_can_be_asked_for(run: Any, ready: Path) -> None:
    """Modes, heading, title and priority of an override are options; remove and move need no text."""
    for options in (
        ["custom_style", "--mode", "patch", "--heading", "Tone", "--text", "Warm."],
        ["custom_style", "--mode", "move", "--title", "Voice", "--priority", "600"],
        ["conversation_rules", "--mode", "remove"],
        ["identity", "--mode", "append", "--text", "More."],
    ):
        assert run("memory", "override", *options, *ADA).code == 0, options
    out = run("build", *ADA).out
    assert "## Voice\n" in out
    assert "Warm." in out
    assert "Conversation Rules" not in out


def test_what_the_policy_refuses_is_refused_with_the_reason(run: Any, ready: Path) -> None:
    """A refused override ends with exit 1 and one line that names the key of the policy."""
    ran = run("memory", "override", "safety", "--text", "x", *ADA)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: refused: ")
    assert "[sections.safety] editable_by" in ran.err
    assert ran.err.count("\n") == 1


def test_show_tells_each_layer(run: Any, ready: Path) -> None:
    """Show prints template, copy, overrides and effective text, and what the agent may do."""
    (ready / "souveraine_operations" / "prompts" / "STYLE.md").write_text("Mine, says {{ agent_name }}.\n")
    run("memory", "override", "custom_style", "--mode", "append", "--text", "More.", *ADA)
    ran = run("memory", "show", "custom_style", *ADA)
    assert ran.code == 0
    parts = [line for line in ran.out.splitlines() if line.startswith("--- ")]
    folder = "memories/ada/souveraine_operations"
    assert parts == [
        "--- template",
        f"--- copy {folder}/prompts/STYLE.md:1 (applied)",
        f"--- override {folder}/prompt-overrides/style.append-001.md:5 (applied)",
        "--- in effect",
    ]
    assert "Mine, says ada.\n\nMore.\n" in ran.out
    assert ran.out.endswith("You may: replace, remove, patch, prepend, append, move\n")
    told = json.loads(run("memory", "show", "custom_style", *ADA, "--json").out)
    assert told["effective"] == "Mine, says ada.\n\nMore."
    assert told["copy"]["text"] == "Mine, says {{ agent_name }}."
    assert run("memory", "show", "safety", *ADA).out.splitlines()[-1].startswith("You may: nothing (the policy lets")
    unknown = run("memory", "show", "custom_nowhere", *ADA)
    assert (unknown.code, unknown.err) == (2, "error: no section 'custom_nowhere'\n")


def test_show_goes_back_in_time(run: Any, ready: Path) -> None:
    """--at N prints the files of the section as they were after entry N."""
    for word in ("One.", "Two."):
        run("memory", "override", "custom_style", "--text", word, *ADA)
    run("memory", "revert", "3", *ADA)
    run("memory", "revert", "2", *ADA)
    name = "prompt-overrides/style.md"
    assert f"--- {name}\nTwo.\n" in run("memory", "show", "custom_style", "--at", "3", *ADA).out
    assert f"--- {name}\n(deleted)\n" in run("memory", "show", "custom_style", "--at", "5", *ADA).out
    assert json.loads(run("memory", "show", "custom_style", "--at", "2", *ADA, "--json").out)[name] == "One.\n"
    nothing = run("memory", "show", "custom_nowhere", "--at", "1", *ADA)
    assert (nothing.code, nothing.out) == (0, "The memory held nothing of 'custom_nowhere' then.\n")
    assert "no entry 9" in run("memory", "show", "custom_style", "--at", "9", *ADA).err


def test_history_is_a_table_and_json(run: Any, ready: Path) -> None:
    """History lists number, time, person, section, deed and reason, oldest first; an id leaves the others out."""
    run("memory", "override", "custom_style", "--text", "Mine.", "--as", "agent", "--reason", "I like it", *ADA)
    run("memory", "override", "identity", "--mode", "append", "--text", "x", "--as", "tool", *ADA)
    told = json.loads(run("memory", "history", *ADA, "--json").out)
    assert [list(entry) for entry in told] == [["n", "id", "who", "when", "why", "what"]] * 3
    assert [entry["n"] for entry in told] == [1, 2, 3]
    assert [entry["who"] for entry in told] == ["operator", "agent", "tool"]
    out = run("memory", "history", "custom_style", *ADA).out
    assert out.splitlines()[0].split() == ["n", "when", "who", "section", "what", "why"]
    assert "I like it" in out
    assert "identity" not in out


def test_revert_tells_the_entry_or_the_conflict(run: Any, ready: Path) -> None:
    """Revert is an entry; where something later is in the way it ends with exit 1 and says what."""
    for word in ("One.", "Two."):
        run("memory", "override", "custom_style", "--text", word, *ADA)
    ran = run("memory", "revert", "2", *ADA)
    assert (ran.code, ran.out) == (1, "")
    assert "changed later, by entry 3" in ran.err
    ran = run("memory", "revert", "3", *ADA, "--json")
    assert json.loads(ran.out)["what"] == "revert 3: override: replace"
    assert "One." in run("build", *ADA).out


def test_upgrade_of_one_memory(run: Any, ready: Path, work: Path) -> None:
    """Upgrade tells what it did to each copy, settles a conflict, and a dry run shows the difference."""
    folder = ready / "souveraine_operations" / "prompts"
    (folder / "STYLE.md").write_text("Mine.\n")
    (work / "prompts" / "STYLE.md").write_text("New.\n")
    (work / "prompts" / "NEWS.md").write_text("News.\n")
    dry = run("memory", "upgrade", "--dry-run", *ADA)
    assert dry.code == 0
    assert "would copy NEWS.md (custom_news)\n" in dry.out
    assert "+News." in dry.out
    assert not (folder / "NEWS.md").exists()
    ran = run("memory", "upgrade", "--reason", "release", *ADA)
    assert ran.out == "copy NEWS.md (custom_news)\nconflict STYLE.md (custom_style)\n"
    assert "stale, to be settled" in run("memory", "status", *ADA).out
    ran = run("memory", "upgrade", "custom_style", "--take", "new", *ADA, "--json")
    (done,) = json.loads(ran.out)
    assert (done["file"], done["action"]) == ("STYLE.md", "settle")
    assert (folder / "STYLE.md").read_text() == "New.\n"
    assert run("memory", "upgrade", *ADA).out == "Every copy is up to date, or the agent's own.\n"
    for wrong in (["--take", "mine"], ["custom_style"]):
        ran = run("memory", "upgrade", *wrong, *ADA)
        assert ran.code == 2
        assert "go together" in ran.err


def test_approval_on_the_command_line(run: Any, ready: Path, work: Path) -> None:
    """What an agent changes is listed with its text, approved or rejected by name, and shows only then."""
    (work / "foreword.toml").write_text('[memory]\npath = "memories/{agent}"\napproval = true\n')
    ran = run("memory", "override", "identity", "--text", "I am free.", "--as", "agent", *ADA)
    assert (ran.code, ran.out) == (0, "identity waits for the operator's approval under the name 1.\n")
    told = run("memory", "override", "identity", "--text", "I am me.", "--as", "agent", *ADA, "--json")
    assert json.loads(told.out) == {"state": "pending", "name": "2", "id": "identity"}
    overrides = ready / "souveraine_operations" / "prompt-overrides"
    overrides.mkdir()
    (overrides / "DIARY.md").write_text("Dear diary.\n\x1b[2J")
    out = run("memory", "pending", *ADA).out
    assert "--- 1\nI am free.\n" in out
    assert "--- prompt-overrides/DIARY.md\nDear diary.\n\\u{1b}[2J\n" in out
    assert [one["name"] for one in json.loads(run("memory", "pending", *ADA, "--json").out)] == [
        "1",
        "2",
        "prompt-overrides/DIARY.md",
    ]
    assert "waits for approval: 1\n" in run("memory", "status", *ADA).out
    assert "I am free." not in run("build", *ADA).out
    assert run("memory", "approve", "1", *ADA).out == "1 is approved and shows in the next build.\n"
    assert "I am free." in run("build", *ADA).out
    assert run("memory", "reject", "2", *ADA).out == "2 is rejected.\n"
    assert json.loads(run("memory", "approve", "prompt-overrides/DIARY.md", *ADA, "--json").out) == {
        "approved": "prompt-overrides/DIARY.md"
    }
    assert run("memory", "pending", *ADA).out == "Nothing waits.\n"
    ran = run("memory", "approve", "1", *ADA)
    assert (ran.code, ran.err.splitlines()[-1]) == (
        1,
        "error: nothing waits under the name '1'; foreword memory pending lists what does",
    )


def test_a_repository_in_the_middle_of_something_is_a_note(run: Any, ready: Path) -> None:
    """Where no commit is made standard error says so, and the command succeeds."""
    (ready / ".git").mkdir()
    ran = run("memory", "override", "custom_style", "--text", "Mine.", *ADA)
    assert ran.code == 0
    assert ran.err.startswith("note: git would not commit")


def test_upgrading_all_shows_a_progress_bar_on_a_terminal(run: Any, ready: Path, work: Path, monkeypatch: Any) -> None:
    """On a terminal the upgrade of all memories shows how far it is, on standard error alone."""
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    ran = run("memory", "upgrade", "--no-plugins")
    assert (ran.code, ran.out) == (0, "1 memory: nothing to do; 0 failed.\n")
    assert "Upgrading memories" in screen.getvalue()


def test_a_memory_that_cannot_be_written_is_an_error_without_a_traceback(run: Any, memory: Path) -> None:
    """A file where the memory's namespace should be is named in one line."""
    memory.mkdir(parents=True)
    (memory / "souveraine_operations").write_text("in the way")
    for command in (["init"], ["override", "custom_style", "--text", "x"], ["upgrade"], ["status"]):
        ran = run("memory", *command, *ADA)
        assert ran.code == 1, command
        assert "not a directory" in ran.err
        assert ran.err.count("\n") == 1


def test_the_namespace_is_the_operators_to_choose(run: Any, memory: Path, work: Path) -> None:
    """With [memory] namespace everything lies there, and comes back from there."""
    with (work / "foreword.toml").open("a") as file:
        file.write('namespace = "own"\n')
    assert run("memory", "init", *ADA).code == 0
    assert run("memory", "override", "custom_style", "--text", "Mine.", *ADA).code == 0
    assert os.listdir(memory) == ["own"]
    assert "Mine." in run("build", *ADA).out
