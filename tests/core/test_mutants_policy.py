"""The policy, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Section
from foreword._diagnostics import Place
from foreword._limits import is_within_limits, resolve_within_limits
from foreword._policy import LayerRule, Policy, SectionRule, describe
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import resolve
from foreword.config._config import load

EVERYTHING = """
[sections.a]
editable_by = ["project"]
[limits]
prompt = 1000
[limits.extension]
file = 10
section = 20
layer = 30
sections = 4
variables = ["agent_name"]
[limits.project]
templates = ["names"]
[scan]
refuse = ["joiner"]
keep = ["control"]
[scan.severities]
nul = "info"
[plugins]
timeout = 5
disable = ["acme"]
[files]
max_bytes = 9
"""


def test_all_that_can_be_set_is_described_under_its_key(tmp_path: Path) -> None:
    """Every key that an operator can set is described with its value and its line."""
    file = tmp_path / "foreword.toml"
    file.write_text(EVERYTHING)
    settings = load(file)
    described = {row.key: row.value for row in describe(Policy.from_settings(settings), settings) if ":" in row.origin}
    assert {key: value.removesuffix(".0") for key, value in described.items()} == {
        "sections.a.editable_by": '["project"]',
        "limits.prompt": "1000",
        "limits.extension.file": "10",
        "limits.extension.section": "20",
        "limits.extension.layer": "30",
        "limits.extension.sections": "4",
        "limits.extension.variables": '["agent_name"]',
        "limits.project.templates": '["names"]',
        "scan.refuse": '["joiner"]',
        "scan.keep": '["control"]',
        "scan.severities.nul": '"info"',
        "plugins.timeout": "5",
        "plugins.disable": '["acme"]',
        "files.max_bytes": "9",
    }


def test_what_is_refused_for_a_limit_says_so_in_its_chain(tmp_path: Path) -> None:
    """A text that went for a limit is refused, with the limit as its reason."""
    file = tmp_path / "foreword.toml"
    file.write_text("[limits.extension]\nlayer = 10\n")
    builder = Builder(settings=load(file), plugins=False, on_diagnostic=lambda _: None)
    prompt = builder.build(untrusted=[Section("x", "y" * 11)])
    (step,) = next(one for one in prompt.explain() if one.id == "x").steps
    assert (step.outcome, step.reason) == (
        "refused",
        "the texts of layer extension have 11 bytes together, more than 10",
    )


def test_a_rule_requires_nothing_by_itself() -> None:
    """A section that has a rule is required only where the rule says so."""
    assert Policy({"a": SectionRule(), "b": SectionRule(required=True)}).required() == ("b",)


def text(layer: str, content: str, **given: Any) -> PreparedEdit:
    """An edit with this text, which is its file's name too."""
    trusted = layer not in ("extension", "memory", "override")
    provider = Provider("acme", "1.0", "main")
    edit = PreparedEdit("a", layer, "append", provider, Place(f"{content}.md", 1), text=content, raw=content)
    return edit._replace(trusted=trusted, **given)


BASE = text("project", "base", mode="plain")
TOOL = text("memory", "t", mode="plain", id="tools/t")
LATE = text("memory", "zz", mode="plain", id="b")
GIVEN = [BASE, text("memory", "four"), text("memory", "äö", position=1), text("override", "o"), LATE, TOOL]


@pytest.mark.parametrize(
    ("most", "refused"),
    [
        (11, []),
        (10, ["t"]),
        (9, ["t", "zz"]),
        (8, ["t", "zz"]),
        (7, ["t", "zz", "äö"]),
        (4, ["t", "zz", "äö"]),
        (3, ["t", "zz", "äö", "four"]),
        (0, ["t", "zz", "äö", "four"]),
    ],
)
def test_a_layers_texts_go_from_the_end_until_the_rest_fits(most: int, refused: list[str]) -> None:
    """Tools go first, then the last section's last text; no more than has to, and nothing of another layer."""
    policy = Policy(layers={"memory": LayerRule(layer=most), "override": LayerRule(layer=100)})
    resolution = resolve_within_limits(reversed(GIVEN), policy)
    assert is_within_limits(resolve(GIVEN, policy), policy) is (not refused)
    assert is_within_limits(resolution, policy) is True
    reason = f"the texts of layer memory have 11 bytes together, more than {most}"
    assert [(one.code, one.severity, one.message, str(one.place), one.provider) for one in resolution.diagnostics] == [
        ("FW029", "error", reason, f"{name}.md:1", "acme:main 1.0") for name in refused
    ]
    assert {one.remedy for one in resolution.diagnostics} <= {"shorten it, or raise the limit under [limits]"}
    steps = [step for steps in resolution.chains.values() for step in steps if step.outcome == "refused"]
    assert sorted(step.edit.place.path for step in steps) == sorted(f"{name}.md" for name in refused)
    assert {step.reason for step in steps} <= {reason}


