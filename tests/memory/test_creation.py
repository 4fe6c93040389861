"""Creating a memory: all templates or none, and nothing that was there is touched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from foreword import AgentMemory, ConfigError
from foreword.memory import AgentMemoryError
from foreword.store._store import StoreError
from foreword.store._system import System

FILES = {
    "AGENTS.md",
    "CONVERSATION_RULES.md",
    "IDENTITY.md",
    "OUTPUT_PRINCIPLES.md",
    "SAFETY.md",
    "STYLE.md",
    "TOOL_USAGE.md",
    "tools/read.md",
}


def test_every_section_of_the_operator_is_copied(house) -> None:
    """A new memory holds one copy of each section of the builtin, project and agent layers, and all are untouched."""
    house.create()
    assert {path.relative_to(house.copies).as_posix() for path in house.copies.rglob("*.md")} == FILES
    status = house.memory().status()
    assert (status.agent, status.created) == ("ada", True)
    assert {copy.file: copy.state for copy in status.copies} == dict.fromkeys(FILES, "untouched")
    assert not status.overrides
    assert not status.pending
    assert not status.problems


def test_the_prompt_is_the_same_before_and_after(house) -> None:
    """Copies that nobody has edited change no byte of the prompt, and none of the prose for tools."""
    before = house.build()
    house.create()
    after = house.build()
    assert after.text == before.text
    assert after.tools == before.tools


def test_placeholders_stay_templates_in_the_copies(home) -> None:
    """A copy holds the variables as they are written, and the word None is nowhere."""
    assert "I am {{ agent_name }}, of seed {{ seed_key }}." in (home.copies / "IDENTITY.md").read_text()
    assert "{{ agent_name }}" in (home.copies / "OUTPUT_PRINCIPLES.md").read_text()
    prompt = home.build()
    assert "I am ada, of seed {{ seed_key }}." in prompt.text
    assert "of seed k-7." in home.build(variables={"seed_key": "k-7"}).text
    assert "None" not in prompt.text
    assert not any(b"None" in text for text in home.texts())


def test_an_edited_copy_is_rendered_when_the_prompt_is_built(home) -> None:
    """Placeholders that the agent keeps in its copy are resolved in the next build."""
    home.write(home.copies / "IDENTITY.md", "{{ agent_name }} again, seed {{ seed_key }}.\n")
    assert home.build(variables={"seed_key": "k-7"}).section("agent_identity").text == "ada again, seed k-7."


def test_running_it_again_changes_no_byte(home) -> None:
    """A second creation leaves the whole tree as it is, also where files were changed past foreword since."""
    home.memory().override("custom_style", "Mine.", reason="r")
    home.write(home.copies / "AGENTS.md", "I am my own.\n")
    (home.copies / "SAFETY.md").unlink()
    home.write(home.overrides / "LATER.md", "Later.\n")
    before = home.tree()
    home.create()
    home.create()
    assert home.tree() == before


def test_what_the_memory_already_held_stays(house) -> None:
    """Files and overrides that were there before stay byte for byte, and the overrides hold."""
    house.write(house.root / "MEMORY.md", "# index\n")
    house.write(house.root / "notes" / "a.txt", b"\xff\x00")
    house.write(house.overrides / "CONVERSATION_RULES.md", "Say little.\n")
    before = house.tree()
    house.create()
    after = house.tree()
    assert {name: after[name] for name in before} == before
    assert house.text("conversation_rules") == "Say little."
    entries = house.memory().history()
    assert [entry.what for entry in entries] == [
        "create",
        "added past foreword: prompt-overrides/CONVERSATION_RULES.md",
    ]


def test_copies_without_a_record_are_kept_and_the_missing_ones_are_made(house) -> None:
    """Where copies lie already each stays as it is; one that equals its template is known again, others are not."""
    house.write(house.copies / "STYLE.md", (house.prompts / "STYLE.md").read_bytes())
    house.write(house.copies / "AGENTS.md", "My own words.\n")
    house.write(house.copies / "OTHER.md", "Something else.\n")
    house.create()
    assert (house.copies / "AGENTS.md").read_text() == "My own words.\n"
    states = {copy.file: copy.state for copy in house.memory().status().copies}
    assert set(states) == {*FILES, "OTHER.md"}
    assert states.pop("AGENTS.md") == "unknown origin"
    assert states.pop("OTHER.md") == "unknown origin"
    assert set(states.values()) == {"untouched"}
    assert house.text("identity") == "My own words."
    house.write(house.prompts / "STYLE.md", "Another style.\n")
    assert house.state("STYLE.md") == "outdated"
    before = house.tree()
    house.create()
    assert house.tree() == before


def test_an_empty_directory_of_copies_is_filled(house) -> None:
    """A directory for the copies that somebody made before counts as no copies."""
    house.copies.mkdir(parents=True)
    house.create()
    assert set(house.memory().copies()) == FILES


def test_another_agents_name_is_refused(home) -> None:
    """A memory is one agent's: for another name everything is refused, and nothing is written."""
    before = home.tree()
    with pytest.raises(AgentMemoryError, match="memory of 'ada', not of 'bob'"):
        home.create("bob")
    for act in (
        lambda memory: memory.override("custom_style", "x"),
        lambda memory: memory.upgrade(),
        lambda memory: memory.upgrade(dry_run=True),
        lambda memory: memory.status(),
        lambda memory: memory.revert(1),
    ):
        with pytest.raises(AgentMemoryError, match="memory of 'ada'"):
            act(home.memory(agent="bob"))
    assert home.tree() == before
    home.write(home.copies / "STYLE.md", "Ada's style.\n")
    assert home.build("bob").section("custom_style").text != "Ada's style."
    assert [found.code for found in home.found if found.severity == "error"] == ["FW041"]


