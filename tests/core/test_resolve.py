"""Resolution of many sections: their order, their titles, the fence of locked sections, what is required."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, BuildError, ConfigError, Diagnostic, Edit, Prompt, Section
from foreword._diagnostics import Place
from foreword._policy import DEFAULT_POLICY, Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolution import Resolution
from foreword._resolve import resolve
from foreword._text import join

FREE = Policy()
_POSITIONS = count()


def edit(layer: str, id: str, text: str = "x", mode: str = "plain", *, by: str = "acme", **given: Any) -> PreparedEdit:
    """An edit as preparation would give it."""
    values: dict[str, Any] = {
        "id": id,
        "layer": layer,
        "mode": mode,
        "provider": Provider(by, "1.0", "main"),
        "place": Place("code"),
        "position": next(_POSITIONS),
        "text": text,
        "raw": text,
        "trusted": layer not in ("extension", "memory", "override"),
    }
    return PreparedEdit(**{**values, **given})


def resolved(*edits: PreparedEdit, policy: Policy = FREE) -> Resolution:
    """Resolve the edits; the order in which they are given makes no difference, which is checked on the way."""
    resolution = resolve(edits, policy)
    assert resolve(reversed(edits), policy) == resolution
    return resolution


def order(resolution: Resolution) -> list[str]:
    """The ids in their final order."""
    return [section.id for section in resolution.sections]


def titles(resolution: Resolution) -> list[str | None]:
    """The titles in the final order of their sections."""
    return [section.title for section in resolution.sections]


def codes(resolution: Resolution) -> list[str]:
    """The codes of what there is to say."""
    return [diagnostic.code for diagnostic in resolution.diagnostics]


@pytest.fixture
def said() -> list[Diagnostic]:
    """Where builds say what they have to say."""
    return []


@pytest.fixture
def builder(said: list[Diagnostic]) -> Builder:
    """A builder over the packaged templates and nothing else."""
    return Builder(plugins=False, on_diagnostic=said.append)


def outcomes(prompt: Prompt, id: str) -> list[tuple[str, str]]:
    """Layer and outcome of every edit that was tried on a section, low to high."""
    explanation = prompt.explain(id)
    assert not isinstance(explanation, tuple)
    return [(step.edit.layer, step.outcome) for step in explanation.steps]


# -- order -----------------------------------------------------------------------------------------


def test_order_is_priority_then_layer_then_id() -> None:
    """Sections stand in the order of priority, then of the layer that defined them, then of their id."""
    result = resolved(
        edit("session", "a"),
        edit("project", "z"),
        edit("project", "y"),
        edit("builtin", "x"),
        edit("memory", "b", priority=899),
        edit("session", "late", priority=901),
        edit("session", "early", priority=-9999),
    )
    assert order(result) == ["early", "b", "x", "y", "z", "a", "late"]


def test_overriding_keeps_the_place_of_the_definition() -> None:
    """A section keeps the layer of its definition in the order, whoever's text stands."""
    result = resolved(edit("project", "b"), edit("agent", "a"), edit("session", "b", "new"))
    assert order(result) == ["b", "a"]
    assert result.sections[0].winner.layer == "session"
    assert result.sections[0].definer.layer == "project"


def test_no_edits_no_sections() -> None:
    """Without an edit nothing is there, and nothing is said."""
    result = resolved()
    assert (result.sections, result.tools, dict(result.chains), result.diagnostics) == ((), (), {}, ())


def test_nearest_id_is_named() -> None:
    """An edit without a target is told the nearest id that there is."""
    result = resolved(edit("builtin", "tool_usage"), edit("project", "tool_usge", "x", "append"))
    (lost,) = result.diagnostics
    assert lost.remedy == "did you mean 'tool_usage'?"
    assert lost.message == "there is no section 'tool_usge' to append to"


# -- tools -----------------------------------------------------------------------------------------


def test_tools_are_no_sections() -> None:
    """The prose of a tool resolves like a section and stands beside the prompt, without a title."""
    result = resolved(edit("project", "tools/read"), edit("agent", "tools/read", "more", "append"))
    assert result.sections == ()
    (tool,) = result.tools
    assert (tool.id, tool.title, join(tool.standing.spans)) == ("tools/read", None, "x\n\nmore")


