"""Status: what it says of each copy and each override is true."""

from __future__ import annotations

import os

import pytest

from foreword.memory import CopyStatus
from foreword.store._lock import Lock
from foreword.store._store import Store


def test_every_state_has_its_name(home) -> None:
    """Untouched, outdated, edited, stale, unknown origin, orphan, new and deleted copies are each called so."""
    for name in ("EDITED", "STALE", "OUTDATED", "ORPHAN", "DELETED"):
        home.write(home.prompts / f"{name}.md", "one\n")
    home.memory().upgrade()
    for name in ("EDITED", "STALE"):
        home.write(home.copies / f"{name}.md", "mine\n")
    for name in ("STALE", "OUTDATED"):
        home.write(home.prompts / f"{name}.md", "two\n")
    (home.prompts / "ORPHAN.md").unlink()
    (home.copies / "DELETED.md").unlink()
    home.write(home.copies / "OTHER.md", "whence?\n")
    home.write(home.prompts / "NEW.md", "new\n")
    copies = {copy.file: copy for copy in home.memory().status().copies}
    assert copies["STALE.md"] == CopyStatus(
        "STALE.md", "custom_stale", "stale", False, "stale", "the text below has changed since this was written"
    )
    assert copies["EDITED.md"] == CopyStatus("EDITED.md", "custom_edited", "edited", False, "applied", "")
    assert {file: copy.state for file, copy in copies.items() if file not in ("STALE.md", "EDITED.md")} == {
        **dict.fromkeys(
            [
                "AGENTS.md",
                "CONVERSATION_RULES.md",
                "IDENTITY.md",
                "OUTPUT_PRINCIPLES.md",
                "SAFETY.md",
                "STYLE.md",
                "TOOL_USAGE.md",
                "tools/read.md",
            ],
            "untouched",
        ),
        "OUTDATED.md": "outdated",
        "ORPHAN.md": "orphan",
        "DELETED.md": "deleted",
        "OTHER.md": "unknown origin",
        "NEW.md": "new",
    }


def test_an_untouched_copy_has_no_part_in_a_build(home) -> None:
    """Copies that are no edit have no outcome."""
    assert {copy.outcome for copy in home.memory().status().copies} == {None}


def test_every_override_has_its_outcome(home) -> None:
    """Applied, stale, refused, conflict, no-target and failed overrides are each called so, with the reason."""
    memory = home.memory()
    memory.override("identity", "Me.")
    memory.override("custom_style", "Mine.")
    home.write(home.prompts / "STYLE.md", "New.\n")
    home.write(home.overrides / "SAFETY.md", "Anything goes.\n")
    home.write(home.overrides / "a.md", "---\nid: custom_x\n---\none\n")
    home.write(home.overrides / "b.md", "---\nid: custom_x\n---\ntwo\n")
    home.write(home.overrides / "c.md", "---\nid: custom_nowhere\nmode: append\n---\nx\n")
    home.write(home.overrides / "d.md", "---\ntemplate: jinja\n---\nx\n")
    home.write(home.overrides / "e.md", "---\npriority: high\n---\nx\n")
    home.write(home.overrides / "f.md", "---\nwhen: {agents: [bob]}\n---\nx\n")
    home.write(home.overrides / "g.md", "")
    found = {one.file: one for one in home.memory().status().overrides}
    assert {file: one.outcome for file, one in found.items()} == {
        "AGENTS.md": "applied",
        "style.md": "stale",
        "SAFETY.md": "refused",
        "a.md": "conflict",
        "b.md": "conflict",
        "c.md": "no-target",
        "d.md": "refused",
        "e.md": "failed",
        "f.md": None,
        "g.md": None,
    }
    assert [file for file, one in found.items() if one.stale] == ["style.md"]
    assert all(one.reason for file, one in found.items() if file != "AGENTS.md")
    assert (found["c.md"].id, found["c.md"].mode) == ("custom_nowhere", "append")


def test_looking_does_not_need_a_memory_that_can_be_written(home, monkeypatch) -> None:
    """Where another process holds the lock all the time status and history say so, and look all the same."""
    home.write(home.copies / "AGENTS.md", "Mine.\n")
    monkeypatch.setattr("foreword.memory._access.Lock", lambda store, name: Lock(store, name, timeout=0.01))
    told: list[str] = []
    with Lock(Store(str(home.root)), "souveraine_operations/.foreword/lock"):
        status = home.memory(on_message=told.append).status()
        entries = home.memory(on_message=told.append).history()
    assert next(copy.state for copy in status.copies if copy.file == "AGENTS.md") == "edited"
    assert [entry.n for entry in entries] == [1]
    assert len(told) == 2
    assert f"process {os.getpid()} holds this lock" in told[0]


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"version": 2}', b'{"version": 1, "copies": {"A.md": 1}}', b"\xff"])
def test_a_record_of_any_other_kind_is_none(home, data) -> None:
    """Whatever the record holds that is none, status and build say the same of every copy."""
    home.write(home.copies / "AGENTS.md", "Mine.\n")
    home.write(home.kept / "record.json", data)
    status = home.memory().status()
    assert {copy.file: copy.state for copy in status.copies if copy.state != "untouched"} == {
        "AGENTS.md": "unknown origin"
    }
    assert home.text("identity") == "Mine."
