"""Overrides: every mode, written by the API or by hand, and what the policy refuses."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import AgentMemory, Builder
from foreword.memory import ChangeRefused, MemoryConflict
from foreword.store._store import StoreError

STYLE = "# Style\n\nHow to write.\n\n## Length\n\nShort.\n\n## Tone\n\nPlain.\n"


def test_each_mode_does_what_it_says(home) -> None:
    """Replace, patch, prepend, append, move, remove and define each show in the next build."""
    memory = home.memory()
    memory.override("identity", "I am somebody else.", mode="replace")
    memory.override("custom_style", "Very short.", mode="patch", heading="Length")
    memory.override("conversation_rules", "First.", mode="prepend")
    memory.override("conversation_rules", "Last.", mode="append")
    memory.override("tool_usage", mode="move", title="My Tools", priority=700)
    memory.override("output_principles", mode="remove")
    memory.override("custom_diary", "Dear diary.", mode="define", priority=800)
    prompt = home.build()
    assert prompt.section("identity").text == "I am somebody else."
    assert "Very short." in prompt.section("custom_style").text
    assert "\nShort." not in prompt.section("custom_style").text
    assert "Plain." in prompt.section("custom_style").text
    assert prompt.section("conversation_rules").text.startswith("First.\n\n")
    assert prompt.section("conversation_rules").text.endswith("\n\nLast.")
    assert (prompt.section("tool_usage").title, prompt.section("tool_usage").priority) == ("My Tools", 700)
    assert "output_principles" not in [section.id for section in prompt.sections]
    assert prompt.section("custom_diary").priority == 800
    assert set(home.outcomes().values()) == {"applied"}
    assert not home.found


def test_a_second_patch_of_another_heading_is_a_second_edit(home) -> None:
    """Patches of two headings both hold; a second one of the same heading takes the place of the first."""
    memory = home.memory()
    memory.override("custom_style", "Very short.", mode="patch", heading="Length")
    memory.override("custom_style", "Warm.", mode="patch", heading="Tone")
    text = home.text("custom_style")
    assert "Very short." in text
    assert "Warm." in text
    memory.override("custom_style", "Long.", mode="patch", heading="Length")
    text = home.text("custom_style")
    assert "Long." in text
    assert "Warm." in text
    assert "Very short." not in text
    assert len(home.outcomes()) == 2
    assert b"Very short." in b"".join(home.texts())


def test_headings_that_look_alike_get_files_of_their_own(home) -> None:
    """Two headings whose file names would be one are two edits all the same."""
    home.write(home.prompts / "STYLE.md", "## A b\n\nx\n\n## A.b\n\ny\n")
    memory = home.memory()
    memory.override("custom_style", "one", mode="patch", heading="A b")
    memory.override("custom_style", "two", mode="patch", heading="A.b")
    assert len(home.outcomes()) == 2
    assert "one" in home.text("custom_style")
    assert "two" in home.text("custom_style")


def test_texts_put_before_and_after_add_up(home) -> None:
    """A second append does not replace the first."""
    memory = home.memory()
    memory.override("custom_style", "one", mode="append")
    memory.override("custom_style", "two", mode="append")
    assert home.text("custom_style").endswith("one\n\ntwo")


def test_many_appended_texts_stand_in_the_order_in_which_they_came(home) -> None:
    """The eleventh text that is put after a section stands after the tenth."""
    memory = home.memory()
    words = [f"word {number}" for number in range(1, 12)]
    for word in words:
        memory.override("custom_style", word, mode="append")
    assert home.text("custom_style").endswith("\n\n".join(words))


def test_a_second_replacement_takes_the_place_of_the_first(home) -> None:
    """There is one replacing text, whichever mode it was given in and however its file is named."""
    home.write(home.overrides / "mine.md", "---\nid: identity\nmode: replace\n---\nBy hand.\n")
    assert home.text("identity") == "By hand."
    home.memory().override("identity", "By the API.")
    assert home.text("identity") == "By the API."
    home.memory().override("identity", mode="remove")
    assert "identity" not in [section.id for section in home.build().sections]
    assert len(home.outcomes()) == 1
    assert b"".join(home.texts()).count(b"By hand.") == 1


def test_the_prose_of_a_tool_is_overridden_like_a_section(home) -> None:
    """Prose for a tool comes from the prompts directory, the copy or the override, the highest winning."""
    assert home.build().tools["read"] == "Read whole files."
    home.write(home.prompts / "agents" / "ada" / "tools" / "read.md", "Ada reads.\n")
    assert home.build().tools["read"] == "Ada reads."
    home.memory().upgrade()
    home.write(home.copies / "tools" / "read.md", "I read.\n")
    assert home.build().tools["read"] == "I read."
    home.memory().override("tools/read", "I read twice.")
    assert (home.overrides / "tools" / "read.md").read_text() == "I read twice.\n"
    assert home.build().tools["read"] == "I read twice."
    home.memory().override("tools/read", "And slowly.", mode="append")
    assert home.build().tools["read"] == "I read twice.\n\nAnd slowly."
    home.memory().revert(home.memory().history()[-1].n)
    home.memory().override("tools/read", mode="remove")
    assert "read" not in home.build().tools
    home.memory().override("tools/new", "A new tool.")
    assert home.build().tools["new"] == "A new tool."


@pytest.mark.parametrize(
    ("id", "text", "mode", "heading", "why"),
    [
        ("safety", "Anything goes.", None, None, "policy"),
        ("safety", "Anything goes.", "append", None, "policy"),
        ("safety", "", "remove", None, "policy"),
        ("custom_style", "x", "patch", "Nowhere", "there 0 times"),
        ("custom_style", "x", "patch", None, "names the heading"),
        ("custom_nowhere", "x", "append", None, "no lower layer"),
        ("identity", "x", "define", None, "stands already"),
        ("custom_style", "", None, None, "empty"),
        ("custom_style", "   \n", "append", None, "empty"),
        ("a//b", "x", None, None, "failed|empty"),
        ("\u202eevil", "x", None, None, "failed|control|format"),
    ],
)
def test_what_does_not_hold_is_refused_at_the_write(home, id, text, mode, heading, why) -> None:
    """An override that the policy forbids, or that has no target or no text, is refused with the reason."""
    before = home.tree(home.overrides)
    with pytest.raises(ChangeRefused, match=why):
        home.memory().override(id, text, mode=mode, heading=heading)
    assert home.tree(home.overrides) == before
    assert [entry.what for entry in home.memory().history()] == ["create"]


def test_a_reserved_title_is_refused_at_the_write(home) -> None:
    """The agent cannot give its section a title of the operator's."""
    with pytest.raises(ChangeRefused, match="belongs to the operator"):
        home.memory().override("custom_diary", "Dear diary.", title="SAFETY guidelines")