def test_tools_compare_without_case() -> None:
    """Names of tools compare without case, and keep the spelling of who defined them."""
    result = resolved(edit("project", "tools/Bash"), edit("agent", "tools/bash", "new"))
    (tool,) = result.tools
    assert (tool.id, join(tool.standing.spans)) == ("tools/Bash", "new")
    assert [step.outcome for step in result.chains["tools/Bash"]] == ["shadowed", "applied"]


def test_tools_in_two_spellings_of_one_layer() -> None:
    """Two spellings of one tool in one layer are a conflict."""
    result = resolved(edit("project", "tools/Bash"), edit("project", "tools/bash"))
    assert result.tools == ()
    assert codes(result) == ["FW021"]
    assert list(result.chains) == ["tools/Bash"]


def test_untrusted_tools_get_no_title() -> None:
    """An untrusted layer's prose for a tool has no title either."""
    assert resolved(edit("memory", "tools/read")).tools[0].title is None


# -- titles ----------------------------------------------------------------------------------------


def test_default_title_and_own_heading() -> None:
    """An operator's own heading stands instead of a title that nobody gave, and not of one that was given."""
    result = resolved(
        edit("project", "a", "# Own\n\ntext", default_title="Derived"),
        edit("project", "b", "# Own\n\ntext", title="Given"),
        edit("project", "c", "text", default_title="Derived"),
    )
    assert titles(result) == ["Own", "Given", "Derived"]
    assert [section.own_heading for section in result.sections] == [True, False, False]


@pytest.mark.parametrize("text", ["Own\n===\n\ntext", "### Own ###\ntext", "# *Own*"])
def test_own_heading_as_it_reads(text: str) -> None:
    """The own heading of a text is the title as it reads when rendered, in every form of heading."""
    assert titles(resolved(edit("project", "a", text, default_title="Derived"))) == ["Own"]


def test_own_heading_inside_code_is_none() -> None:
    """A text that starts with a fence starts with no heading."""
    assert titles(resolved(edit("project", "a", "```\n# Own\n```", default_title="Derived"))) == ["Derived"]


def test_own_heading_after_a_prepend_is_none() -> None:
    """When text is put before it, the heading is no longer the first line, and the derived title stands."""
    result = resolved(edit("project", "a", "# Own", default_title="Derived"), edit("agent", "a", "Before", "prepend"))
    assert titles(result) == ["Derived"]


def test_own_heading_of_a_patch_stays() -> None:
    """A section whose heading stands keeps it when the text below is exchanged."""
    result = resolved(
        edit("project", "a", "# Own\n\nold", default_title="Derived"),
        edit("agent", "a", "new", "patch", heading="Own"),
    )
    assert titles(result) == ["Own"]
    assert join(result.sections[0].standing.spans) == "# Own\n\nnew"


@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_untrusted_headings_are_no_titles(layer: str) -> None:
    """In an untrusted layer the heading of a text is not its title."""
    result = resolved(edit(layer, "a.b", "# Own\n\ntext", default_title="Derived"))
    assert titles(result) == ["Derived"]
    assert not result.sections[0].own_heading


def test_untrusted_replacement_of_a_text_with_its_own_heading() -> None:
    """Over an operator's text with a heading of its own, an untrusted text stands under the derived title."""
    result = resolved(edit("project", "a", "# Own", default_title="Derived"), edit("override", "a", "# Mine"))
    assert titles(result) == ["Derived"]


def test_operators_heading_before_an_untrusted_text() -> None:
    """A heading that an operator puts before an untrusted text does not stand instead of that section's title."""
    result = resolved(edit("memory", "a", "mine", default_title="Derived"), edit("session", "a", "# Own", "prepend"))
    assert titles(result) == ["Derived"]


@pytest.mark.parametrize(
    ("id", "title"),
    [("acme.style", "style"), ("memory/a/b", "b"), ("plain", "plain"), ("skills/acme.review", "review")],
)
def test_untitled_untrusted_section(id: str, title: str) -> None:
    """An untrusted section without a title has the last part of its id."""
    assert titles(resolved(edit("memory", id))) == [title]


@pytest.mark.parametrize(("id", "title"), [("identity", "Identity"), ("agent_identity", "Agent Identity")])
def test_untrusted_text_of_an_untitled_section(id: str, title: str) -> None:
    """An untrusted text that replaces an untitled section gets the title of what it speaks of."""
    result = resolved(edit("builtin", id), edit("memory", id, "mine"))
    assert titles(result) == [title]
    assert titles(resolved(edit("builtin", id), edit("memory", id, "mine", "append"))) == [None]


