"""The policy: what the operator allows, whichever layer an edit comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import ConfigError
from foreword._layers import LAYERS, UNTRUSTED
from foreword._policy import DEFAULT_POLICY, Policy, SectionRule, describe
from foreword.config._config import load
from foreword.config._settings import Settings

MODES = ("plain", "define", "replace", "remove", "patch", "prepend", "append", "move")


def configured(tmp_path: Path, text: str) -> Settings:
    """Return the settings of a file with this text."""
    (tmp_path / "foreword.toml").write_text(text)
    return load(tmp_path / "foreword.toml")


def test_default_policy_is_that_of_the_default_settings() -> None:
    """Without a configuration the policy is the documented default."""
    assert Policy.from_settings(Settings()) == DEFAULT_POLICY
    assert DEFAULT_POLICY.required() == ("safety",)
    assert DEFAULT_POLICY.locked("safety")
    assert DEFAULT_POLICY.window("memory") == (500, 999)
    assert DEFAULT_POLICY.window("project") is None


@pytest.mark.parametrize("layer", LAYERS)
def test_reserved_ids_are_defined_by_the_operator_only(tmp_path: Path, layer: str) -> None:
    """A reserved id, or one with a reserved beginning, is defined by no untrusted layer; others are."""
    policy = Policy.from_settings(configured(tmp_path, 'reserved = ["ops", "custom_company_*"]\n'))
    untrusted = layer in UNTRUSTED
    for id in ("ops", "custom_company_rules"):
        assert (policy.allows(id, layer, "define", own=True) is not None) == untrusted
        assert policy.allows(id, layer, "append", own=True) is None or layer == "extension"
    for id in ("opsx", "custom_companyx"):
        assert policy.allows(id, layer, "define", own=True) is None


def test_reserved_ids_are_described_and_checked(tmp_path: Path) -> None:
    """What is reserved stands in the description of the policy, and what is no id is a configuration error."""
    settings = configured(tmp_path, 'reserved = ["custom_company_*"]\n')
    rows = describe(Policy.from_settings(settings), settings)
    assert ("reserved", '["custom_company_*"]', f"{tmp_path / 'foreword.toml'}:1") in [tuple(row) for row in rows]
    with pytest.raises(ConfigError, match="reserved"):
        configured(tmp_path, 'reserved = ["a//b"]\n')


def test_policy_of_a_configuration(tmp_path: Path) -> None:
    """Sections, windows and preferences of the file are those of the policy."""
    text = """
        [sections.safety]
        others_may = ["append"]
        [sections.b]
        required = true
        [sections."tools/Read"]
        editable_by = ["project"]
        [priorities]
        project = [1, 2]
        [prefer]
        "tools/Read" = "acme"
    """
    policy = Policy.from_settings(configured(tmp_path, text))
    assert policy.rule("safety").others_may == {"append"}
    assert policy.rule("unheard_of") == SectionRule()
    assert policy.required() == ("b", "safety")
    assert policy.window("project") == (1, 2)
    assert policy.window("extension") == (300, 999)
    assert policy.preferred("tools/read") == "acme"
    assert policy.preferred("b") is None


def test_tools_are_locked_in_every_case() -> None:
    """The prose of a tool is one section whatever the case of its name, so a lock holds for all of them."""
    policy = Policy(sections={"tools/bash": SectionRule(editable_by=frozenset({"project"}))})
    assert policy.locked("tools/Bash")
    assert policy.allows("tools/BASH", "override", "replace") is not None


@pytest.mark.parametrize(
    ("editable_by", "locked"),
    [
        (None, False),
        (frozenset[str](), True),
        (frozenset({"project"}), True),
        (frozenset({"project", "memory"}), False),
        (frozenset({"extension"}), False),
        (frozenset({"override"}), False),
    ],
)
def test_locked_means_closed_to_the_untrusted(editable_by: frozenset[str] | None, locked: bool) -> None:
    """A section is locked when its editors are listed and none of them is a third party or the agent."""
    assert Policy(sections={"a": SectionRule(editable_by=editable_by)}).locked("a") is locked


def test_refusal_of_a_locked_section_names_the_policy() -> None:
    """The reason says who may edit the section, and which key of the configuration says so."""
    assert DEFAULT_POLICY.allows("safety", "memory", "replace") == (
        "the policy lets only builtin, project, agent, session edit 'safety' ([sections.safety] editable_by)"
    )
    closed = Policy(sections={"a.b": SectionRule(editable_by=frozenset())})
    assert closed.allows("a.b", "project", "plain") == (
        "the policy lets no layer edit 'a.b' ([sections.\"a.b\"] editable_by)"
    )


@given(st.sampled_from(LAYERS), st.sampled_from(MODES), st.booleans())
def test_listed_layers_and_no_others_edit_a_section(layer: str, mode: str, own: bool) -> None:
    """A section with listed editors takes every edit of theirs and none of anybody else."""
    allowed = DEFAULT_POLICY.allows("safety", layer, mode, own=own) is None
    assert allowed is (layer not in UNTRUSTED)


@given(st.sampled_from(LAYERS), st.sampled_from(MODES))
def test_open_section_takes_every_edit_but_those_of_plugins(layer: str, mode: str) -> None:
    """Where no editors are listed, every layer edits but extension."""
    allowed = DEFAULT_POLICY.allows("tool_usage", layer, mode) is None
    assert allowed is (layer != "extension")


@given(st.sampled_from(MODES), st.booleans())
def test_plugin_only_defines_and_only_its_own(mode: str, own: bool) -> None:
    """In layer extension a plugin defines sections of its own and does nothing else."""
    allowed = DEFAULT_POLICY.allows("acme.style", "extension", mode, own=own) is None
    assert allowed is (own and mode in ("plain", "define"))


def test_refusal_of_a_plugin_says_what_it_may() -> None:
    """The reason names the prefix that the plugin's ids must have, or the mode that it may not use."""
    prefix = "acme-citations."
    assert DEFAULT_POLICY.allows("style", "extension", "define", prefix=prefix) == (
        "in layer extension a plugin defines only ids that begin with 'acme-citations.'"
    )
    assert DEFAULT_POLICY.allows("style", "extension", "define") == (
        "in layer extension a plugin defines only ids that begin with its distribution's name and a dot"
    )
    assert DEFAULT_POLICY.allows("acme-citations.style", "extension", "remove", own=True, prefix=prefix) == (
        "in layer extension a plugin only defines sections: no remove of 'acme-citations.style'"
    )


