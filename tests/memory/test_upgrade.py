"""Upgrades: untouched copies follow, edited ones are merged or left alone, deleted ones stay deleted."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from foreword import AgentMemory, Builder
from foreword.commands._group import foreword
from foreword.memory import AgentMemoryError

LINES = "".join(f"line {number}\n" for number in range(1, 9))


def changed(text: str, **lines: str) -> str:
    """The text with whole lines exchanged: ``changed(LINES, l2="two")``."""
    parts = text.splitlines()
    for key, value in lines.items():
        parts[int(key[1:]) - 1] = value
    return "\n".join(parts) + "\n"


@pytest.fixture
def lined(home):
    """A house whose STYLE.md has eight lines."""
    home.write(home.prompts / "STYLE.md", LINES)
    home.memory().upgrade()
    return home


def actions(memory: AgentMemory, **given: bool) -> dict[str, str]:
    """Upgrade, and return what was done to each copy."""
    return {one.file: one.action for one in memory.upgrade(**given)}


def test_an_untouched_copy_is_refreshed(lined) -> None:
    """A new template shines through an untouched copy at once, and an upgrade copies it."""
    new = changed(LINES, l2="two")
    lined.write(lined.prompts / "STYLE.md", new)
    assert lined.text("custom_style") == new.strip()
    assert lined.state("STYLE.md") == "outdated"
    assert actions(lined.memory()) == {"STYLE.md": "refresh"}
    assert (lined.copies / "STYLE.md").read_text() == new
    assert lined.state("STYLE.md") == "untouched"
    assert actions(lined.memory()) == {}


def test_changes_of_different_lines_are_merged(lined) -> None:
    """An edited copy keeps the agent's lines and takes the operator's."""
    lined.write(lined.copies / "STYLE.md", changed(LINES, l7="SEVEN"))
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    assert lined.state("STYLE.md") == "stale"
    assert lined.text("custom_style") == changed(LINES, l7="SEVEN").strip()
    assert actions(lined.memory()) == {"STYLE.md": "merge"}
    merged = changed(LINES, l2="TWO", l7="SEVEN")
    assert (lined.copies / "STYLE.md").read_text() == merged
    assert lined.state("STYLE.md") == "edited"
    assert lined.text("custom_style") == merged.strip()


def test_a_merge_compares_with_the_base_of_the_last_upgrade(lined) -> None:
    """After a merge the next one starts from the template that was merged."""
    lined.write(lined.copies / "STYLE.md", changed(LINES, l7="SEVEN"))
    for number, word in (("l2", "TWO"), ("l4", "FOUR")):
        template = (lined.prompts / "STYLE.md").read_text()
        lined.write(lined.prompts / "STYLE.md", changed(template, **{number: word}))
        assert actions(lined.memory()) == {"STYLE.md": "merge"}
    assert (lined.copies / "STYLE.md").read_text() == changed(LINES, l2="TWO", l4="FOUR", l7="SEVEN")


def test_a_conflict_keeps_the_agents_text_until_it_is_settled(lined) -> None:
    """Where both changed one line the agent's text stands, the new one lies beside it, and status lists it."""
    mine, new = changed(LINES, l4="MINE"), changed(LINES, l4="NEW")
    lined.write(lined.copies / "STYLE.md", mine)
    lined.write(lined.prompts / "STYLE.md", new)
    assert actions(lined.memory()) == {"STYLE.md": "conflict"}
    assert (lined.copies / "STYLE.md").read_text() == mine
    assert (lined.copies / "STYLE.md.new").read_text() == new
    assert lined.text("custom_style") == mine.strip()
    copy = next(copy for copy in lined.memory().status().copies if copy.file == "STYLE.md")
    assert (copy.state, copy.unsettled) == ("stale", True)
    assert actions(lined.memory()) == {}
    assert "custom_style" in [section.id for section in lined.build().sections]
    assert "custom_style.md" not in str(lined.build().sections)


@pytest.mark.parametrize("take", ["mine", "new"])
def test_a_conflict_is_settled_either_way(lined, take) -> None:
    """Taking mine or new settles it; the other text is kept, and the next change starts from the new template."""
    mine, new = changed(LINES, l4="MINE"), changed(LINES, l4="NEW")
    lined.write(lined.copies / "STYLE.md", mine)
    lined.write(lined.prompts / "STYLE.md", new)
    lined.memory().upgrade()
    assert lined.memory().settle("custom_style", take).action == "settle"
    assert not (lined.copies / "STYLE.md.new").exists()
    assert (lined.copies / "STYLE.md").read_text() == (mine if take == "mine" else new)
    assert lined.state("STYLE.md") == ("edited" if take == "mine" else "untouched")
    assert {mine.encode(), new.encode()} <= lined.texts()
    lined.write(lined.prompts / "STYLE.md", changed(new, l8="EIGHT"))
    assert actions(lined.memory()) == {"STYLE.md": "merge" if take == "mine" else "refresh"}
    assert (lined.copies / "STYLE.md").read_text() == changed(mine if take == "mine" else new, l8="EIGHT")