@pytest.mark.parametrize(
    ("most", "refused"),
    [
        (21, []),
        (20, ["zz"]),
        (19, ["zz"]),
        (18, ["zz", "o"]),
        (17, ["zz", "o", "äö"]),
        (14, ["zz", "o", "äö"]),
        (13, ["zz", "o", "äö", "four"]),
        (0, ["zz", "o", "äö", "four"]),
    ],
)
def test_a_prompts_texts_go_from_the_end_until_the_rest_fits(most: int, refused: list[str]) -> None:
    """Whatever their layer, the last texts go first; what the operator gives stays, and so do the tools."""
    policy = Policy(prompt=most)
    resolution = resolve_within_limits(GIVEN, policy)
    assert is_within_limits(resolve(GIVEN, policy), policy) is (not refused)
    assert is_within_limits(resolution, policy) is True
    assert [(str(one.place), one.message) for one in resolution.diagnostics] == [
        (f"{name}.md:1", f"the prompt has 21 bytes, more than {most}") for name in refused
    ]
    assert len(resolution.tools) == 1


def test_the_limit_of_the_prompt_comes_last() -> None:
    """A text that is too much for its layer and for the prompt is refused for the prompt."""
    policy = Policy(layers={"memory": LayerRule(layer=9)}, prompt=18)
    resolution = resolve_within_limits(GIVEN, policy)
    assert [(str(one.place), one.message.split()[1]) for one in resolution.diagnostics] == [
        ("t.md:1", "texts"),
        ("zz.md:1", "prompt"),
        ("o.md:1", "prompt"),
    ]


def test_a_limit_is_told_with_all_else() -> None:
    """What is refused for a limit is told after what there is to say of the rest, once the rest is resolved anew."""
    lost = text("override", "lost", id="none")
    resolution = resolve_within_limits([*GIVEN, lost], Policy(prompt=20))
    assert [one.code for one in resolution.diagnostics] == ["FW022", "FW029"]


def test_a_text_that_stands_on_a_refused_one_is_not_refused_for_the_limit() -> None:
    """Where the limit takes a section away, an addition to it has no target, and is not counted any more."""
    edits = [text("memory", "long text", mode="plain", id="b"), text("override", "x", id="b"), BASE]
    resolution = resolve_within_limits(edits, Policy(layers={"memory": LayerRule(layer=2)}))
    assert [step.outcome for step in resolution.chains["b"]] == ["refused", "no-target"]
    assert [section.id for section in resolution.sections] == ["a"]


def test_a_policy_shows_what_it_was_made_of() -> None:
    """The representation of a policy says what it was given, and nothing that follows from it."""
    layers = {"memory": LayerRule(layer=1, variables=frozenset({"x"}))}
    policy = Policy({"a": SectionRule(True, frozenset({"project"}))}, {"memory": (1, 2)}, {"a": "b"}, layers, 3, ("c",))
    known = {"Policy": Policy, "SectionRule": SectionRule, "LayerRule": LayerRule, "frozenset": frozenset}
    assert eval(repr(policy), known) == policy
    assert (policy.locks, policy.limited, policy.choosy) == ({"a"}, {"memory"}, {"memory"})
    assert policy != Policy()


def test_what_follows_from_a_policy() -> None:
    """Only layers with a limit are limited, only those with a list of variables are choosy, an empty list included."""
    layers = {
        "project": LayerRule(variables=frozenset()),
        "agent": LayerRule(file=1, section=1, sections=1),
        "memory": LayerRule(layer=0),
    }
    policy = Policy(layers=layers)
    assert (policy.locks, policy.limited, policy.choosy) == (frozenset(), {"memory"}, {"project"})
    assert policy.required() == ()


@pytest.mark.parametrize("mode", ["plain", "define"])
@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_a_reserved_id_is_not_defined_by_a_plain_text_either(layer: str, mode: str) -> None:
    """What is reserved no stranger defines, in whichever way; what is not, its owner does."""
    policy = Policy(reserved=("acme.x", "acme.y*"))
    for id, pattern in (("acme.x", "acme.x"), ("acme.yes", "acme.y*")):
        reason = f"the operator reserves {id!r} (reserved = [{pattern!r}]), so layer {layer} may not define it"
        assert policy.allows(id, layer, mode, own=True) == reason
        assert policy.allows(id, "project", mode) is None
    assert policy.allows("acme.xx", layer, mode, own=True) is None


def test_a_plain_edit_may_need_either_of_two_modes() -> None:
    """A plain edit is open to others where they may define and replace, not where they may do one of them."""
    for modes, allowed in (({"define", "replace"}, True), ({"define"}, False), ({"replace", "append"}, False)):
        rule = SectionRule(editable_by=frozenset({"project"}), others_may=frozenset(modes))
        assert (Policy({"a": rule}).allows("a", "memory", "plain") is None) is allowed