def test_what_the_operator_opens_may_be_written(home) -> None:
    """What ``others_may`` names is taken, also of a locked section."""
    home.configure('[sections.safety]\nothers_may = ["append"]\n')
    home.memory().override("safety", "And be kind.", mode="append")
    assert home.text("safety").endswith("And be kind.")
    with pytest.raises(ChangeRefused, match="policy"):
        home.memory().override("safety", "x")


def test_a_title_alone_moves_and_keeps_the_text(home) -> None:
    """An override without text that gives a title or a place changes just that, and no text that stood is lost."""
    home.memory().override("custom_style", "My style.")
    home.memory().override("custom_style", title="Mine")
    section = home.build().section("custom_style")
    assert (section.title, section.text) == ("Mine", "My style.")


def test_read_only_files_are_not_touched(home) -> None:
    """Where a copy, an override or a pinned file says read_only, the API changes nothing of its section."""
    home.write(home.copies / "STYLE.md", "---\nread_only: true\n---\n" + STYLE)
    home.write(home.overrides / "AGENTS.md", "---\nread_only: true\n---\nI for good.\n")
    home.write(home.root / "MEMORY.md", "# Index\n")
    home.write(home.root / "PERSONA.md", "---\nread_only: true\n---\nWho I am.\n")
    for id in ("custom_style", "identity", "memory/PERSONA"):
        with pytest.raises(ChangeRefused, match="read_only"):
            home.memory().override(id, "x", mode="append")
    entries = {entry.what.rpartition(" ")[2]: entry.n for entry in home.memory().history()}
    with pytest.raises(ChangeRefused, match="read_only"):
        home.memory().revert(entries["prompt-overrides/AGENTS.md"])
    home.write(home.prompts / "STYLE.md", STYLE.replace("Plain.", "Warm."))
    assert [one.action for one in home.memory().upgrade()] == ["conflict"]
    with pytest.raises(ChangeRefused, match="read_only"):
        home.memory().settle("custom_style", "new")
    assert (home.copies / "STYLE.md").read_text() == "---\nread_only: true\n---\n" + STYLE


