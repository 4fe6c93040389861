"""A builder that is kept: single cases in which what it knows from before must not count."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, ConfigError, Prompt, Section
from foreword._diagnostics import Diagnostic
from foreword._shared import Shared

CONFIG = 'prompts_dir = "prompts"\n[memory]\npath = "memory"\n[skills]\nroots = ["memory/skills"]\n'
BY_CONTENT = '[files]\nvalidate = "content"\n'
NAMESPACE = "memory/souveraine_operations"
FILES = {
    "prompts/rules.md": "rules",
    "prompts/values.md": "one {{ x }}",
    "prompts/a.md": "same",
    "prompts/b.md": "same",
    "memory/system/persona.md": "persona",
    "memory/system/deep/er.md": "deep",
    f"{NAMESPACE}/prompts/rules.md": "mine",
}


class Home:
    """A configuration and its directories, and a builder that is kept."""

    def __init__(self, path: Path, more: str = "", config: str = CONFIG) -> None:
        self.path = path
        for name, text in {**FILES, "foreword.toml": config + more}.items():
            self.write(name, text)
        (path / "memory" / "skills").mkdir(exist_ok=True)
        self.settle()
        self.warm = self.builder()

    def builder(self, told: Callable[[Diagnostic], object] = lambda _: None) -> Builder:
        """A builder that has built nothing."""
        return Builder.from_config(self.path / "foreword.toml", plugins=False, on_diagnostic=told)

    def write(self, name: str, text: str) -> None:
        """Write a file, in place where it is there."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def settle(self) -> None:
        """Wait until the times of files can be relied on."""
        time.sleep(0.03)

    def warm_up(self, *agents: str | None) -> None:
        """Build until the kept builder needs evidence only."""
        for agent in agents * 3:
            self.warm.build(agent)

    def same(self, agent: str | None, **given: Any) -> Prompt:
        """Check that the kept builder gives what a new one does, and return it."""
        warm, cold = self.warm.build(agent, **given), self.builder().build(agent, **given)
        assert said(warm) == said(cold)
        return warm


def said(prompt: Prompt) -> object:
    """All that a prompt says."""
    return prompt.text, dict(prompt.tools), prompt.diagnostics, [str(one) for one in prompt.explain()]