def test_untitled_section_whose_id_reads_like_a_reserved_title() -> None:
    """An untrusted section without a title, whose id ends in a reserved one, stands under its whole id."""
    assert titles(resolved(edit("extension", "acme.safety-guidelines"))) == ["acme.safety-guidelines"]
    result = resolved(edit("project", "a", title="House Rules"), edit("extension", "acme.house_rules"))
    assert "acme.house_rules" in titles(result)


@pytest.mark.parametrize(
    "title",
    [
        "Safety Guidelines",
        "SAFETY_guidelines",
        "safety-guidelines",
        "Ｓafety  Guidelines",
        "Safety\u200bGuidelines",
        "Tool Usage Guidelines",
        "Output Principles",
        "Conversation Rules",
    ],
)
@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_known_titles_are_reserved(layer: str, title: str) -> None:
    """An untrusted section cannot take a known title, however it is spelled; it stands under its id."""
    for given in ({"title": title}, {"default_title": title}):
        result = resolved(edit(layer, "acme.x", **given))
        assert titles(result) == ["acme.x"]
        assert [one.code for one in result.diagnostics if one.severity == "error"] == ["FW025"]


@pytest.mark.parametrize(
    "operator",
    [{"title": "House Rules"}, {"default_title": "House Rules"}, {"text": "## House *Rules*\n\ntext"}],
    ids=["given", "derived", "own heading"],
)
def test_operators_titles_are_reserved(operator: dict[str, Any]) -> None:
    """An untrusted section cannot take a title of the operator's, wherever that comes from."""
    text = operator.pop("text", "x")
    result = resolved(edit("session", "house", text, **operator), edit("memory", "memory/x", title="house_rules"))
    assert [section.title for section in result.sections if section.id == "memory/x"] == ["memory/x"]
    assert codes(result) == ["FW025"]


def test_refused_title_leaves_the_one_below() -> None:
    """An untrusted text with a reserved title stands under the title that was below."""
    result = resolved(edit("project", "a", title="Mine"), edit("memory", "a", "new", title="Safety Guidelines"))
    assert titles(result) == ["Mine"]
    assert join(result.sections[0].standing.spans) == "new"
    assert codes(result) == ["FW025"]


def test_the_sections_own_title_is_not_reserved_for_it() -> None:
    """An untrusted edit may repeat the title that the section has."""
    result = resolved(edit("builtin", "tool_usage", title="Tool Usage Guidelines"), edit("memory", "tool_usage", "new"))
    assert codes(result) == []
    again = edit("memory", "tool_usage", "new", title="tool usage guidelines")
    result = resolved(edit("builtin", "tool_usage", title="Tool Usage Guidelines"), again)
    assert codes(result) == []


def test_failed_edits_reserve_no_title() -> None:
    """A title that stands nowhere because its edit has failed is free."""
    result = resolved(edit("project", "a", title="Mine", verdict="failed"), edit("memory", "memory/x", title="Mine"))
    assert titles(result) == ["Mine"]


def test_operators_may_take_any_title() -> None:
    """Titles are reserved for the operator, not from the operator."""
    result = resolved(edit("project", "a", title="Safety Guidelines"), edit("session", "b", title="Safety Guidelines"))
    assert titles(result) == ["Safety Guidelines"] * 2
    assert codes(result) == []


# -- the fence -------------------------------------------------------------------------------------


def locking(*ids: str) -> Policy:
    """A policy that locks these sections against the untrusted layers, and sets no windows."""
    editors = frozenset({"builtin", "project", "agent", "session"})
    return Policy(sections={id: SectionRule(editable_by=editors) for id in ids})


@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_untrusted_sections_stand_behind_locked_ones(layer: str) -> None:
    """An untrusted section never stands before a locked one, whatever its priority, and says so."""
    result = resolved(
        edit("builtin", "a", priority=100),
        edit("builtin", "lock", priority=200),
        edit("builtin", "b", priority=300),
        edit(layer, "x", priority=50),
        edit(layer, "w", priority=199),
        policy=locking("lock"),
    )
    assert order(result) == ["a", "lock", "x", "w", "b"]
    moved = [one for one in result.diagnostics if one.code == "FW024"]
    assert [(one.severity, one.section) for one in moved] == [("warning", "w"), ("warning", "x")]


def test_the_fence_is_the_last_locked_section() -> None:
    """Behind several locked sections, untrusted ones stand behind all of them."""
    result = resolved(
        edit("builtin", "lock1", priority=100),
        edit("project", "lock2", priority=900),
        edit("extension", "x", priority=500),
        edit("project", "b", priority=950),
        policy=locking("lock1", "lock2"),
    )
    assert order(result) == ["lock1", "lock2", "x", "b"]


