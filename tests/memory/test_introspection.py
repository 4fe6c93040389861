"""What the agent can see of its prompt, and do, as objects and as tools for a model."""

from __future__ import annotations

import json

import pytest

from foreword import UnknownSection
from foreword.memory import ChangeRefused


def call(house, name: str, who: str = "agent", **arguments: object) -> dict:
    """Call one tool, as a model would: with JSON in and JSON out."""
    tool = next(tool for tool in house.memory(who).tools() if tool.name == name)
    return json.loads(json.dumps(tool.call(json.loads(json.dumps(arguments)))))


def test_a_section_is_shown_at_each_layer(home) -> None:
    """Template, copy, overrides and effective text are shown, each with where it comes from and what became of it."""
    home.write(home.copies / "AGENTS.md", "I am {{ agent_name }}, on my own.\n")
    home.memory().override("identity", "And more.", mode="append", reason="so")
    view = home.memory().section("identity")
    assert view.template.startswith("You are ada")
    assert view.copy.text == "I am {{ agent_name }}, on my own."
    assert view.copy.place.endswith("prompts/AGENTS.md:1")
    assert [(one.mode, one.outcome, one.text) for one in view.overrides] == [("append", "applied", "And more.")]
    assert view.effective == "I am ada, on my own.\n\nAnd more."
    assert view.source == "I am {{ agent_name }}, on my own.\n\nAnd more."
    assert [line.partition(":")[0] for line in view.provenance] == ["shadowed", "applied", "applied"]
    files = {"prompts/AGENTS.md", "prompt-overrides/AGENTS.md", "prompt-overrides/AGENTS.append-001.md"}
    assert set(view.match) == files


def test_what_is_allowed_is_what_an_override_would_be_granted(home) -> None:
    """For every section and mode: the modes that are listed are taken, the others are refused."""
    home.configure('[sections.safety]\nothers_may = ["append"]\n[sections.custom_style]\neditable_by = ["project"]\n')
    home.write(home.prompts / "MORE.md", "## Part\n\nx\n")
    ids = ["safety", "custom_style", "custom_more", "identity", "tools/read", "custom_nowhere"]
    for id in ids:
        try:
            allowed = home.memory().section(id).allowed
        except UnknownSection:
            allowed = ("define",)
        for mode in ("define", "replace", "remove", "patch", "prepend", "append", "move"):
            heading = None
            if mode == "patch":
                if id not in ("custom_more",):
                    continue
                heading = "Part"
            try:
                place = 600 if mode == "move" else None
                entry = home.memory().override(id, "Text.", mode=mode, heading=heading, priority=place)
                taken = True
                home.memory().revert(entry.n)
            except ChangeRefused:
                taken = False
            assert taken is (mode in allowed), (id, mode)
    assert home.memory().section("safety").allowed == ("append",)
    assert "policy" in home.memory().section("safety").why_not
    assert home.memory().section("custom_style").allowed == ()


def test_the_list_has_every_section_in_the_order_of_the_prompt(home) -> None:
    """All sections come in the prompt's order, then the tools; one that was removed is listed without a place."""
    home.memory().override("output_principles", mode="remove")
    prompt = home.build()
    listed = [view.id for view in home.memory().sections()]
    assert listed[: len(prompt.sections)] == [section.id for section in prompt.sections]
    assert {"tools/read", "output_principles"} <= set(listed[len(prompt.sections) :])
    removed = home.memory().section("output_principles")
    assert (removed.effective, removed.priority) == (None, None)
    assert removed.template == "Answer ada's friends first."


def test_a_section_that_nobody_spoke_of_is_unknown(home) -> None:
    """Asking for a section that is not there, or for what is no id, is an error."""
    for id in ("custom_nowhere", "", "a//b", "\u202e", "../x"):
        with pytest.raises(UnknownSection):
            home.memory().section(id)


def test_tools_have_what_a_model_needs(home) -> None:
    """Each tool has a name, a description and a JSON schema with described arguments and no others."""
    tools = home.memory().tools()
    assert [tool.name for tool in tools] == [
        "list_prompt_sections",
        "read_prompt_section",
        "override_prompt_section",
        "read_prompt_history",
        "undo_prompt_change",
    ]
    for tool in tools:
        schema = json.loads(json.dumps(tool.schema))
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert tool.description
        assert all(given.get("description") for given in schema["properties"].values())
    required = {tool.name: tool.schema.get("required", []) for tool in tools}
    assert required["override_prompt_section"] == ["id", "reason"]
    assert required["undo_prompt_change"] == ["n", "reason"]


def test_a_model_reads_changes_and_undoes(home) -> None:
    """Through the tools a model lists, reads, changes, looks back and undoes; each change says when it shows."""
    listed = call(home, "list_prompt_sections")["result"]
    assert next(one for one in listed if one["id"] == "safety")["allowed"] == []
    read = call(home, "read_prompt_section", id="custom_style")["result"]
    assert read["effective"].startswith("# Style")
    assert read["pending"] == []
    done = call(home, "override_prompt_section", id="custom_style", text="Mine.", reason="I like it")
    assert done == {"ok": True, "result": {"state": "applied", "n": 2, "shows": "in the next build"}}
    assert home.text("custom_style") == "Mine."
    past = call(home, "read_prompt_history", id="custom_style")["result"]
    assert [(entry["n"], entry["who"], entry["why"]) for entry in past][1:] == [(2, "agent", "I like it")]
    assert call(home, "undo_prompt_change", "tool", n=2, reason="no")["result"]["n"] == 3
    assert home.text("custom_style").startswith("# Style")
    assert home.memory().history()[-1].who == "tool"


def test_under_approval_a_model_is_told_that_it_waits(home) -> None:
    """Where approval is needed a change is said to be pending, and reading the section names what waits."""
    home.configure(memory="approval = true")
    done = call(home, "override_prompt_section", id="custom_style", text="Mine.", reason="x")["result"]
    assert done == {"state": "pending", "waiting_for": "the operator's approval", "name": "1"}
    read = call(home, "read_prompt_section", id="custom_style")["result"]
    assert read["pending"] == ["1"]
    assert read["effective"].startswith("# Style")


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("override_prompt_section", {"id": "safety", "text": "x", "reason": "y"}, "policy"),
        ("override_prompt_section", {"id": "custom_style", "text": "x"}, "reason"),
        ("override_prompt_section", {"id": "custom_style", "mode": "sideways", "reason": "y"}, "mode"),
        ("override_prompt_section", {"id": "a//b", "text": "x", "reason": "y"}, "no id"),
        ("read_prompt_section", {"id": "custom_nowhere"}, "custom_nowhere"),
        ("read_prompt_section", {"id": "identity", "more": 1}, "more"),
        ("read_prompt_section", {}, "id"),
        ("undo_prompt_change", {"n": 99, "reason": "x"}, "no entry 99"),
        ("undo_prompt_change", {"n": "many", "reason": "x"}, "n"),
    ],
)
def test_a_tool_never_raises(home, name, arguments, why) -> None:
    """Whatever a model gives, the answer is JSON that says what was wrong."""
    told = call(home, name, **arguments)
    assert told["ok"] is False
    assert why in told["error"]


def test_looking_writes_nothing(home) -> None:
    """Listing and reading sections leaves every byte as it is."""
    home.write(home.copies / "AGENTS.md", "Mine.\n")
    before = home.tree()
    home.memory().sections()
    home.memory().section("identity")
    assert home.tree() == before
