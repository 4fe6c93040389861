"""The policy, held against whole prompts: what the operator sets holds, is checked, and is shown.

The rules by themselves are held in tests/core/test_policy.py, test_fold_rules.py and test_limits.py; that taking the
untrusted edits away never changes a locked section in test_text_statements.py and tests/core/test_properties.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import BuildError, ConfigError, Edit, Section
from foreword.commands._group import foreword
from foreword.config._config import load

OVERRIDES = "memory/souveraine_operations/prompt-overrides"
COPIES = "memory/souveraine_operations/prompts"
BUILT_IN = ["identity", "safety", "conversation_rules", "tool_usage"]
MODES = ("define", "replace", "remove", "patch", "prepend", "append", "move")


def override(id: str, mode: str, text: str = "Stranger.") -> str:
    """Return the text of an override file."""
    more = {"patch": "heading: Safety\n", "move": "priority: 900\n"}.get(mode, "")
    return f"---\nid: {id}\nmode: {mode}\n{more}---\n{'' if mode in ('remove', 'move') else text}"


# -- locks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_safety_is_locked_by_default(desk: Any, giving: Any, layer: str, mode: str) -> None:
    """Without a word of the operator's, no untrusted layer edits ``safety`` in any mode; each attempt is refused."""
    plain = desk.build().section("safety")
    files, plugins = {}, {}
    if layer == "override":
        files = {f"{OVERRIDES}/x.md": override("safety", mode)}
    elif layer == "memory":
        files = {f"{COPIES}/SAFETY.md": "Stranger."}
    else:
        text = "" if mode in ("remove", "move") else "Stranger."
        heading = "Safety" if mode == "patch" else None
        priority = 900 if mode == "move" else None
        plugins = {"acme": giving([Edit("safety", text, mode=mode, heading=heading, priority=priority)])}
    prompt = desk.build(files, plugins=plugins)
    section = prompt.section("safety")
    assert (section.text, section.title, section.priority) == (plain.text, plain.title, plain.priority)
    assert [step.outcome for step in section.provenance][1:] == ["refused"]
    (error,) = desk.codes("FW020")
    assert (error.severity, error.section) == ("error", "safety")


def test_a_lock_opens_only_as_far_as_the_operator_says(desk: Any) -> None:
    """``others_may`` lets others append and do nothing else; ``editable_by`` names the layers that may do all."""
    files = {f"{OVERRIDES}/{mode}.md": override("safety", mode, f"By {mode}.") for mode in MODES if mode != "define"}
    desk.configure('[sections.safety]\nothers_may = ["append"]\n')
    prompt = desk.build(files)
    assert prompt.section("safety").text.endswith("\n\nBy append.")
    assert prompt.section("safety").priority == 200
    outcomes = {step.edit.mode: step.outcome for step in prompt.section("safety").provenance}
    assert {mode for mode, outcome in outcomes.items() if outcome == "applied"} == {"plain", "append"}
    desk.configure('[sections.safety]\neditable_by = ["builtin", "override"]\n')
    for name in files:
        (desk.root / name).unlink()
    prompt = desk.build({f"{OVERRIDES}/x.md": override("safety", "replace"), f"{COPIES}/SAFETY.md": "Copy."})
    assert prompt.section("safety").text == "Stranger."


def test_an_id_is_reserved_before_anybody_defines_it(desk: Any, giving: Any) -> None:
    """A lock holds for an id that nothing defines yet: the untrusted cannot be the first."""
    desk.configure(
        '[sections.custom_house]\neditable_by = ["project"]\n[sections."acme.own"]\neditable_by = ["project"]\n'
    )
    prompt = desk.build(
        {f"{OVERRIDES}/HOUSE.md": "Stranger."},
        plugins={"acme": giving([Section("acme.own", "x"), Section("acme.other", "x"), Section("bolt.x", "x")])},
        untrusted=[Section("custom_house", "Stranger.")],
    )
    ids = [section.id for section in prompt.sections if section.layer == "extension"]
    assert ids == ["acme.other"]
    assert {one.section for one in desk.codes("FW020")} == {"custom_house", "acme.own", "bolt.x"}


