"""The plugin host: what is found, what is loaded, and what a broken plugin costs."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from foreword import (
    Builder,
    BuildError,
    ConfigError,
    Diagnostic,
    ForewordWarning,
    Prompt,
    Section,
    UnknownSection,
)

GOOD = """
@hookimpl
def foreword_sections(context):
    return [Section("{prefix}.style", "Text of {prefix}.", title="Style of {prefix}")]
"""
FIRST_PARTY = ["foreword:agent", "foreword:builtin", "foreword:directory", "foreword:memory", "foreword:skills"]


def good(prefix: str) -> str:
    return GOOD.replace("{prefix}", prefix)


def hook(body: str) -> str:
    return f"@hookimpl\ndef foreword_sections(context):\n    {body}\n"


def configured(tmp_path: Path, toml: str, found: list[Diagnostic] | None = None) -> Builder:
    config = tmp_path / "foreword.toml"
    config.write_text(toml)
    collected: list[Diagnostic] = found if found is not None else []
    return Builder.from_config(config, on_diagnostic=collected.append)


def built(**arguments: object) -> tuple[Prompt, list[Diagnostic]]:
    found: list[Diagnostic] = []
    prompt = Builder(on_diagnostic=found.append).build(**arguments)  # type: ignore[arg-type]
    return prompt, found


def errors(found: list[Diagnostic]) -> list[Diagnostic]:
    return [one for one in found if one.severity == "error"]


def ids(prompt: Prompt) -> list[str]:
    return [section.id for section in prompt.sections]


def status(builder: Builder, name: str) -> tuple[str, str]:
    plugin = next(plugin for plugin in builder.manager.plugins if plugin.provider.name == name)
    return plugin.status, plugin.reason


# -- discovery -------------------------------------------------------------------------------------------------


def test_the_first_party_sources_come_through_entry_points_like_everybodys() -> None:
    """The five sources that ship with foreword stand in the list of plugins, each with its own layers."""
    plugins = {plugin.provider.name: plugin for plugin in Builder().manager.plugins}
    assert [name for name in plugins if name.startswith("foreword:")] == FIRST_PARTY
    assert {name: plugins[name].layers for name in FIRST_PARTY} == {
        "foreword:builtin": ("builtin",),
        "foreword:directory": ("project",),
        "foreword:agent": ("agent",),
        "foreword:memory": ("memory", "override"),
        "foreword:skills": ("extension", "project", "memory"),
    }
    assert all(plugins[name].status == "active" and plugins[name].value for name in FIRST_PARTY)


def test_finding_a_plugin_imports_nothing_of_it(site) -> None:
    """Discovery reads metadata: a module that would raise is not touched until a builder is made."""
    module = site.add("acme-bomb", "raise RuntimeError('imported')")
    from foreword._discovery import discover

    assert "acme-bomb:main" in [item.provider.name for item in discover()]
    assert module not in sys.modules


def test_no_order_of_installation_or_of_the_search_path_shows(tmp_path, monkeypatch) -> None:
    """The same distributions, installed in any order and found in any order, give the same prompt and list."""
    from conftest_site import Site  # pragma: no cover
