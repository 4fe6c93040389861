"""What is loaded, and when: a name, a line of help and a prompt each pay only for what they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importlib_metadata import distributions
from pydantic import BaseModel

import foreword
from foreword import _HOMES
from foreword._discovery import metadata_name
from foreword._names import plugin_prefix
from foreword.config._settings import Settings

HEAVY = {"pydantic", "pydantic_core", "jinja2", "yaml", "markdown_it", "rich", "pluggy", "importlib_metadata"}
OTHERS = {"click", "re", "typing", "asyncio", "importlib.metadata", "foreword_plugins", "foreword_prompts"}
PROBE = """
import json, sys
before = set(sys.modules)
{work}
print("\\n" + json.dumps(sorted(set(sys.modules) - before)))
"""
COMMAND = """
sys.argv = ["foreword", *{arguments!r}]
from foreword.commands import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


class Probed(NamedTuple):
    """What a fresh process wrote, and the modules that it loaded on the way."""

    out: str
    modules: set[str]

    def any_of(self, names: set[str]) -> set[str]:
        """Return which of these packages and modules are loaded."""
        return names & {*self.modules, *(module.partition(".")[0] for module in self.modules)}


@pytest.fixture
def probe(tmp_path: Path) -> Any:
    """Runs some work in a process of its own, in an empty directory."""
    (tmp_path / ".git").mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FOREWORD_", "COV"))}

    def probe(work: str) -> Probed:
        done = subprocess.run(
            [sys.executable, "-c", PROBE.format(work=work)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        out, _, modules = done.stdout.rstrip("\n").rpartition("\n")
        return Probed(out, set(json.loads(modules)))

    return probe


def command(*arguments: str) -> str:
    """Return the program that runs the script ``foreword`` with these arguments."""
    return COMMAND.format(arguments=list(arguments))


# -- who asks for little ----------------------------------------------------------------------------


def test_importing_foreword_loads_none_of_what_it_stands_on(probe: Any) -> None:
    """``import foreword`` loads no dependency, no plugin, and nothing of foreword but its own first file."""
    probed = probe("import foreword")
    assert not probed.any_of(HEAVY | OTHERS)
    assert {module for module in probed.modules if module.startswith("foreword")} == {"foreword"}


@pytest.mark.parametrize("name", sorted({home: name for name, home in _HOMES.items()}.values()))
def test_every_public_name_can_be_the_first_that_is_asked_for(probe: Any, name: str) -> None:
    """Each module with public names loads what it needs by itself, whichever comes first."""
    assert probe(f"from foreword import {name}; print(callable({name}))").out.strip() == "True"


def test_the_version_is_told_without_a_dependency(probe: Any) -> None:
    """``foreword --version`` loads neither click nor pydantic nor a plugin."""
    probed = probe(command("--version"))
    assert probed.out.strip() == f"foreword {foreword.__version__}"
    assert not probed.any_of(HEAVY | OTHERS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["build", "--help"],
        ["explain", "--help"],
        ["lint", "--help"],
        ["plugins", "--help"],
        ["trust", "--help"],
        ["memory", "--help"],
        ["memory", "status", "--help"],
    ],
    ids=" ".join,
)
def test_help_loads_click_and_nothing_that_builds(probe: Any, arguments: list[str]) -> None:
    """Help, of foreword and of each command, is there before pydantic, pluggy or a plugin."""
    probed = probe(command(*arguments))
    assert probed.out.startswith("Usage: foreword ")
    assert "click" in probed.modules
    assert not probed.any_of(HEAVY | {"asyncio", "foreword_plugins", "foreword_prompts"})


def test_a_prompt_of_the_defaults_loads_no_jinja_no_yaml_and_nothing_for_terminals(probe: Any) -> None:
    """``foreword build`` in an empty directory pays for no template engine, no YAML and no event loop."""
    probed = probe(command("build"))
    assert probed.out.startswith("You are ")
    assert not probed.any_of({"jinja2", "markupsafe", "yaml", "markdown_it", "rich", "pygments", "asyncio", "tomllib"})


# -- what the start leaves unchecked is right ---------------------------------------------------------


def kinds(value: object) -> object:
    """Return the types of a setting and of everything in it."""
    if isinstance(value, BaseModel):
        return type(value), {name: kinds(inner) for name, inner in value.__dict__.items()}
    if hasattr(value, "items"):
        return type(value), {name: kinds(inner) for name, inner in value.items()}
    return type(value), [kinds(inner) for inner in value] if isinstance(value, tuple) else None


def test_the_defaults_are_what_checking_them_gives() -> None:
    """The settings without a foreword.toml, which nothing checks, are those of a file that says nothing."""
    layers = ("extension", "project", "agent", "memory", "override", "session")
    tables = ("memory", "skills", "variables", "agents", "sections", "priorities", "prefer", "plugins", "files", "scan")
    said = Settings.model_validate({**{table: {} for table in tables}, "limits": {layer: {} for layer in layers}})
    unsaid = Settings.model_validate({})
    start = Settings.model_construct()
    assert start == unsaid == said
    assert kinds(start) == kinds(unsaid) == kinds(said)
    assert start.model_dump() == unsaid.model_dump() == said.model_dump()


# -- metadata, read by their first lines --------------------------------------------------------------


def test_every_installed_distribution_is_read_as_its_own_metadata_say() -> None:
    """Name and version are those that a full parse of the metadata gives."""
    found = list(distributions())
    assert len(found) > 10
    for distribution in found:
        assert metadata_name(distribution) == (plugin_prefix(distribution.name), distribution.version)


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
FIELDS = st.sampled_from(["Name", "Version", "name", "VERSION", "Summary", "Requires-Dist", "Author"])


class Installed:
    """A distribution of which there is only its metadata."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read_text(self, filename: str) -> str | None:
        """Return the metadata."""
        return self.text if filename == "METADATA" else None


@given(st.lists(st.tuples(FIELDS, WORDS), max_size=8), st.text(max_size=60))
def test_the_first_field_of_a_name_counts_as_in_a_letter(fields: list[tuple[str, str]], description: str) -> None:
    """Fields are found in any case and order, the first of two counts, and a description is none."""
    letter = Message()
    for name, value in fields:
        letter.add_header(name, value)
    text = "".join(f"{name}: {value}\n" for name, value in fields) + f"\n{description}"
    if letter["Name"] and letter["Version"]:
        assert metadata_name(Installed(text)) == (plugin_prefix(letter["Name"]), letter["Version"])
    else:
        with pytest.raises(ValueError, match="they give no"):
            metadata_name(Installed(text))