def test_fence_between_equal_priorities() -> None:
    """At the locked section's own priority, layer and id decide, and still nothing untrusted gets before it."""
    policy = locking("lock")
    result = resolved(edit("session", "lock"), edit("extension", "a"), edit("override", "z"), policy=policy)
    assert order(result) == ["lock", "a", "z"]


def test_moved_by_the_untrusted_is_untrusted() -> None:
    """An operator's section that an agent moves stands behind the locked ones; one it only writes in stays."""
    policy = locking("lock")
    below = [edit("builtin", "a", priority=100), edit("builtin", "lock", priority=200)]
    assert order(resolved(*below, edit("memory", "a", "mine"), policy=policy)) == ["a", "lock"]
    assert order(resolved(*below, edit("memory", "a", "mine", priority=100), policy=policy)) == ["lock", "a"]


def test_locked_sections_may_stand_before_one_another() -> None:
    """A locked section that the policy lets an agent move stands where it was moved, also before another one."""
    rule = SectionRule(editable_by=frozenset({"builtin"}), others_may=frozenset({"move"}))
    policy = Policy(sections={"one": rule, "two": rule})
    result = resolved(
        edit("builtin", "one", priority=300),
        edit("builtin", "two", priority=200),
        edit("memory", "one", "", "move", priority=100),
        policy=policy,
    )
    assert order(result) == ["one", "two"]
    assert codes(result) == []


def test_moved_by_the_operator_is_trusted() -> None:
    """The operator may put a third party's section wherever it should stand."""
    result = resolved(
        edit("builtin", "lock", priority=200),
        edit("extension", "x"),
        edit("project", "x", "", "move", priority=10),
        policy=locking("lock"),
    )
    assert order(result) == ["x", "lock"]
    assert codes(result) == []


def test_a_strangers_text_in_an_operators_layer_is_behind_the_fence() -> None:
    """A skill is a stranger's section even where the operator keeps it."""
    result = resolved(
        edit("builtin", "lock", priority=200),
        edit("project", "skills/x", trusted=False, priority=10),
        policy=locking("lock"),
    )
    assert order(result) == ["lock", "skills/x"]


def test_a_locked_section_that_is_not_there_is_no_fence() -> None:
    """Where no locked section stands, priorities are as given."""
    result = resolved(edit("builtin", "a"), edit("extension", "x", priority=1), policy=locking("lock"))
    assert order(result) == ["x", "a"]


# -- required sections -----------------------------------------------------------------------------

REQUIRED = Policy(sections={"a": SectionRule(required=True)})


def test_required_section_is_missing() -> None:
    """A required section that nobody gives, or that an operator removed, is fatal."""
    for edits in ([], [edit("builtin", "a"), edit("project", "a", "", "remove")]):
        (fatal,) = resolved(*edits, policy=REQUIRED).fatal
        assert (fatal.code, fatal.section) == ("FW028", "a")


@pytest.mark.parametrize("layer", ["builtin", "project", "agent", "session"])
@pytest.mark.parametrize(
    "given",
    [{"verdict": "failed"}, {"verdict": "refused"}, {"mode": "patch", "heading": "H"}, {"mode": "define"}],
    ids=["failed", "refused", "no-target", "define"],
)
def test_operators_edit_of_a_required_section_is_not_in_effect(layer: str, given: dict[str, Any]) -> None:
    """An operator's edit of a required section that is not in effect is fatal, though the layer below stands."""
    result = resolved(edit("builtin", "a", rank=-1), edit(layer, "a", "new", **given), policy=REQUIRED)
    assert order(result) == ["a"]
    (fatal,) = result.fatal
    assert fatal.code == "FW028"


def test_required_section_is_blank() -> None:
    """A required section whose text is blank is as good as missing."""
    (fatal,) = resolved(edit("builtin", "a", " \n"), policy=REQUIRED).fatal
    assert fatal.section == "a"


def test_operators_conflict_over_a_required_section() -> None:
    """Two operators' texts in conflict over a required section are fatal, both named."""
    rivals = [edit("project", "a", name, place=Place(f"{name}.md")) for name in ("x", "y")]
    result = resolved(edit("builtin", "a"), *rivals, policy=REQUIRED)
    assert [one.place for one in result.fatal] == [Place("x.md"), Place("y.md")]


