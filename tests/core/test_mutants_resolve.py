"""Resolution, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from foreword._diagnostics import Place
from foreword._policy import LayerRule, Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import resolve
from foreword._resolve_changed import resolve_changed
from foreword._standing import raw_after, text_hash
from foreword._text import join


def edit(layer: str, name: str, mode: str = "plain", **given: Any) -> PreparedEdit:
    """An edit of section ``a`` from a file of this name."""
    values: dict[str, Any] = {
        "id": "a",
        "layer": layer,
        "mode": mode,
        "provider": Provider("acme", "1.0", "main"),
        "place": Place(f"{name}.md", 1),
        "text": name,
        "raw": name,
        "trusted": layer not in ("extension", "memory", "override"),
    }
    return PreparedEdit(**{**values, **given})


def test_who_gave_the_title() -> None:
    """A title is the operator's only when there is one and an operator's edit gave it."""
    (untitled,) = resolve([edit("project", "x")], Policy()).sections
    (operators,) = resolve([edit("project", "x", title="T")], Policy()).sections
    (agents,) = resolve([edit("project", "x", title="T"), edit("memory", "y", title="U")], Policy()).sections
    (kept,) = resolve([edit("project", "x", title="T"), edit("memory", "y")], Policy()).sections
    assert [section.title_trusted for section in (untitled, operators, agents, kept)] == [False, True, False, True]


def test_a_conflict_is_told_once_at_its_first_file() -> None:
    """Of edits that cannot all hold, the finding stands at the first and names them all in order."""
    rivals = [edit("project", name, position=place) for place, name in enumerate(("x", "y", "z"))]
    resolution = resolve([edit("builtin", "base"), *reversed(rivals)], Policy())
    (said,) = resolution.diagnostics
    assert said.place == Place("x.md", 1)
    assert said.code == "FW021"
    assert said.message.index("x.md") < said.message.index("y.md") < said.message.index("z.md")
    assert [step.outcome for step in resolution.chains["a"]] == ["applied", "conflict", "conflict", "conflict"]


def test_a_text_that_only_strangers_gave_is_compared_with_nothing() -> None:
    """Where no text before rendering is known below, that of the edit is all there is."""
    for mode in ("prepend", "append", "patch", "replace"):
        assert raw_after(None, edit("override", "x", mode, heading="H")) == "x"
    assert raw_after("base", edit("override", "x", "append")) == "base\n\nx"
    assert raw_after("base", edit("override", "x", "prepend")) == "x\n\nbase"
    assert raw_after("# H\n\nold", edit("override", "x", "patch", heading="H")) == "# H\n\nx"


def test_a_rule_requires_nothing_by_itself() -> None:
    """A section with a rule may be missing, unless the rule says that it is required."""
    assert resolve([], Policy({"a": SectionRule()})).fatal == ()
    assert len(resolve([], Policy({"a": SectionRule(required=True)})).fatal) == 1


def outcomes(*edits: PreparedEdit) -> list[tuple[str, str]]:
    """File and outcome of every edit of section ``a``, low to high."""
    return [(step.edit.place.path[:-3], step.outcome) for step in resolve(edits, Policy()).chains["a"]]


def test_an_agents_empty_title_quarrels_with_none() -> None:
    """An empty title, which says nothing where an agent gives it, is no other title than that of its layer."""
    edits = [edit("memory", "x", "append", title="T"), edit("memory", "y", "append", title="")]
    (section,) = resolve([edit("project", "base", title="B"), *edits], Policy()).sections
    assert section.title == "T"
    assert outcomes(edit("project", "base"), *edits) == [("base", "applied"), ("x", "applied"), ("y", "applied")]


def test_whoever_writes_a_section_has_its_id() -> None:
    """An untrusted section, defined in either way, is refused where a layer above writes one, and only then."""
    for mode in ("plain", "define"):
        stranger = edit("extension", "x", mode, exclusive=True, provider=Provider("", "", "untrusted="))
        for writing in ("plain", "define", "replace"):
            assert ("x", "refused") in outcomes(stranger, edit("project", "y", writing))
        for other in ("append", "prepend", "move"):
            assert outcomes(stranger, edit("project", "y", other)) == [("x", "applied"), ("y", "applied")]
        failed = edit("project", "y", verdict="failed")
        assert outcomes(stranger, failed) == [("x", "applied"), ("y", "failed")]


def test_a_patch_that_has_no_heading_before_rendering_changes_no_base() -> None:
    """Where a heading reads so only when it is rendered, the text that later edits are compared with stays known."""
    below = edit("builtin", "base", text="# Ada\n\nold", raw="# {{ x }}\n\nold")
    patch = edit("project", "x", "patch", heading="Ada")
    for base, outcome in ((text_hash(below.raw), "applied"), (text_hash("x"), "stale"), (text_hash(""), "stale")):
        assert outcomes(below, patch, edit("override", "y", "append", base=base))[-1] == ("y", outcome)


@pytest.mark.parametrize("layer", ["project", "memory", "extension"])
def test_others_may_define_with_title_and_place(layer: str) -> None:
    """Who may define a section gives its title and place with it, by a definition and by a plain text."""
    others_may = frozenset({"define"})
    policy = Policy({"a": SectionRule(editable_by=frozenset({"builtin"}), others_may=others_may)})
    given = edit(layer, "x", "define", title="T", priority=7)
    plain = given._replace(mode="plain")
    (section,) = resolve([given], policy).sections
    assert (section.title, section.priority) == ("T", 7)
    sections = resolve([plain], policy).sections
    # Of a plugin's plain text it is not known whether it defines.
    assert [(one.title, one.priority) for one in sections] == ([] if layer == "extension" else [("T", 7)])


def test_a_heading_behind_what_is_exchanged_is_no_part_of_it() -> None:
    """The heading behind exchanged lines is moved to the margin, and no other line is."""
    below = edit("builtin", "base", text="# A\n\n1\n2\n3\n\n  # B\n\n  b\n  c\n  d\n  e\n  f\n  g")
    for new in ("- x", "- x\n- y", "x\n\n  z\n\ny\n\nv"):
        (section,) = resolve([below, edit("project", "x", "patch", heading="A", text=new)], Policy()).sections
        rest = "# B\n\n  b\n  c\n  d\n  e\n  f\n  g"
        assert join(section.standing.spans) == f"# A\n\n{new}\n\n{rest}"


# -- sizes ---------------------------------------------------------------------------------------


def test_sizes_are_those_of_the_limited_layers_and_of_the_prompt() -> None:
    """What limited layers gave is counted in bytes, layer by layer; the prompt with blank lines, and without tools."""
    edits = [
        edit("project", "base"),
        edit("memory", "äö", "append"),
        edit("memory", "xyz", "append", position=1),
        edit("override", "o", "append"),
        edit("memory", "zz", id="b"),
        edit("memory", "t", id="tools/t"),
    ]
    limits = {"memory": LayerRule(layer=100), "agent": LayerRule(layer=100)}
    assert resolve(edits, Policy(layers=limits)).sizes == {"memory": 4 + 3 + 2 + 1}
    assert resolve(edits, Policy(prompt=100)).sizes == {None: len("base..äö..xyz..o".encode()) + 2}
    assert resolve(edits, Policy()).sizes == {}
    assert resolve([], Policy(layers=limits, prompt=100)).sizes == {}
    assert resolve([edit("project", "x")], Policy(layers=limits)).sizes == {}


# -- resolutions as values -------------------------------------------------------------------------


def test_resolutions_are_equal_where_all_they_hold_is() -> None:
    """Two resolutions that differ in a section, a tool, a chain, or in what there is to say are not equal."""
    several = [
        [],
        [edit("project", "x")],
        [edit("project", "y")],
        [edit("project", "x", id="tools/t")],
        [edit("project", "y", id="tools/t")],
        [edit("project", "x"), edit("project", "y", verdict="failed", reason="why")],
        [edit("project", "x"), edit("project", "y", verdict="failed", reason="because")],
        [edit("project", "x"), edit("project", "y", "append", id="b")],
    ]
    for place, edits in enumerate(several):
        one = resolve(edits, Policy())
        assert one == resolve(edits, Policy())
        assert hash(one) == hash(resolve(edits, Policy()))
        assert one != edits
        for other in several[place + 1 :]:
            assert one != resolve(other, Policy())
    assert resolve([], Policy({"a": SectionRule(required=True)})) != resolve([], Policy())


def test_sections_are_equal_where_all_they_hold_is() -> None:
    """Two sections that differ in title, text or place are not equal, and none is equal to anything else."""
    several = [
        [edit("project", "x")],
        [edit("project", "y")],
        [edit("project", "x", title="T")],
        [edit("project", "x", priority=1)],
        [edit("project", "x", id="b")],
        [edit("project", "x", text="# H\n\nx")],
        [edit("project", "x", text="# H\n\nx", title="H")],
        [edit("project", "x", text="# H\n\nx", default_title="D")],
    ]
    sections = [resolve(edits, Policy()).sections[0] for edits in several]
    for place, section in enumerate(sections):
        (again,) = resolve(several[place], Policy()).sections
        assert section == again
        assert hash(section) == hash(again)
        assert section != section.standing
        assert all(section != other for other in sections[place + 1 :])


def test_chains_stand_in_the_order_of_ids() -> None:
    """The chains are sorted by id, tools by their names without case and under the spelling that stands."""
    ids = ("b", "tools/Zed", "a/b", "a", "tools/apt", "c")
    resolution = resolve([edit("project", "x", id=id) for id in ids], Policy())
    assert list(resolution.chains) == ["a", "a/b", "b", "c", "tools/apt", "tools/Zed"]
    assert [tool.id for tool in resolution.tools] == ["tools/apt", "tools/Zed"]


def test_a_whole_resolution_is_that_of_no_other() -> None:
    """A resolution that is another but for a text can be had whole, with all that it holds."""
    old, new = edit("project", "x"), edit("project", "y")
    policy = Policy({"b": SectionRule(required=True)}, prompt=100)
    earlier = resolve([old, edit("memory", "t", id="tools/t")], policy)
    later = resolve_changed(earlier, [old], [new], policy)
    whole = later.whole()
    assert later.of is not None
    assert whole.of is None
    assert whole == later
    assert whole.whole() is whole
    assert (whole.sections, whole.tools, whole.folded) == (later.sections, later.tools, later.folded)
    assert (whole.reserved, whole.is_moved, whole.sizes) == (later.reserved, later.is_moved, later.sizes)
    assert (whole.diagnostics, whole.fatal) == (later.diagnostics, later.fatal)
    assert len(whole.fatal) == 1


def test_agents_titles_in_one_layer_quarrel() -> None:
    """Two titles that an agent gives one section in one layer are a conflict, whatever their texts do."""
    edits = [edit("memory", "x", "append", title="T"), edit("memory", "y", "append", title="U")]
    assert outcomes(edit("project", "base"), *edits) == [("base", "applied"), ("x", "conflict"), ("y", "conflict")]


def test_what_a_plugin_adds_is_not_compared_with() -> None:
    """An override is stale when the text of operator and agent below it has changed, whatever plugins put there."""
    policy = Policy({"a": SectionRule(others_may=frozenset({"append"}))})
    edits = [
        edit("builtin", "base"),
        edit("extension", "more", "append", own=False),
        edit("override", "mine", base=text_hash("base")),
    ]
    steps = resolve(edits, policy).chains["a"]
    assert [step.outcome for step in steps] == ["shadowed", "shadowed", "applied"]