def test_nobody_untrusted_breaks_a_required_section(desk: Any) -> None:
    """Removing, emptying and over-long edits of a required section are refused; the operator's own removal raises."""
    desk.configure("[sections.tool_usage]\nrequired = true\n[limits.override]\nsection = 20\n")
    for text in (override("tool_usage", "remove"), "---\nmode: replace\n---\n", "x" * 21, "{{ nope"):
        prompt = desk.build({f"{OVERRIDES}/TOOL_USAGE.md": text})
        assert prompt.section("tool_usage").text
    (desk.root / OVERRIDES / "TOOL_USAGE.md").unlink()
    with pytest.raises(BuildError, match="required section 'tool_usage'"):
        desk.build({"prompts/TOOL_USAGE.md": "---\nmode: remove\n---\n"})


@pytest.mark.parametrize(("layer", "edge"), [("extension", 300), ("memory", 500), ("override", 500)])
@pytest.mark.parametrize("priority", [0, 100, 199, 299])
def test_the_untrusted_stand_behind_safety(desk: Any, giving: Any, layer: str, edge: int, priority: int) -> None:
    """A low priority of an untrusted section is moved to the edge of its layer's window, with a warning."""
    text = f"---\ntitle: T\npriority: {priority}\n---\nStranger."
    files = {"memory": {"memory/system/t.md": text}, "override": {f"{OVERRIDES}/t.md": text}}.get(layer, {})
    plugins = {"acme": giving([Section("acme.t", "Stranger.", priority=priority)] if not files else [])}
    prompt = desk.build(files, plugins=plugins)
    (section,) = [one for one in prompt.sections if one.layer == layer and one.text == "Stranger."]
    assert section.priority == edge
    ids = [one.id for one in prompt.sections]
    assert ids.index("safety") < ids.index(section.id)
    (moved,) = desk.codes("FW024")
    assert (moved.severity, moved.section) == ("warning", section.id)


# -- limits ------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=5),
    st.lists(st.integers(1, 300), max_size=4),
    st.integers(1, 900),
    st.integers(1, 3000),
)
def test_limits_refuse_from_the_end_and_never_raise(
    new_desk: Any, giving: Any, pinned: list[int], given: list[int], layer: int, whole: int
) -> None:
    """Whatever the limits and sizes, untrusted edits go from the end until it fits, and the operator's all stand."""
    with new_desk() as desk:
        plain = desk.build({"prompts/STYLE.md": "Short."})
        desk.configure(
            f"[limits]\nprompt = {whole}\n[limits.memory]\nlayer = {layer}\n[limits.extension]\nlayer = {layer}\n"
            "[sections.tool_usage]\nrequired = true\n"
        )
        prompt = desk.build(
            {f"memory/system/m{number}.md": "m" * size for number, size in enumerate(pinned)}
            | {f"{OVERRIDES}/TOOL_USAGE.md": "o" * 200},
            plugins={"acme": giving([Section(f"acme.x{number}", "x" * size) for number, size in enumerate(given)])},
        )
    for section in plain.sections:
        if section.id != "tool_usage":
            assert prompt.section(section.id).text == section.text
    assert prompt.section("tool_usage").text
    sizes = dict.fromkeys(("memory", "extension", "override"), 0)
    for section in prompt.sections:
        if section.layer in sizes:
            sizes[section.layer] += len(section.text)
    assert sizes["memory"] <= layer
    assert sizes["extension"] <= layer
    untrusted = [section for section in prompt.sections if section.layer in sizes]
    total = sum(len(section.text.encode()) for section in prompt.sections)
    assert total <= whole or untrusted == []
    # What is refused for the prompt's limit stands behind what is kept.
    for one in desk.codes("FW029"):
        assert one.severity == "error"
        assert one.section is not None
    names = [section.id for section in untrusted if section.id.startswith("memory/m")]
    assert names == [f"memory/m{number}" for number in range(len(names))]