def test_a_change_of_what_was_read_is_a_conflict(home) -> None:
    """With if_match an override is written only where nothing was written since it was read."""
    mine, other = home.memory(), home.memory()
    seen = mine.section("custom_style")
    other.override("custom_style", "Other's.")
    with pytest.raises(MemoryConflict, match="changed by somebody else"):
        mine.override("custom_style", "Mine.", if_match=seen.match)
    assert home.text("custom_style") == "Other's."
    mine.override("custom_style", "Mine.", if_match=mine.section("custom_style").match)
    assert home.text("custom_style") == "Mine."
    seen = mine.section("custom_style")
    home.write(home.overrides / "style.md", "By hand.\n")
    with pytest.raises(MemoryConflict):
        mine.override("custom_style", "Mine again.", if_match=seen.match)
    assert home.text("custom_style") == "By hand."


def test_an_override_of_a_changed_text_is_stale(home) -> None:
    """When the text below an override changes it stays in effect, and build and status say so."""
    home.memory().override("custom_style", "My style.")
    home.memory().override("identity", "Me too.", mode="append")
    home.write(home.prompts / "STYLE.md", "The operator's new style.\n")
    assert home.text("custom_style") == "My style."
    assert "FW026" in [found.code for found in home.found]
    status = home.memory().status()
    assert {one.id: (one.outcome, one.stale) for one in status.overrides} == {
        "custom_style": ("stale", True),
        "identity": ("applied", False),
    }
    home.memory().override("custom_style", "My newer style.")
    assert home.outcomes()["style.md"] == "applied"


def test_an_override_whose_copy_is_edited_below_it_is_stale(home) -> None:
    """The text below an override is what the copy makes of it."""
    home.memory().override("identity", "And more.", mode="append")
    home.write(home.copies / "AGENTS.md", "I am my own.\n")
    assert home.text("identity") == "I am my own.\n\nAnd more."
    assert list(home.outcomes().values()) == ["stale"]


def test_a_file_that_came_to_those_that_were_read_is_a_conflict(home) -> None:
    """With if_match an addition by somebody else to the same section stands in the way too, one elsewhere does not."""
    mine, other = home.memory(), home.memory()
    seen = mine.section("custom_style")
    other.override("identity", "Elsewhere.", mode="append")
    mine.override("custom_style", "One.", mode="append", if_match=seen.match)
    with pytest.raises(MemoryConflict, match="append-001"):
        mine.override("custom_style", "Two.", mode="append", if_match=seen.match)
    with pytest.raises(MemoryConflict):
        mine.override("custom_style", "Two.", mode="append", if_match={})


# -- files that the agent writes past foreword -------------------------------------------------------


@pytest.mark.parametrize("name", ["SAFETY.md", "safety.md", "Safety.MD", "x.md"])
@pytest.mark.parametrize("place", ["prompts", "prompt-overrides"])
def test_a_locked_section_stays_the_operators_whatever_the_file(home, place, name) -> None:
    """A copy or an override of a locked section is refused by the build, however it is named, and status says so."""
    expected = home.text("safety")
    folder = home.root / "souveraine_operations" / place
    data = "---\nid: safety\n---\nAnything goes.\n" if name == "x.md" else "Anything goes.\n"
    home.write(folder / name, data)
    assert home.text("safety") == expected
    status = home.memory().status()
    if place == "prompts" and name == "x.md":
        assert "Anything goes." in home.text("custom_x")
        return
    rows = status.copies if place == "prompts" else status.overrides
    row = next(row for row in rows if row.file == name)
    assert (row.id, row.outcome) == ("safety", "refused")
    assert "policy" in row.reason
    assert any("policy" in problem for problem in status.problems)