def test_preferring_one_is_in_order() -> None:
    """An edit that ``prefer`` decided against is shadowed, and that is in order."""
    rivals = [edit("project", "a", by, by=by) for by in ("x", "y")]
    policy = Policy(sections=REQUIRED.sections, prefer={"a": "x"})
    assert resolved(edit("builtin", "a"), *rivals, policy=policy).fatal == ()


@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
@pytest.mark.parametrize(
    "given",
    [
        {"verdict": "failed"},
        {"verdict": "refused"},
        {"mode": "patch", "heading": "H"},
        {"mode": "remove"},
        {"mode": "define"},
    ],
)
def test_untrusted_edits_are_never_fatal(layer: str, given: dict[str, Any]) -> None:
    """Whatever an agent or a third party does to a required section, the build goes on with what is below."""
    policy = Policy(sections={"a": SectionRule(required=True, editable_by=frozenset({"builtin", layer}))})
    result = resolved(edit("builtin", "a", "kept"), edit(layer, "a", "new", **given), policy=policy)
    assert result.fatal == ()
    assert join(result.sections[0].standing.spans) == "kept"


def test_stale_and_shadowed_edits_are_in_order() -> None:
    """An operator's edit of a required section that is stale or shadowed is in order."""
    result = resolved(
        edit("builtin", "a"), edit("project", "a", "new"), edit("session", "a", "n", base="0" * 64), policy=REQUIRED
    )
    assert [step.outcome for step in result.chains["a"]] == ["shadowed", "shadowed", "stale"]
    assert result.fatal == ()


def test_required_tool() -> None:
    """The prose of a tool can be required like a section, in whatever case."""
    policy = Policy(sections={"tools/bash": SectionRule(required=True)})
    assert resolved(edit("project", "tools/Bash"), policy=policy).fatal == ()
    assert len(resolved(policy=policy).fatal) == 1


# -- through the builder ---------------------------------------------------------------------------


def test_defaults_replace_packaged_templates_one_by_one(builder: Builder, said: list[Diagnostic]) -> None:
    """The integrator's defaults replace packaged templates id by id, and stand in layer builtin."""
    prompt = builder.build(defaults=[Section("safety", "Ours."), Section("house", "More.", priority=120)])
    assert [one.id for one in prompt.sections] == ["identity", "house", "safety", "conversation_rules", "tool_usage"]
    safety = prompt.section("safety")
    assert (safety.text, safety.title, safety.layer) == ("Ours.", "Safety Guidelines", "builtin")
    assert outcomes(prompt, "safety") == [("builtin", "shadowed"), ("builtin", "applied")]
    assert said == []


def test_two_defaults_of_one_id_conflict(builder: Builder, said: list[Diagnostic]) -> None:
    """Two defaults of one id are a conflict, and the packaged template stands."""
    prompt = builder.build(defaults=[Section("tool_usage", "one"), Section("tool_usage", "two")])
    assert outcomes(prompt, "tool_usage") == [
        ("builtin", "applied"),
        ("builtin", "conflict"),
        ("builtin", "conflict"),
    ]
    assert [one.code for one in said] == ["FW021"]


def test_defaults_may_be_edits(builder: Builder) -> None:
    """A default may add to a packaged template, or take it away."""
    packaged = builder.build().section("tool_usage").text
    prompt = builder.build(defaults=[Edit("tool_usage", "More.", mode="append"), Edit("identity", mode="remove")])
    assert prompt.section("tool_usage").text == f"{packaged}\n\nMore."
    assert prompt.sections[0].id == "safety"


def test_edits_stand_over_everything(builder: Builder) -> None:
    """The edits of a call stand in layer session, over all others."""
    prompt = builder.build(defaults=[Section("x", "default")], edits=[Section("x", "edit")])
    assert (prompt.section("x").text, prompt.section("x").layer, prompt.section("x").defined_in) == (
        "edit",
        "session",
        "builtin",
    )


def test_untrusted_sections_stand_as_given(builder: Builder, said: list[Diagnostic]) -> None:
    """An untrusted section defines an id without a prefix, in layer extension, within its window."""
    prompt = builder.build(untrusted=[Section("notes", "Theirs.", priority=1)])
    notes = prompt.section("notes")
    assert (notes.layer, notes.priority, notes.title) == ("extension", 300, "notes")
    assert [one.code for one in said] == ["FW024"]


