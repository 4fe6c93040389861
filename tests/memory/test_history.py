"""The journal: who changed what, when and why; looking back, and undoing one entry alone."""

from __future__ import annotations

import json
import re

import pytest

from foreword.memory import AgentMemoryError, MemoryConflict


def test_each_change_is_one_entry(home) -> None:
    """Every change is an entry with number, section, person, time, reason and deed, oldest first."""
    home.memory("tool").override("custom_style", "Mine.", reason="I like it")
    home.memory("agent").override("identity", "More.", mode="append", reason="so there")
    home.write(home.prompts / "TOOL_USAGE.md", "Use tools.\n")
    home.memory("operator").upgrade(reason="release 2")
    home.memory("agent").revert(2, reason="no")
    entries = home.memory().history()
    assert [(entry.n, entry.id, entry.who, entry.what, entry.why) for entry in entries] == [
        (1, None, "agent", "create", "the memory of ada"),
        (2, "custom_style", "tool", "override: replace", "I like it"),
        (3, "identity", "agent", "override: append", "so there"),
        (4, "tool_usage", "operator", "upgrade: refresh TOOL_USAGE.md", "release 2"),
        (5, "custom_style", "agent", "revert 2: override: replace", "no"),
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry.when) for entry in entries)
    assert entries[-1].undoes == 2


def test_the_history_of_one_section_is_what_concerned_it(home) -> None:
    """With an id the history holds the creation and the changes of that section only."""
    home.memory().override("custom_style", "Mine.")
    home.memory().override("identity", "More.", mode="append")
    assert [entry.n for entry in home.memory().history("custom_style")] == [1, 2]
    assert [entry.n for entry in home.memory().history("identity")] == [1, 3]


def test_a_change_past_foreword_is_taken_in_with_its_text(home) -> None:
    """Edits, deletions and additions past foreword are entries of the next memory command, each with its text."""
    home.memory().override("custom_style", "By the API.")
    home.write(home.overrides / "style.md", "By hand.\n")
    home.write(home.copies / "AGENTS.md", "My own.\n")
    (home.copies / "TOOL_USAGE.md").unlink()
    before = home.tree()
    home.build()
    assert home.tree() == before
    entries = home.memory().history()[2:]
    assert [(entry.id, entry.who, entry.what) for entry in entries] == [
        ("custom_style", "unknown", "changed past foreword: prompt-overrides/style.md"),
        ("identity", "unknown", "changed past foreword: prompts/AGENTS.md"),
        ("tool_usage", "unknown", "deleted past foreword: prompts/TOOL_USAGE.md"),
    ]
    assert {b"By the API.\n", b"By hand.\n", b"My own.\n"} <= home.texts()
    assert len(home.memory().history()) == 5


def test_a_text_that_stood_between_two_commands_is_kept(home) -> None:
    """A file written past foreword and then overridden by the API is in the history with both texts."""
    home.write(home.overrides / "style.md", "By hand.\n")
    home.memory().override("custom_style", "By the API.")
    assert [entry.what for entry in home.memory().history("custom_style")] == [
        "create",
        "added past foreword: prompt-overrides/style.md",
        "override: replace",
    ]
    assert home.memory().at("custom_style", 2)["prompt-overrides/style.md"] == "By hand.\n"


def test_a_section_is_shown_as_it_was(home) -> None:
    """The files of a section after an entry come back, deleted ones as None, and an unknown entry is an error."""
    home.memory().override("custom_style", "One.")
    home.memory().override("custom_style", "Two.")
    home.memory().revert(3)
    home.memory().revert(2)
    name = "prompt-overrides/style.md"
    at = [home.memory().at("custom_style", n) for n in range(1, 6)]
    assert [files.get(name, "-") for files in at] == ["-", "One.\n", "Two.\n", "One.\n", None]
    assert all(files["prompts/STYLE.md"] == (home.prompts / "STYLE.md").read_text() for files in at)
    assert home.memory().at("custom_nowhere", 1) == {}
    with pytest.raises(AgentMemoryError, match="no entry 9"):
        home.memory().at("custom_style", 9)


def test_undoing_an_override_undoes_that_alone(home) -> None:
    """Reverting one entry brings back what stood before it, and leaves later changes of other texts."""
    before = home.text("custom_style")
    home.memory().override("custom_style", "Mine.")
    home.memory().override("identity", "More.", mode="append")
    entry = home.memory().revert(2, reason="no")
    assert (entry.n, entry.undoes) == (4, 2)
    assert home.text("custom_style") == before
    assert home.text("identity").endswith("More.")
    home.memory().revert(4)
    assert home.text("custom_style") == "Mine."


def test_a_later_change_of_the_same_text_stands_in_the_way(home) -> None:
    """Where a later entry changed the same text a revert says which, and changes nothing."""
    home.memory().override("custom_style", "One.")
    home.memory().override("custom_style", "Two.")
    home.write(home.overrides / "style.md", "Three.\n")
    home.memory().status()
    before = home.tree()
    with pytest.raises(MemoryConflict, match=r"style\.md was changed later, by entry 3, 4"):
        home.memory().revert(2)
    after = home.tree()
    assert {name: data for name, data in after.items() if not name.endswith("/lock")} == {
        name: data for name, data in before.items() if not name.endswith("/lock")
    }
    home.memory().revert(4)
    home.memory().revert(3)
    home.memory().revert(2)
    assert not (home.overrides / "style.md").exists()