SHOWN = [
    ("sections.tool_usage", "required = true", "sections.tool_usage.required", "true"),
    ("sections.tool_usage", 'editable_by = ["project"]', "sections.tool_usage.editable_by", '["project"]'),
    ("sections.tool_usage", 'others_may = ["append"]', "sections.tool_usage.others_may", '["append"]'),
    ("priorities", "memory = [600, 700]", "priorities.memory", "[600, 700]"),
    ("prefer", 'tool_usage = "acme"', "prefer.tool_usage", '"acme"'),
    ("plugins", 'disable = ["foreword:skills"]', "plugins.disable", '["foreword:skills"]'),
    ("plugins", 'require = ["foreword:builtin"]', "plugins.require", '["foreword:builtin"]'),
    ("plugins", "pin = true", "plugins.pin", "true"),
    ("plugins", "timeout = 2.5", "plugins.timeout", "2.5"),
    ("plugins.layers", 'acme = ["project"]', "plugins.layers.acme", '["project"]'),
    ("limits", "prompt = 9000", "limits.prompt", "9000"),
    *(("limits.memory", f"{key} = 9000", f"limits.memory.{key}", "9000") for key in ("file", "section", "layer")),
    ("limits.extension", "sections = 9", "limits.extension.sections", "9"),
    ("limits.agent", 'templates = ["names"]', "limits.agent.templates", '["names"]'),
    ("limits.override", 'variables = ["agent_name"]', "limits.override.variables", '["agent_name"]'),
    ("scan", 'refuse = ["joiner"]', "scan.refuse", '["joiner"]'),
    ("scan", 'keep = ["joiner"]', "scan.keep", '["joiner"]'),
    ("scan.severities", 'joiner = "off"', "scan.severities.joiner", '"off"'),
    ("files", "max_bytes = 9000", "files.max_bytes", "9000"),
]


@pytest.mark.parametrize(("table", "line", "key", "value"), SHOWN, ids=[key for _, _, key, _ in SHOWN])
def test_every_rule_is_shown_with_its_line(desk: Any, table: str, line: str, key: str, value: str) -> None:
    """``foreword explain --policy`` shows each rule that the operator set, and the file and line it comes from."""
    config = desk.root / "foreword.toml"
    config.write_text(f"[{table}]\n{line}\n")
    done = CliRunner().invoke(foreword, ["explain", "--policy", "--json", "--config", str(config)])
    assert done.exit_code == 0, done.output
    rows = {row["key"]: row for row in json.loads(done.stdout)["policy"]}
    assert rows[key] == {"key": key, "value": value, "from": f"{config}:2"}


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("limits", "prompt = 0"),
        ("limits", "prompt = -1"),
        ("limits", "prompt = true"),
        ("limits", "pormpt = 1"),
        ("limits", "builtin = { layer = 1 }"),
        ("limits.memory", 'layer = "1"'),
        ("limits.memory", "sections = 1"),
        ("limits.memory", 'templates = ["jinja"]'),
        ("limits.override", 'templates = ["names", "jinja"]'),
        ("limits.project", 'templates = ["shell"]'),
        ("limits.project", 'variables = "agent_name"'),
        ("limits.project", 'variables = ["agent name"]'),
        ("limits.extension", "file = 1.5"),
        ("sections.safety", 'editable_by = ["root"]'),
        ("sections.safety", 'others_may = ["delete"]'),
        ("priorities", "memory = [700, 600]"),
        ("priorities", "memory = [0, 1000]"),
        ("plugins", 'pin = "yes"'),
        ("skills", "pin = 1"),
        ("", 'layout = "html"'),
    ],
)
def test_a_rule_that_cannot_be_meant_is_an_error_with_its_line(desk: Any, table: str, line: str) -> None:
    """A wrong key or value of the policy is a configuration error with file and line, and never passed over."""
    config = desk.root / "foreword.toml"
    config.write_text(f"[{table}]\n{line}\n" if table else f"\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load(config)
    assert caught.value.place is not None
    assert caught.value.place.line == 2
    assert line.partition(" ")[0] in caught.value.message


def test_a_memory_cannot_bring_a_policy(desk: Any) -> None:
    """A foreword.toml or foreword.lock inside a memory, a skill or the prompts directory says nothing."""
    policy = '[sections.safety]\neditable_by = ["override"]\nrequired = false\n'
    prompt = desk.build(
        {
            "memory/foreword.toml": policy,
            "memory/souveraine_operations/foreword.toml": policy,
            "prompts/foreword.toml": policy,
            "skills/foreword.toml": policy,
            f"{OVERRIDES}/SAFETY.md": "Stranger.",
        }
    )
    assert prompt.section("safety").layer == "builtin"
    assert [one.section for one in desk.codes("FW020")] == ["safety"]