@pytest.mark.parametrize("id", ["safety", "identity", "tool_usage"])
def test_untrusted_sections_take_no_packaged_id(builder: Builder, said: list[Diagnostic], id: str) -> None:
    """An untrusted section cannot stand in the place of a packaged one."""
    before = builder.build().text
    prompt = builder.build(untrusted=[Section(id, "Theirs.")])
    assert prompt.text == before
    assert outcomes(prompt, id)[-1] == ("extension", "refused")
    assert [one.code for one in said] == ["FW020"]


@pytest.mark.parametrize("mode", ["append", "remove", "replace", "move", "prepend"])
def test_untrusted_edits_are_refused(builder: Builder, mode: Any) -> None:
    """An untrusted section only defines, in whatever mode it comes."""
    before = builder.build().text
    prompt = builder.build(untrusted=[Edit("tool_usage", "Theirs.", mode=mode, priority=1)])
    assert prompt.text == before
    assert outcomes(prompt, "tool_usage")[-1] == ("extension", "refused")


def test_untrusted_text_of_jinja_is_refused(builder: Builder) -> None:
    """An untrusted section that asks for Jinja is refused, and its text is in no prompt."""
    prompt = builder.build(untrusted=[Edit("notes", "{{ 6 * 7 }}", template="jinja")])
    assert "42" not in prompt.text
    assert outcomes(prompt, "notes") == [("extension", "refused")]


def test_a_session_cannot_write_in_another_layer(builder: Builder) -> None:
    """An edit that names a layer which its provider is not granted is refused."""
    prompt = builder.build(edits=[Edit("x", "text", layer="builtin")], untrusted=[Edit("y", "text", layer="session")])
    assert outcomes(prompt, "x")[0][1] == outcomes(prompt, "y")[0][1] == "refused"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SAFETY.md", "---\nmode: patch\nheading: Nowhere\n---\ntext"),
        ("SAFETY.md", "---\npriority: soon\n---\ntext"),
        ("SAFETY.md", "---\ntemplate: jinja\n---\n{{ nobody }}"),
        ("OTHER.md", "---\nid: safety\nmode: define\n---\ntext"),
        ("SAFETY.md", "---\nmode: remove\n---\n"),
    ],
    ids=["no-target", "front matter", "template", "define", "remove"],
)
def test_builds_fail_closed(tmp_path: Path, name: str, text: str) -> None:
    """When an operator's edit of a required section is not in effect, the build raises and names the file."""
    (tmp_path / name).write_text(text)
    builder = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
    with pytest.raises(BuildError) as caught:
        builder.build()
    assert {one.code for one in caught.value.diagnostics} == {"FW028"}
    assert caught.value.prompt is not None


def test_an_agent_cannot_break_itself(tmp_path: Path) -> None:
    """Whatever an agent writes among its overrides of safety, the build goes on and safety is untouched."""
    overrides = tmp_path / "souveraine_operations" / "prompt-overrides"
    overrides.mkdir(parents=True)
    before = Builder(plugins=False).build().section("safety")
    for text in ("new", "---\nmode: remove\n---\n", "---\nmode: move\npriority: 999\n---\n", "---\npriority: x\n---\n"):
        (overrides / "SAFETY.md").write_text(text)
        after = Builder(memory=tmp_path, plugins=False, on_diagnostic=lambda _: None).build().section("safety")
        assert (after.text, after.title, after.priority) == (before.text, before.title, before.priority)


def test_a_batch_names_the_agents_that_failed(builder: Builder) -> None:
    """A batch builds what it can and then names every agent without a prompt, whatever the agents came in."""
    with pytest.raises(ExceptionGroup, match=r"no prompt for '\.\.', 'a/b'") as caught:
        builder.build_many(iter(["operator", "..", "a/b"]))
    assert [one.__notes__ for one in caught.value.exceptions] == [["agent '..'"], ["agent 'a/b'"]]
    first, failed = builder.build_many(iter(["operator", ".."]), on_error="return")
    assert isinstance(first, Prompt)
    assert isinstance(failed, ConfigError)


def test_default_policy_is_in_force() -> None:
    """Under the default policy a third party's section stands behind safety and inside its window."""
    result = resolved(
        edit("builtin", "identity", priority=100),
        edit("builtin", "safety", priority=200, title="Safety Guidelines"),
        edit("extension", "acme.x", priority=-1),
        policy=DEFAULT_POLICY,
    )
    assert order(result) == ["identity", "safety", "acme.x"]
    assert result.sections[2].priority == 300