def test_undoing_an_upgrade_brings_back_copy_and_base(home) -> None:
    """After a refresh or a merge is undone the copy reads and counts as before it."""
    home.write(home.prompts / "STYLE.md", "one\ntwo\nthree\nfour\nfive\n")
    home.memory().upgrade()
    home.write(home.copies / "STYLE.md", "one\ntwo\nthree\nfour\nFIVE\n")
    home.write(home.prompts / "STYLE.md", "ONE\ntwo\nthree\nfour\nfive\n")
    home.memory().upgrade()
    assert home.state("STYLE.md") == "edited"
    home.memory().revert(home.memory().history()[-1].n)
    assert (home.copies / "STYLE.md").read_text() == "one\ntwo\nthree\nfour\nFIVE\n"
    assert home.state("STYLE.md") == "stale"
    home.memory().upgrade()
    assert (home.copies / "STYLE.md").read_text() == "ONE\ntwo\nthree\nfour\nFIVE\n"


def test_undoing_a_settlement_of_which_more_is_known_since_is_a_conflict(home) -> None:
    """An entry that changed only what a copy counts as cannot be undone once a later one did so too."""
    home.write(home.copies / "STYLE.md", "mine\n")
    for word in ("one", "two"):
        home.write(home.prompts / "STYLE.md", f"{word}\n")
        home.memory().settle("custom_style", "mine")
    first, second = (entry.n for entry in home.memory().history() if entry.what.startswith("upgrade: take mine"))
    with pytest.raises(MemoryConflict, match=f"by entry {second}"):
        home.memory().revert(first)
    home.memory().revert(second)
    assert home.state("STYLE.md") == "stale"
    home.memory().revert(first)
    assert home.state("STYLE.md") == "stale"


def test_a_foreign_change_is_undone_like_any_other(home) -> None:
    """What was changed past foreword can be undone too."""
    before = (home.copies / "AGENTS.md").read_bytes()
    home.write(home.copies / "AGENTS.md", "My own.\n")
    home.memory().revert(home.memory().history()[-1].n)
    assert (home.copies / "AGENTS.md").read_bytes() == before
    assert home.state("AGENTS.md") == "untouched"


def test_the_creation_cannot_be_undone_and_neither_what_is_not_there(home) -> None:
    """Reverting the creation, or an entry that does not exist, is an error that says so."""
    with pytest.raises(AgentMemoryError, match="created the memory"):
        home.memory().revert(1)
    with pytest.raises(AgentMemoryError, match="no entry 2"):
        home.memory().revert(2)


def test_a_damaged_entry_stops_nothing(home) -> None:
    """An entry that cannot be read is left out of the history, and the next change takes the next number."""
    home.memory().override("custom_style", "One.")
    home.write(home.kept / "journal" / "00000002.json", "{}")
    home.write(home.kept / "journal" / "00000003.json", "not JSON")
    assert [entry.n for entry in home.memory().history()] == [1]
    entry = home.memory().override("custom_style", "Two.")
    assert entry.n == 4
    assert home.text("custom_style") == "Two."
    with pytest.raises(AgentMemoryError, match="no entry 2"):
        home.memory().revert(2)


def test_an_interrupted_change_is_completed_by_the_next_command(home) -> None:
    """An entry that its writer could not bring into effect any more holds after the next command, once."""
    home.memory().override("custom_style", "One.")
    whole = home.tree()
    home.memory().override("custom_style", "Two.")
    entry = (home.kept / "journal" / "00000003.json").read_bytes()
    home.write(home.kept / "record.json", whole["souveraine_operations/.foreword/record.json"])
    home.write(home.overrides / "style.md", "One.\n")
    assert [one.n for one in home.memory().history()] == [1, 2, 3]
    assert home.text("custom_style") == "Two."
    assert (home.kept / "journal" / "00000003.json").read_bytes() == entry
    assert json.loads((home.kept / "record.json").read_text())["applied"] == 3


def test_an_interrupted_change_never_overwrites_what_came_after(home) -> None:
    """Where the agent wrote the file in the meantime its text stands, as a change of its own."""
    home.memory().override("custom_style", "One.")
    record = (home.kept / "record.json").read_bytes()
    home.memory().override("custom_style", "Two.")
    home.write(home.kept / "record.json", record)
    home.write(home.overrides / "style.md", "By hand.\n")
    assert [one.what for one in home.memory().history()][2:] == [
        "override: replace",
        "changed past foreword: prompt-overrides/style.md",
    ]
    assert home.text("custom_style") == "By hand."
    assert {b"One.\n", b"Two.\n", b"By hand.\n"} <= home.texts()


def test_what_killed_writers_left_is_swept(home) -> None:
    """Temporary files of writers that died long ago are taken away, other hidden files are not."""
    import os

    old = home.copies / ".STYLE.md.tmp-1-0123456789abcdef"
    young = home.kept / "texts" / ".x.tmp-1-0123456789abcdef"
    other = home.copies / ".keep"
    for path in (old, young, other):
        home.write(path, "x")
    for path in (old, other):
        os.utime(path, (1, 1))
    home.memory().status()
    assert not old.exists()
    assert young.exists()
    assert other.exists()
