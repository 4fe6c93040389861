"""Resolution, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

from typing import Any

from foreword._diagnostics import Place
from foreword._policy import Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import resolve
from foreword._standing import raw_after


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