def test_a_deleted_or_renamed_copy_takes_nothing_away(home) -> None:
    """Deleting a copy or renaming it away leaves the operator's text; under a new name it is a section of its own."""
    before = home.text("safety")
    (home.copies / "SAFETY.md").rename(home.copies / "MINE.md")
    (home.copies / "AGENTS.md").unlink()
    prompt = home.build()
    assert prompt.section("safety").text == before
    assert prompt.section("identity").text
    assert home.state("SAFETY.md") == "deleted"
    assert home.state("AGENTS.md") == "deleted"
    assert home.state("MINE.md") == "unknown origin"
    assert prompt.section("custom_mine").title == "MINE"


def test_a_copy_renamed_over_another_is_an_edit_of_it(home) -> None:
    """Renaming one copy over a locked one is refused like any other edit of it."""
    before = home.text("safety")
    os.replace(home.copies / "STYLE.md", home.copies / "SAFETY.md")
    assert home.text("safety") == before
    copy = next(copy for copy in home.memory().status().copies if copy.file == "SAFETY.md")
    assert (copy.state, copy.outcome) == ("edited", "refused")


@pytest.mark.parametrize("place", ["prompts", "prompt-overrides"])
def test_a_directory_in_place_of_a_file_is_named(home, place) -> None:
    """A directory that has a file's name takes nothing away, and both build and status name it."""
    before = home.text("safety")
    target = home.root / "souveraine_operations" / place / "SAFETY.md"
    target.unlink(missing_ok=True)
    target.mkdir(parents=True)
    home.write(target / "x.md", "Anything goes.\n")
    assert home.text("safety") == before
    assert any("SAFETY.md" in str(found) for found in home.found)
    assert any("SAFETY.md" in problem for problem in home.memory().status().problems)


@pytest.mark.parametrize("place", ["prompts", "prompt-overrides"])
def test_a_link_out_of_the_memory_is_refused(home, place) -> None:
    """A link to a file elsewhere is not read, and status names it."""
    before = home.text("identity")
    home.write(home.home / "secret.md", "What ada must not see.\n")
    target = home.root / "souveraine_operations" / place / "AGENTS.md"
    target.unlink(missing_ok=True)
    target.parent.mkdir(exist_ok=True)
    target.symlink_to(home.home / "secret.md")
    prompt = home.build()
    assert prompt.section("identity").text == before
    assert "must not see" not in prompt.text
    assert any("AGENTS.md" in problem for problem in home.memory().status().problems)
    assert not any(b"must not see" in path.read_bytes() for path in (home.kept / "texts").iterdir())


def test_a_link_inside_the_memory_is_read_and_never_written_through(home) -> None:
    """A copy that is a link to another file of the memory counts by its text, and an upgrade leaves both alone."""
    home.write(home.root / "elsewhere.md", "My style.\n")
    (home.copies / "STYLE.md").unlink()
    (home.copies / "STYLE.md").symlink_to("../../elsewhere.md")
    assert home.text("custom_style") == "My style."
    assert home.state("STYLE.md") == "edited"
    home.write(home.prompts / "STYLE.md", "New.\n")
    assert [one.action for one in home.memory().upgrade()] == ["conflict"]
    assert (home.root / "elsewhere.md").read_text() == "My style.\n"
    assert (home.copies / "STYLE.md").is_symlink()
    home.overrides.mkdir(exist_ok=True)
    (home.overrides / "style.md").symlink_to("../../elsewhere.md")
    with pytest.raises(StoreError, match="link"):
        home.memory().override("custom_style", "x")


def test_a_directory_swapped_for_a_link_is_not_followed_out(home) -> None:
    """Where the directory of overrides is a link that leads out, neither the build nor a command goes there."""
    home.write(home.home / "outside" / "AGENTS.md", "From outside.\n")
    home.overrides.symlink_to(home.home / "outside")
    before = home.tree(home.home / "outside")
    assert "From outside." not in home.build().text
    with pytest.raises(StoreError, match="link"):
        home.memory().override("identity", "x")
    assert any("prompt-overrides" in problem for problem in home.memory().status().problems)
    assert home.tree(home.home / "outside") == before