@pytest.fixture(params=["", BY_CONTENT], ids=["stat", "content"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """A home, with files compared by stamp or by content."""
    return Home(tmp_path, request.param)


# -- what a call gave ------------------------------------------------------------------------------


def test_the_variables_of_a_call_count_for_that_call(home: Home) -> None:
    """However often a prompt was built with a variable, it is not there in a build without it."""
    for agent in (None, "ada"):
        for _ in range(3):
            assert "one 1" in home.same(agent, variables={"x": 1}).text
        assert "one {{ x }}" in home.same(agent).text
        assert "one {{ x }}" in home.same(agent, variables={"y": 1}).text


@pytest.mark.parametrize(
    ("first", "second"), [(0.0, -0.0), (-0.0, 0.0), (1, True), (True, 1), (0, False), (1, 1.0), ("1", 1)]
)
def test_variables_that_are_equal_do_not_read_alike(home: Home, first: Any, second: Any) -> None:
    """A value that is equal to that of the build before, and reads otherwise, is seen."""
    for value in (first, first, second, second, first):
        assert f"one {value}" in home.same("ada", variables={"x": value}).text


PLUGIN = """
@hookimpl
def foreword_variables():
    return {"acme_values.x": "theirs"}
"""


def test_who_gave_a_variable_counts(site: Any, tmp_path: Path) -> None:
    """A plugin's variable does not reach a locked section, and the caller's of the same value does, in either order."""
    site.add("acme-values", PLUGIN)
    locked = '[sections.safety]\neditable_by = ["builtin", "project"]\n'
    (tmp_path / "prompts").mkdir()
    (tmp_path / "foreword.toml").write_text(f'prompts_dir = "prompts"\n{locked}')
    (tmp_path / "prompts" / "SAFETY.md").write_text("Safe: {{ acme_values.x }}.")

    def builder() -> Builder:
        return Builder.from_config(tmp_path / "foreword.toml", on_diagnostic=lambda _: None)

    calls: list[dict[str, Any]] = [{}, {"variables": {"acme_values.x": "theirs"}}]
    texts = [builder().build("ada", **given).text for given in calls]
    assert ["Safe: theirs." in text for text in texts] == [False, True]
    for order in ([0, 0, 1, 1, 0], [1, 1, 0, 0, 1]):
        warm = builder()
        for call in order:
            assert warm.build("ada", **calls[call]).text == texts[call]


# -- what others have built ------------------------------------------------------------------------


def record(base: str) -> str:
    """A record that says from which text the copy was made."""
    copy = {"id": "custom_rules", "base": hashlib.sha256(base.encode()).hexdigest(), "title": "R", "priority": 300}
    return json.dumps({"version": 1, "agent": None, "copies": {"rules.md": copy}})


def test_a_file_that_another_agent_has_read_anew_has_changed_for_all(home: Home) -> None:
    """Agents with one memory see its record change, whichever of them builds first."""
    name = f"{NAMESPACE}/.foreword/record.json"
    home.write(name, record("mine"))
    home.settle()
    home.warm_up(None, "ada", "bea")
    for text in ("other", "mine", "other"):
        home.write(name, record(text))
        home.settle()
        for agent in ("ada", None, "bea", "ada"):
            home.same(agent)


def test_a_build_during_a_batch_is_no_evidence_for_it(home: Home) -> None:
    """Where a callback builds while a batch is on its way, the batch's prompts are not taken for newer ones."""
    home.write("prompts/README.md", "It explains.")
    home.settle()
    home.warm.build("ada")
    texts = iter(("two", "three"))

    def told(_: Diagnostic) -> None:
        if (text := next(texts, None)) is not None:
            home.write("prompts/values.md", text)
            home.settle()
            home.warm.build("bea")

    home.warm._telling._on_diagnostic = told
    home.warm.build_many(["cid", "ada"])
    home.warm._telling._on_diagnostic = lambda _: None
    for agent in ("ada", "bea", "cid", "ada"):
        home.same(agent)


# -- what is the same text and not the same file ------------------------------------------------------


def test_a_second_name_with_the_same_text_is_seen(home: Home) -> None:
    """A file that becomes another name of one beside it is left out, also where the texts are equal."""
    home.warm_up("ada")
    assert "custom_b" in [one.id for one in home.same("ada").sections]
    os.link(home.path / "prompts" / "a.md", home.path / "prompts" / "spare")
    os.rename(home.path / "prompts" / "spare", home.path / "prompts" / "b.md")
    home.settle()
    for _ in range(3):
        prompt = home.same("ada")
        assert "FW019" in [one.code for one in prompt.diagnostics]
        assert "custom_b" not in [one.id for one in prompt.sections]
    (home.path / "prompts" / "b.md").unlink()
    home.write("prompts/b.md", "same")
    home.settle()
    assert "custom_b" in [one.id for one in home.same("ada").sections]


def test_what_is_left_out_may_become_a_link(home: Home) -> None:
    """A root of skills in the memory that becomes a link to pinned files takes them out of the pinned ones."""
    home.warm_up("ada")
    assert "memory/deep/er" in [one.id for one in home.same("ada").sections]
    (home.path / "memory" / "skills").rmdir()
    (home.path / "memory" / "skills").symlink_to("system/deep")
    home.settle()
    for _ in range(3):
        assert "memory/deep/er" not in [one.id for one in home.same("ada").sections]


def test_a_memory_that_is_moved_into_the_prompts_is_refused(tmp_path: Path) -> None:
    """Where every path still leads to the same files, a memory that now lies among the prompts is seen."""
    home = Home(tmp_path / "home", config='prompts_dir = "prompts"\n[memory]\npath = "memory"\n')
    (tmp_path / "far").mkdir()
    os.rename(home.path / "memory", tmp_path / "far" / "memory")
    (home.path / "memory").symlink_to(tmp_path / "far" / "memory")
    (home.path / "prompts" / "agents" / "zed").mkdir(parents=True)
    home.settle()
    home.warm_up("ada")
    os.rename(tmp_path / "far", home.path / "prompts" / "agents" / "zed" / "far")
    (tmp_path / "far").symlink_to(home.path / "prompts" / "agents" / "zed" / "far")
    home.settle()
    for builder in (home.builder(), home.warm):
        with pytest.raises(ConfigError, match="lies inside"):
            builder.build("ada")


def test_an_answer_that_was_refused_gives_way_to_the_one_before(home: Home) -> None:
    """A record that is a link out of the memory for a while, and then is what it was, is read again."""
    name = home.path / NAMESPACE / ".foreword" / "record.json"
    home.write(f"{NAMESPACE}/.foreword/record.json", json.dumps({"version": 1, "agent": "bea"}))
    home.settle()
    home.warm_up("ada")
    os.rename(name, name.with_name("kept"))
    name.symlink_to("/etc/hostname")
    home.settle()
    for _ in range(3):
        assert "FW041" not in [one.code for one in home.same("ada").diagnostics]
    os.rename(name.with_name("kept"), name)
    home.settle()
    assert "FW041" in [one.code for one in home.same("ada").diagnostics]


# -- what is given again -----------------------------------------------------------------------------


def test_a_build_that_finds_nothing_changed_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the times are settled, the same prompt comes back without a file or a directory being opened."""
    home = Home(tmp_path)
    home.warm_up("ada", None)
    prompts = [home.warm.build(agent) for agent in ("ada", None)]
    monkeypatch.setattr(os, "open", lambda *_, **__: pytest.fail("something was opened"))
    monkeypatch.setattr(os, "scandir", lambda *_: pytest.fail("something was listed"))
    assert [home.warm.build(agent) for agent in ("ada", None)] == prompts
    assert all(home.warm.build(prompt.agent) is prompt for prompt in prompts)


def test_one_changed_file_gives_one_other_section(home: Home) -> None:
    """Where one file has changed, all other sections are given again, and the prompt is another object."""
    home.warm_up("ada")
    before = home.same("ada")
    home.write("prompts/values.md", "two")
    home.settle()
    after = home.same("ada")
    assert after is not before
    assert [one for one in after.sections if one not in before.sections] == [after.section("custom_values")]
    home.write("prompts/values.md", "one {{ x }}")
    home.settle()
    assert home.same("ada").text == before.text


OTHERS = (
    "two",
    "",
    "---\ntitle: T\n---\ntwo",
    "---\nid: agent_identity\n---\nWho it is.",
    "---\nid: custom_a\n---\nof another",
    "---\nmode: append\n---\nmore",
    "---\nno front matter",
    "---\nmood: odd\n---\ntwo",
    "a\x00b",
)


@pytest.mark.parametrize("agent", ["ada", None])
@pytest.mark.parametrize("name", ["prompts/values.md", "prompts/agents/ada/values.md", "prompts/tools/look.md"])
def test_a_changed_file_changes_the_edits_that_the_hook_would_change(home: Home, agent: str | None, name: str) -> None:
    """Whatever a file says now, the sources give what those of a new builder give, and the rest as it was."""
    for other in ("prompts/agents/ada/rules.md", "prompts/tools/other.md", name):
        home.write(other, "before")
    home.settle()
    home.warm_up(agent)
    for text in (*OTHERS, *OTHERS[::-1]):
        before = contributed(home.warm, agent)
        home.write(name, text)
        home.settle()
        home.same(agent)
        after, cold = contributed(home.warm, agent), contributed(home.builder(), agent)
        assert [said_by(edit) for edit in after] == [said_by(edit) for edit in cold]
        known = {id(edit) for edit in before}
        assert sum(id(edit) not in known for edit in after) <= 1


def contributed(builder: Builder, agent: str | None) -> list[Section]:
    """The edits that the operator's directories contribute."""
    given = builder.plan(agent).given
    return [edit for one in given if one.provider.entry_point in ("directory", "agent") for edit in one.edits]


def said_by(edit: Section) -> object:
    """All that an edit says."""
    fields = dict(vars(edit))
    file = fields.pop("file")
    return fields, file.name, file.text, file.error


# -- what plugins give to one call -----------------------------------------------------------------

CONDITION = """
@hookimpl
def foreword_sections(context):
    only = context.data.get("only")
    return [Edit("acme-when.s", "For some.", when={} if only is None else {"agents": only})]
"""
RAISES = """
@hookimpl
def foreword_sections(context):
    raise ValueError("no such user" + chr(10) + "user is " + context.data["user"])
"""
PRIORITY = """
@hookimpl
def foreword_sections(context):
    files = context.read_directory(context.data["where"])
    return [file.edit(id="acme-priority.s", default_priority=context.data["priority"]) for file in files]
"""
PLACE = """
@hookimpl
def foreword_sections(context):
    from foreword import Place
    context.report("ACME", "info", "seen", Place("p", context.data["line"]))
    return []
"""


@pytest.mark.parametrize("order", [[None, [], None], [[], None, []], [["ada"], [], ["ada"], None]])
def test_a_condition_that_a_plugin_leaves_out_is_none(site: Any, order: list[list[str] | None]) -> None:
    """An edit for nobody is not the same as one for everybody, whichever of them a builder was given before."""
    site.add("acme-when", CONDITION)
    kept = Builder(on_diagnostic=lambda _: None)
    for only in order:
        prompt = kept.build("ada", context={"only": only})
        assert ("For some." in prompt.text) is (only is None or "ada" in only)
        assert kept.build("ada", context={"only": only}) is prompt


def test_what_a_plugin_raised_is_told_of_its_own_call(site: Any) -> None:
    """The traceback that a prompt comes with is that of its own build, though the message is the same."""
    site.add("acme-raises", RAISES)
    kept = Builder(on_diagnostic=lambda _: None)
    for user in ("alice", "bob", "alice"):
        (found,) = kept.build("ada", context={"user": user}).diagnostics
        assert f"user is {user}" in found.traceback


def test_a_priority_that_is_none_is_refused_whatever_was_before(site: Any, tmp_path: Path) -> None:
    """True is no priority, also where a file was asked for its edit with 1 before."""
    site.add("acme-priority", PRIORITY)
    (tmp_path / "a.md").write_text("From a file.")
    for order in ([1, True, 1], [True, 1, True]):
        kept = Builder(on_diagnostic=lambda _: None)
        for priority in order:
            prompt = kept.build("ada", context={"where": str(tmp_path), "priority": priority})
            assert ("FW034" in [one.code for one in prompt.diagnostics]) is (priority is True)


def test_a_line_that_is_none_is_refused_whatever_was_before(site: Any) -> None:
    """A place that a plugin reports has a number as its line, and True is none."""
    site.add("acme-place", PLACE)
    kept = Builder(on_diagnostic=lambda _: None)
    for line in (1, True, 1):
        (found,) = kept.build("ada", context={"line": line}).diagnostics
        assert (found.code == "FW033") is (line is True)


def test_another_thread_leaves_a_batch_its_own_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever another thread builds with other variables meanwhile, each prompt has those of its own call."""
    file = tmp_path / "who.md"
    file.write_text("who: {{ who }}")
    kept = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
    kept.build("ada", variables={"who": "start"})
    names = [f"n{number}" for number in range(20)]
    turns: list[int] = []

    def meanwhile() -> None:
        """What a switch of threads at this moment lets happen."""
        if len(turns) == 1:
            turns.append(len(turns))
            file.write_text("who: {{ who }}, and more")
            other = threading.Thread(target=lambda: kept.build("bob", variables={"who": "another"}))
            other.start()
            other.join()

    new_base, whole_base = Shared._new_base, Shared._whole_base

    def new(self: Shared, *given: Any) -> Any:
        made = new_base(self, *given)
        turns.append(len(turns))
        return made

    def whole(self: Shared) -> Any:
        meanwhile()
        return whole_base(self)

    file.write_text("who: {{ who }}!")
    monkeypatch.setattr(Shared, "_new_base", new)
    monkeypatch.setattr(Shared, "_whole_base", whole)
    for prompt in kept.build_many(names, variables={"who": "mine"}):
        assert "who: mine" in prompt.text
        assert "another" not in prompt.text
    assert len(turns) > 2
