"""Approval: nothing that the agent writes reaches the prompt before the operator has seen it."""

from __future__ import annotations

import json
import tomllib

import pytest

from foreword import ConfigError
from foreword.memory import AgentMemoryError, ChangeRefused, Entry, Pending


@pytest.fixture
def strict(home):
    """A house whose operator approves every change."""
    home.configure(memory="approval = true")
    return home


def lock(house) -> dict[str, str]:
    """The approvals of ada that stand beside the configuration."""
    path = house.home / "foreword.lock"
    return tomllib.loads(path.read_text())["approved"]["ada"] if path.exists() else {}


def names(house) -> list[str]:
    """The names of what waits."""
    return [one.name for one in house.memory().pending()]


def test_a_proposal_waits_until_it_is_approved(strict) -> None:
    """An override by the agent is queued with who, when, why and its text, and shows once it is approved."""
    before = strict.build().text
    waiting = strict.memory("tool").override("custom_style", "Mine.", reason="I like it")
    assert isinstance(waiting, Pending)
    assert strict.build().text == before
    (one,) = strict.memory().pending()
    assert (one.name, one.id, one.who, one.why, one.what) == (
        "1",
        "custom_style",
        "tool",
        "I like it",
        "override: replace",
    )
    assert one.text == "Mine.\n"
    assert strict.memory().status().pending == ("1",)
    strict.memory("operator").approve("1")
    assert strict.text("custom_style") == "Mine."
    assert names(strict) == []
    entry = strict.memory().history()[-1]
    assert (entry.who, entry.what, entry.why) == ("operator", "override: replace, proposed by tool", "I like it")


def test_a_rejected_proposal_is_gone(strict) -> None:
    """Rejecting a proposal drops it, and the prompt stays as it is."""
    before = strict.build().text
    strict.memory().override("custom_style", "Mine.")
    strict.memory("operator").reject("1")
    assert names(strict) == []
    assert strict.build().text == before
    with pytest.raises(AgentMemoryError, match="nothing waits"):
        strict.memory("operator").approve("1")


def test_a_proposal_that_the_policy_refuses_never_waits(strict) -> None:
    """What is refused at the write is refused here as well."""
    with pytest.raises(ChangeRefused, match="policy"):
        strict.memory().override("safety", "x")
    assert names(strict) == []


def test_proposals_of_one_section_do_not_take_each_others_place(strict) -> None:
    """Two appended texts that wait hold both when both are approved, in whatever order; so do two patches."""
    memory = strict.memory()
    memory.override("custom_style", "one", mode="append")
    memory.override("custom_style", "two", mode="append")
    memory.override("custom_style", "Very short.", mode="patch", heading="Length")
    memory.override("custom_style", "Warm.", mode="patch", heading="Tone")
    memory.override("identity", "First.")
    memory.override("identity", "Second.")
    for name in ("2", "1", "4", "3", "5", "6"):
        strict.memory("operator").approve(name)
    text = strict.text("custom_style")
    for word in ("one", "two", "Very short.", "Warm."):
        assert word in text
    assert strict.text("identity") == "Second."
    assert names(strict) == []


def test_a_proposal_that_does_not_hold_any_more_goes_on_waiting(strict) -> None:
    """Where the heading of a patch is gone the approval is refused with the reason, and the proposal stays."""
    strict.memory().override("custom_style", "Warm.", mode="patch", heading="Tone")
    strict.write(strict.prompts / "STYLE.md", "No headings.\n")
    with pytest.raises(ChangeRefused, match="Tone"):
        strict.memory("operator").approve("1")
    assert names(strict) == ["1"]


def test_an_edited_copy_waits(strict) -> None:
    """A copy that was edited by hand is not in effect before it is approved, by its content."""
    before = strict.text("identity")
    strict.write(strict.copies / "AGENTS.md", "My own.\n")
    assert strict.text("identity") == before
    assert "FW043" in [found.code for found in strict.found]
    assert names(strict) == ["prompts/AGENTS.md"]
    assert strict.memory().pending()[0].text == "My own.\n"
    strict.memory("operator").approve("prompts/AGENTS.md")
    assert strict.text("identity") == "My own."
    assert names(strict) == []
    strict.write(strict.copies / "AGENTS.md", "My own, changed.\n")
    assert strict.text("identity") == before
    assert names(strict) == ["prompts/AGENTS.md"]


@pytest.mark.parametrize("file", ["style.md", "STYLE.MD", "tools/read.md", "Größe.md"])
def test_an_override_written_as_a_file_waits(strict, file) -> None:
    """A plain file, whatever its name, waits like a proposal, and its front matter counts to its content."""
    strict.write(strict.overrides / file, "---\ndescription: mine\n---\nBy hand.\n")
    name = f"prompt-overrides/{file}"
    assert names(strict) == [name]
    assert "By hand." not in str([strict.build().text, *strict.build().tools.values()])
    row = next(one for one in strict.memory().status().overrides if one.file == file)
    assert (row.outcome, row.reason) == (None, "it waits for the operator's approval")
    strict.memory("operator").approve(name)
    assert "By hand." in str([strict.build().text, *strict.build().tools.values()])
    strict.write(strict.overrides / file, "---\ndescription: mine\npriority: 501\n---\nBy hand.\n")
    assert names(strict) == [name]
    strict.memory("operator").reject(name)
    assert not (strict.overrides / file).exists()
    assert b"---\ndescription: mine\npriority: 501\n---\nBy hand.\n" in strict.texts()