def test_what_is_no_file_at_all_is_no_harm(home) -> None:
    """A FIFO or a file where a directory should be stops neither the build nor status."""
    os.mkfifo(home.copies / "FIFO.md")
    (home.copies / "tools" / "read.md").unlink()
    (home.copies / "tools").rmdir()
    home.write(home.copies / "tools", "a file")
    assert home.build().tools["read"] == "Read whole files."
    assert any("FIFO.md" in problem for problem in home.memory().status().problems)
    assert home.memory().override("custom_style", "x").n


@pytest.mark.parametrize("name", ["Größe.md", "Gro\u0308ße.md", "日本語.md", "my rules.md"])
def test_names_of_any_script_are_sections(home, name) -> None:
    """A file whose name has letters of any script is a section, and its changes stand in the journal."""
    home.write(home.overrides / name, "Ja.\n")
    status = home.memory().status()
    assert [(one.file, one.outcome) for one in status.overrides] == [(name, "applied")]
    id = status.overrides[0].id
    assert home.text(id) == "Ja."
    assert [entry.what for entry in home.memory().history(id)][1:] == [f"added past foreword: prompt-overrides/{name}"]
    home.memory().override(id, "Nein.")
    assert home.text(id) == "Nein."
    assert len(home.memory().status().overrides) == 1


def test_two_files_of_one_id_are_a_conflict_that_an_override_ends(home) -> None:
    """Two replacing files of one section cancel each other; an override by the API takes the place of both."""
    home.write(home.overrides / "my_rules.md", "one\n")
    home.write(home.overrides / "My_Rules.md", "two\n")
    assert set(home.outcomes().values()) == {"conflict"}
    home.memory().override("custom_my_rules", "three")
    assert home.text("custom_my_rules") == "three"
    assert list(home.outcomes().values()) == ["applied"]


def test_broken_files_are_failed_and_status_says_so(home) -> None:
    """A file that is not UTF-8, or whose front matter is wrong, has failed: the text below stands."""
    before = home.text("identity")
    home.write(home.copies / "AGENTS.md", b"\xff\xfe broken")
    home.write(home.overrides / "AGENTS.md", "---\nmode: sideways\n---\nx\n")
    assert home.text("identity") == before
    status = home.memory().status()
    assert [one.outcome for one in status.overrides] == ["failed"]
    assert next(copy for copy in status.copies if copy.file == "AGENTS.md").outcome == "failed"


def test_files_that_a_build_does_not_read_are_no_overrides(home) -> None:
    """Read-me files, hidden files and what editors leave behind are neither overrides nor copies."""
    for name in ("README.md", ".hidden.md", "#AGENTS.md#", "AGENTS.md~", "AGENTS.md.bak"):
        home.write(home.overrides / name, "x\n")
        home.write(home.copies / name, "x\n")
    status = home.memory().status()
    assert not status.overrides
    assert not [copy for copy in status.copies if copy.state != "untouched"]
    assert [entry.what for entry in home.memory().history()] == ["create"]


# -- the text comes back as it was given -------------------------------------------------------------


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"]) | st.sampled_from("\n-:#{}"),
        min_size=1,
    ),
    mode=st.sampled_from([None, "append", "prepend"]),
)
def test_any_text_is_written_so_that_it_is_read_as_it_was(fast_path, text, mode) -> None:
    """Whatever an override says, also what looks like front matter, is what the section's source says afterwards."""
    root = fast_path / "memory"
    if not root.exists():
        AgentMemory.create(root, "ada", builder=Builder(memory=_made(root), plugins=False))
    memory = AgentMemory(agent="ada", builder=Builder(memory=root, plugins=False, on_diagnostic=lambda _: None))
    try:
        memory.override("custom_any", "x", reason="a text to stand on")
        memory.override("custom_any", "---\n---\n" + text)
    except ChangeRefused:
        return
    source = memory.section("custom_any").source
    assert source == ("---\n---\n" + text).strip()
    if mode is not None:
        memory.override("identity", text, mode=mode)
        source = memory.section("identity").source
        assert source is not None
        assert (source.endswith if mode == "append" else source.startswith)(text.strip())
        memory.revert(memory.history()[-1].n)


def _made(root):
    root.mkdir(parents=True, exist_ok=True)
    return root