def test_there_is_nothing_to_settle_without_a_conflict(lined) -> None:
    """Settling what does not wait is an error, and an agent's text is not thrown away by mistake."""
    for id in ("custom_style", "custom_nowhere"):
        for take in ("mine", "new"):
            with pytest.raises(AgentMemoryError, match="waits to be settled"):
                lined.memory().settle(id, take)


def test_a_conflict_that_a_newer_template_ends_is_settled_by_the_upgrade(lined) -> None:
    """When a later template can be merged, or the agent writes it itself, the upgrade takes away what lay beside."""
    lined.write(lined.copies / "STYLE.md", changed(LINES, l4="MINE"))
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l4="NEW"))
    lined.memory().upgrade()
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l8="EIGHT"))
    assert actions(lined.memory()) == {"STYLE.md": "merge"}
    assert not (lined.copies / "STYLE.md.new").exists()
    assert (lined.copies / "STYLE.md").read_text() == changed(LINES, l4="MINE", l8="EIGHT")


def test_a_new_template_is_copied_and_a_deleted_copy_is_not(lined) -> None:
    """An upgrade copies what is new; what the agent deleted stays deleted until the deletion is undone."""
    lined.write(lined.prompts / "NEWS.md", "News.\n")
    (lined.copies / "AGENTS.md").unlink()
    assert (lined.state("NEWS.md"), lined.state("AGENTS.md")) == ("new", "deleted")
    assert actions(lined.memory()) == {"NEWS.md": "copy"}
    lined.write(lined.prompts / "AGENTS.md", "New operator's identity.\n")
    assert actions(lined.memory()) == {}
    assert not (lined.copies / "AGENTS.md").exists()
    assert lined.text("identity") == "New operator's identity."
    deletion = next(entry.n for entry in lined.memory().history() if entry.what.startswith("deleted"))
    lined.memory().revert(deletion)
    assert lined.state("AGENTS.md") == "outdated"


def test_a_template_that_is_gone_leaves_an_orphan(lined) -> None:
    """Where the template is gone an untouched copy says nothing, an edited one defines the section."""
    (lined.prompts / "STYLE.md").unlink()
    assert lined.state("STYLE.md") == "orphan"
    assert "custom_style" not in [section.id for section in lined.build().sections]
    lined.write(lined.copies / "STYLE.md", "Mine.\n")
    assert lined.state("STYLE.md") == "orphan"
    section = lined.build().section("custom_style")
    assert (section.text, section.title) == ("Mine.", "STYLE")
    assert actions(lined.memory()) == {}


def test_a_template_in_another_file_is_still_the_template(lined) -> None:
    """When the operator renames a file whose section stays the same, its copy is neither new nor an orphan."""
    (lined.prompts / "STYLE.md").rename(lined.prompts / "style.md")
    assert lined.state("STYLE.md") == "untouched"
    assert actions(lined.memory()) == {}
    lined.write(lined.prompts / "style.md", "Another.\n")
    assert actions(lined.memory()) == {"STYLE.md": "refresh"}


def test_a_dry_run_changes_nothing_and_shows_the_difference(lined) -> None:
    """A dry run says what would be done, with a diff, and writes no byte."""
    lined.write(lined.copies / "STYLE.md", changed(LINES, l7="SEVEN"))
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    lined.write(lined.prompts / "NEWS.md", "News.\n")
    before = lined.tree()
    done = {one.file: one for one in lined.memory().upgrade(dry_run=True)}
    assert lined.tree() == before
    assert {name: one.action for name, one in done.items()} == {"STYLE.md": "merge", "NEWS.md": "copy"}
    assert "-line 2\n+TWO" in done["STYLE.md"].diff
    assert "+News." in done["NEWS.md"].diff


def test_a_copy_that_is_kept_holds_until_it_is_upgraded(lined) -> None:
    """With ``untouched = "keep"`` an untouched copy holds its text, as stale, until the upgrade."""
    lined.configure(memory='untouched = "keep"')
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    assert lined.text("custom_style") == LINES.strip()
    assert "FW026" in [found.code for found in lined.found]
    copy = next(copy for copy in lined.memory().status().copies if copy.file == "STYLE.md")
    assert (copy.state, copy.outcome) == ("outdated", "stale")
    lined.memory().upgrade()
    assert lined.text("custom_style") == changed(LINES, l2="TWO").strip()
    lined.write(lined.prompts / "SAFETY.md", "Be safe.\n")
    assert lined.text("safety") == "Be safe."
    assert not [found for found in lined.found if found.severity == "error"]


