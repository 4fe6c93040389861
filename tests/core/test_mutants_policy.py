"""The policy, where a small slip would go unnoticed otherwise."""

from __future__ import annotations

from pathlib import Path

from foreword import Builder, Section
from foreword._policy import Policy, SectionRule, describe
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