@given(st.sampled_from(MODES))
def test_listed_plugin_may_do_everything(mode: str) -> None:
    """A plugin whose layer is listed may use every mode."""
    policy = Policy(sections={"a": SectionRule(editable_by=frozenset({"extension"}))})
    assert policy.allows("a", "extension", mode) is None
    assert policy.allows("a", "project", mode) is not None


@given(
    st.sampled_from(sorted(UNTRUSTED)),
    st.sampled_from(MODES),
    st.frozensets(st.sampled_from(MODES[1:])),
    st.booleans(),
)
def test_others_may_opens_the_named_modes_only(layer: str, mode: str, others_may: frozenset[str], listed: bool) -> None:
    """Layers that are not listed may use the modes of others_may; a plain edit may need either of two."""
    rule = SectionRule(False, frozenset({"project"}) if listed else None, others_may)
    allowed = Policy(sections={"a": rule}).allows("a", layer, mode) is None
    named = mode in others_may or (mode == "plain" and {"define", "replace"} <= others_may)
    assert allowed is (named or (not listed and layer != "extension"))


def test_description_names_every_value_and_who_set_it(tmp_path: Path) -> None:
    """The policy is described key by key, with the file and line of what the operator set."""
    text = """[sections."acme.x"]
required = true
[priorities]
memory = [600, 700]
[prefer]
a = "acme:x"
[plugins]
require = ["acme"]
layers.acme = ["project"]
[files]
link_roots = ["/srv/"]
[scan]
refuse = ["joiner"]
severities = { control = "error" }
"""
    settings = configured(tmp_path, text)
    file = str(tmp_path / "foreword.toml")
    assert [tuple(row) for row in describe(Policy.from_settings(settings), settings)] == [
        ('sections."acme.x".required', "true", f"{file}:2"),
        ('sections."acme.x".editable_by', json.dumps([one for one in LAYERS if one != "extension"]), "default"),
        ('sections."acme.x".others_may', "[]", "default"),
        ("sections.safety.required", "true", "default"),
        ("sections.safety.editable_by", '["builtin", "project", "agent", "session"]', "default"),
        ("sections.safety.others_may", "[]", "default"),
        ("priorities.extension", "[300, 999]", "default"),
        ("priorities.memory", "[600, 700]", f"{file}:4"),
        ("priorities.override", "[500, 999]", "default"),
        ("prefer.a", '"acme:x"', f"{file}:6"),
        ("plugins.disable", "[]", "default"),
        ("plugins.require", '["acme"]', f"{file}:8"),
        ("plugins.layers.acme", '["project"]', f"{file}:9"),
        ("plugins.pin", "false", "default"),
        ("skills.pin", "false", "default"),
        ("memory.approval", "false", "default"),
        ("limits.extension.layer", "1048576", "default"),
        ("limits.extension.sections", "1000", "default"),
        ("limits.extension.templates", '["names"]', "default"),
        ("limits.memory.layer", "1048576", "default"),
        ("limits.memory.templates", '["names"]', "default"),
        ("limits.override.layer", "1048576", "default"),
        ("limits.override.templates", '["names"]', "default"),
        ("scan.severities.control", '"error"', f"{file}:14"),
        ("scan.refuse", '["joiner"]', f"{file}:13"),
        ("files.max_bytes", "262144", "default"),
        ("files.link_roots", '["/srv"]', f"{file}:11"),
    ]