def test_a_copy_that_is_no_text_is_not_merged(lined) -> None:
    """Bytes that are no UTF-8 stay as they are: the new text is put beside them."""
    data = changed(LINES, l7="SEVEN").encode() + b"\xff\n"
    lined.write(lined.copies / "STYLE.md", data)
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    assert actions(lined.memory()) == {"STYLE.md": "conflict"}
    assert (lined.copies / "STYLE.md").read_bytes() == data


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_are_no_edit(lined, ends) -> None:
    """A copy that differs in line ends, a byte order mark or blank ends is untouched."""
    data = "\ufeff" + LINES.replace("\n", ends) + ends * 2
    lined.write(lined.copies / "STYLE.md", data)
    assert lined.state("STYLE.md") == "untouched"
    lined.write(lined.prompts / "STYLE.md", "New.\n")
    assert lined.text("custom_style") == "New."
    assert lined.state("STYLE.md") == "outdated"


def test_a_copy_edited_to_say_what_the_template_says_is_untouched(lined) -> None:
    """A copy that equals the present template is untouched whatever its record says."""
    lined.write(lined.prompts / "STYLE.md", "New.\n")
    lined.write(lined.copies / "STYLE.md", "New.\n")
    assert lined.state("STYLE.md") == "untouched"
    assert actions(lined.memory()) == {}


def test_a_missing_base_is_a_conflict_and_no_loss(lined) -> None:
    """Where the text of the recorded base is gone the two texts are put side by side."""
    lined.write(lined.copies / "STYLE.md", changed(LINES, l7="SEVEN"))
    lined.memory().status()
    record = json.loads((lined.kept / "record.json").read_text())
    (lined.kept / "texts" / record["copies"]["STYLE.md"]["base"]).unlink()
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    assert actions(lined.memory()) == {"STYLE.md": "conflict"}


# -- a thousand memories ------------------------------------------------------------------------------

MANY = 1000
KINDS = ("untouched", "mergeable", "conflicting", "deleted", "edited elsewhere", "overridden", "of unknown origin")


def _edit(house, kind: str) -> None:
    """Bring the memory of the house into one of the states."""
    if kind == "mergeable":
        house.write(house.copies / "STYLE.md", changed(LINES, l7="SEVEN"))
    elif kind == "conflicting":
        house.write(house.copies / "STYLE.md", changed(LINES, l2="MINE"))
    elif kind == "deleted":
        (house.copies / "STYLE.md").unlink()
    elif kind == "edited elsewhere":
        house.write(house.copies / "AGENTS.md", "I am my own.\n")
    elif kind == "overridden":
        house.memory().override("custom_style", "My style.", reason="I like it")
    elif kind == "of unknown origin":
        house.write(house.copies / "EXTRA.md", "Extra.\n")