def test_a_rejected_copy_is_what_it_was_made_from(strict) -> None:
    """Rejecting an edited copy puts the template back that it was made from; the agent's text is kept."""
    before = (strict.copies / "AGENTS.md").read_bytes()
    strict.write(strict.copies / "AGENTS.md", "My own.\n")
    strict.memory("operator").reject("prompts/AGENTS.md", reason="no")
    assert (strict.copies / "AGENTS.md").read_bytes() == before
    assert strict.state("AGENTS.md") == "untouched"
    assert b"My own.\n" in strict.texts()
    assert strict.memory().history()[-1].why == "no"


def test_approvals_lie_beside_the_configuration_by_content(strict) -> None:
    """Approvals are in foreword.lock, by agent, file and content; nothing in the memory can approve anything."""
    strict.memory().override("custom_style", "Mine.")
    assert not (strict.home / "foreword.lock").exists()
    strict.memory("operator").approve("1")
    assert list(lock(strict)) == ["prompt-overrides/style.md"]
    approved = lock(strict)
    memory = strict.tree()
    strict.write(strict.overrides / "style.md", "Other.\n")
    strict.write(strict.root / "foreword.lock", (strict.home / "foreword.lock").read_bytes())
    strict.write(strict.kept / "foreword.lock", (strict.home / "foreword.lock").read_bytes())
    assert "Other." not in strict.build().text
    assert lock(strict) == approved
    strict.write(strict.overrides / "style.md", memory["souveraine_operations/prompt-overrides/style.md"])
    assert strict.text("custom_style") == "Mine."


def test_an_approval_is_for_one_agent_and_one_file(strict) -> None:
    """The same content under another name waits."""
    strict.memory().override("custom_style", "Mine.")
    strict.memory("operator").approve("1")
    strict.write(strict.overrides / "AGENTS.md", "Mine.\n")
    assert names(strict) == ["prompt-overrides/AGENTS.md"]
    assert strict.text("identity") != "Mine."


def test_the_operators_own_override_needs_no_approval(strict) -> None:
    """What the operator writes in the agent's memory shows at once."""
    assert isinstance(strict.memory("operator").override("custom_style", "The operator's."), Entry)
    assert strict.text("custom_style") == "The operator's."
    assert names(strict) == []


def test_untouched_and_upgraded_copies_do_not_wait(strict) -> None:
    """Copies that say what a template says or said need no approval."""
    strict.write(strict.prompts / "STYLE.md", "New.\n")
    assert names(strict) == []
    strict.memory("operator").upgrade()
    assert names(strict) == []


def test_a_forged_queue_is_no_harm(strict) -> None:
    """What the agent writes into the queue itself is shown as what it is, or left out if it is no proposal."""
    strict.memory().override("custom_style", "Mine.")
    queue = strict.kept / "pending"
    forged = json.loads((queue / "1.json").read_text())
    forged["id"] = "custom_harmless"
    forged["file"] = "../prompts/AGENTS.md"
    strict.write(queue / "2.json", json.dumps(forged))
    for number, text in enumerate(["", "{", "[]", '{"file": 1}', json.dumps({**forged, "data": "é"})], 3):
        strict.write(queue / f"{number}.json", text)
    strict.write(queue / "x.json", "{}")
    assert {one.name: one.id for one in strict.memory().pending()} == {"1": "custom_style", "2": "identity"}
    identity = strict.text("identity")
    copy = (strict.copies / "AGENTS.md").read_bytes()
    assert strict.memory().override("custom_style", "Again.").name == "8"
    strict.memory("operator").approve("2")
    assert (strict.copies / "AGENTS.md").read_bytes() == copy
    assert (strict.overrides / "AGENTS.md").read_text() == "Mine.\n"
    assert strict.text("identity") == "Mine." != identity


def test_approval_needs_a_configuration_to_stand_beside(tmp_path) -> None:
    """Without a foreword.toml there is no place for approvals, and that is an error of the configuration."""
    from foreword import Builder
    from foreword.config._config import settings

    (tmp_path / "memory").mkdir()
    given = settings(discover=False, environ={}, memory=tmp_path / "memory")
    changed = given.model_copy(update={"memory": given.memory.model_copy(update={"approval": True})})
    with pytest.raises(ConfigError, match=r"foreword\.lock"):
        Builder(settings=changed, plugins=False).build("ada")


def test_without_approval_nothing_waits(home) -> None:
    """Where the operator asks for none there is no queue."""
    home.write(home.overrides / "style.md", "By hand.\n")
    assert names(home) == []
    assert home.text("custom_style") == "By hand."