def test_a_name_that_is_none_is_refused(house) -> None:
    """An agent without a proper name has no memory."""
    for name in ("", "../up", ".hidden", "a/b"):
        with pytest.raises(ConfigError):
            house.create(name)
    with pytest.raises(ConfigError, match="needs a path"):
        AgentMemory(agent="ada")
    assert house.tree() == {}


def test_a_memory_is_made_where_a_path_says(tmp_path: Path) -> None:
    """Without a builder the path alone is enough, with the agent's name in it."""
    memory = AgentMemory.create(tmp_path / "of" / "{agent}", "ada")
    assert (tmp_path / "of" / "ada" / "souveraine_operations" / "prompts" / "SAFETY.md").is_file()
    assert memory.status().created


def test_nothing_can_be_changed_before_the_creation(house) -> None:
    """A memory without copies says how they are made."""
    memory = house.memory()
    assert memory.status().created is False
    for act in (
        lambda: memory.override("custom_style", "x"),
        lambda: memory.upgrade(),
        lambda: memory.upgrade(dry_run=True),
    ):
        with pytest.raises(AgentMemoryError, match="foreword memory init"):
            act()
    assert house.tree() == {}


class _Failing(System):
    """The disk fails at the rename that ends a creation."""

    def rename(self, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")


def test_a_creation_that_fails_leaves_none_of_it(house) -> None:
    """Where the last step fails there are no copies, and no record that counts; the next creation is whole."""
    with pytest.raises(StoreError):
        house.create(system=_Failing())
    assert not house.copies.exists()
    assert house.memory().status().created is False
    house.create()
    assert {copy.state for copy in house.memory().status().copies} == {"untouched"}
    assert [entry.what for entry in house.memory().history()] == ["create"]


def test_a_record_without_copies_is_none(home) -> None:
    """Where the copies' directory is gone the memory counts as not created, and can be made again."""
    shutil.rmtree(home.copies)
    assert home.memory().status().created is False
    home.create()
    assert set(home.memory().copies()) == FILES


def test_a_damaged_record_is_none(home) -> None:
    """With a damaged record every edited copy is of unknown origin, an equal one untouched, and nothing is lost."""
    home.write(home.copies / "AGENTS.md", "Mine.\n")
    home.write(home.kept / "record.json", "{")
    assert home.text("identity") == "Mine."
    assert home.state("AGENTS.md") == "unknown origin"
    assert home.state("STYLE.md") == "untouched"
    assert b"Mine.\n" in home.texts()
    assert home.memory().override("custom_style", "x").n > 1
    json.loads((home.kept / "record.json").read_text())


def test_sections_in_mode_jinja_are_not_copied(house) -> None:
    """A copy is read in mode names, so a Jinja template has none."""
    house.write(house.prompts / "STYLE.md", "---\ntemplate: jinja\n---\n{% if 1 %}Yes.{% endif %}\n")
    house.create()
    assert set(house.memory().copies()) == FILES - {"STYLE.md"}


def test_a_text_that_begins_like_front_matter_is_copied_truly(house) -> None:
    """A template whose text begins with a line of dashes comes back from its copy as it was."""
    house.write(house.prompts / "STYLE.md", "---\n---\n---\nmode: remove\n---\nText.\n")
    before = house.text("custom_style")
    house.create()
    assert house.state("STYLE.md") == "untouched"
    assert house.text("custom_style") == before


def test_skills_are_not_copied(house) -> None:
    """A skill given whole is a third party's text, whatever its layer: the memory has no copy of it."""
    house.write(house.home / "skills" / "s" / "SKILL.md", "---\nname: s\ndescription: d\n---\nDo it.\n")
    house.configure('[skills]\nroots = ["skills"]\nmode = "full"\n')
    assert house.build().section("skills/s").text
    house.create()
    assert set(house.memory().copies()) == FILES