def test_a_thousand_memories_are_upgraded_by_one_command(lined, monkeypatch) -> None:
    """Memories in a mix of states are each upgraded as their own state demands, and those that fail stop no other."""
    memories = lined.home / "memories"
    memories.mkdir()
    fresh = lined.home / "fresh"
    shutil.copytree(lined.root, fresh)
    kinds: dict[str, str] = {}
    broken = {"agent0100": "another agent's", "agent0500": "not created", "agent0900": "a file in the way"}
    for position, kind in enumerate(KINDS):
        shutil.rmtree(lined.root)
        shutil.copytree(fresh, lined.root)
        _edit(lined, kind)
        for number in range(position, MANY, len(KINDS)):
            agent = f"agent{number:04}"
            kinds[agent] = kind
            target = memories / agent
            shutil.copytree(lined.root, target)
            record = target / "souveraine_operations" / ".foreword" / "record.json"
            owner = "somebody" if broken.get(agent) == "another agent's" else agent
            record.write_text(record.read_text().replace('"ada"', json.dumps(owner)))
            if broken.get(agent) == "not created":
                shutil.rmtree(target / "souveraine_operations")
            elif broken.get(agent) == "a file in the way":
                shutil.rmtree(target / "souveraine_operations")
                (target / "souveraine_operations").write_text("in the way")
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    (lined.prompts / "agents" / "ada" / "OUTPUT_PRINCIPLES.md").rename(lined.prompts / "OUTPUT_PRINCIPLES.md")
    monkeypatch.chdir(lined.home)
    result = CliRunner().invoke(
        foreword, ["memory", "upgrade", "--memory", "memories/{agent}", "--json", "--no-plugins"], prog_name="foreword"
    )
    told = json.loads(result.stdout)
    assert result.exit_code == 1, result.output
    assert set(told["failed"]) == set(broken)
    assert "'somebody'" in told["failed"]["agent0100"]
    assert "memory init" in told["failed"]["agent0500"]
    assert "not a directory" in told["failed"]["agent0900"]
    assert len(told["upgraded"]) == MANY - len(broken)
    expected = {
        "untouched": ("refresh", changed(LINES, l2="TWO")),
        "mergeable": ("merge", changed(LINES, l2="TWO", l7="SEVEN")),
        "conflicting": ("conflict", changed(LINES, l2="MINE")),
        "deleted": (None, None),
        "edited elsewhere": ("refresh", changed(LINES, l2="TWO")),
        "overridden": ("refresh", changed(LINES, l2="TWO")),
        "of unknown origin": ("refresh", changed(LINES, l2="TWO")),
    }
    for agent, kind in kinds.items():
        if agent in broken:
            continue
        action, text = expected[kind]
        done = {one["file"]: one["action"] for one in told["upgraded"][agent]}
        assert done.get("STYLE.md") == action, (agent, kind)
        copies = memories / agent / "souveraine_operations" / "prompts"
        assert ((copies / "STYLE.md").read_text() if text is not None else None) == text, (agent, kind)
        assert (copies / "STYLE.md").exists() is (text is not None)
        assert (copies / "STYLE.md.new").exists() is (kind == "conflicting")
        assert ((copies / "AGENTS.md").read_text() == "I am my own.\n") is (kind == "edited elsewhere")
        assert (copies / "EXTRA.md").exists() is (kind == "of unknown origin")
        record = json.loads((copies.parent / ".foreword" / "record.json").read_text())
        journal = sorted(path.name for path in (copies.parent / ".foreword" / "journal").iterdir())
        assert record["agent"] == agent
        assert record["applied"] == len(journal)
    builder = Builder(
        prompts_dir=lined.prompts, memory=memories / "{agent}", plugins=False, on_diagnostic=lambda _: None
    )
    for agent, kind in list(kinds.items())[: 3 * len(KINDS)]:
        status = {copy.file: copy for copy in AgentMemory(agent=agent, builder=builder).status().copies}
        style = status["STYLE.md"]
        states = {"mergeable": "edited", "conflicting": "stale", "deleted": "deleted"}
        assert style.state == states.get(kind, "untouched")
        assert style.unsettled is (kind == "conflicting")


def test_one_command_tells_what_became_of_all(lined, monkeypatch) -> None:
    """The summary counts what was done, names what failed, and a dry run shows the differences and writes nothing."""
    memories = lined.home / "memories"
    for agent in ("ada", "bob", "eve"):
        shutil.copytree(lined.root, memories / agent)
        record = memories / agent / "souveraine_operations" / ".foreword" / "record.json"
        record.write_text(record.read_text().replace('"ada"', json.dumps("bob" if agent == "eve" else agent)))
    (memories / "not an agent").mkdir()
    lined.write(lined.prompts / "STYLE.md", changed(LINES, l2="TWO"))
    monkeypatch.chdir(lined.home)
    command = ["memory", "upgrade", "--memory", "memories/{agent}", "--no-plugins"]
    before = lined.tree(memories)
    result = CliRunner().invoke(foreword, [*command, "--dry-run"], prog_name="foreword")
    assert lined.tree(memories) == before
    assert "-line 2\n+TWO" in result.stdout
    assert "ada: would refresh STYLE.md (custom_style)" in result.stdout
    result = CliRunner().invoke(foreword, command, prog_name="foreword")
    assert result.exit_code == 1
    assert "3 memories: " in result.stdout
    assert "2 × refresh" in result.stdout
    assert "1 failed" in result.stdout
    assert "eve: memories/eve is the memory of 'bob'" in result.stderr
    shutil.rmtree(memories / "eve")
    result = CliRunner().invoke(foreword, command, prog_name="foreword")
    assert (result.exit_code, result.stdout) == (0, "2 memories: nothing to do; 0 failed.\n")


def test_all_memories_need_a_path_with_the_agents_name(lined, monkeypatch) -> None:
    """Without an agent, a path that is one memory is a usage error that says so."""
    monkeypatch.chdir(lined.home)
    result = CliRunner().invoke(foreword, ["memory", "upgrade", "--no-plugins"], prog_name="foreword")
    assert result.exit_code == 2
    assert "--agent NAME" in result.stderr
