"""The reference pages are complete: nothing that a reader can meet is left out, and no link is dead."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args, get_origin

import click
import pytest
from markdown_it import MarkdownIt
from pydantic import BaseModel

from foreword import Context
from foreword._diagnostics import CODES, Severity
from foreword._hookspecs import Hooks
from foreword._layers import LAYERS, Layer
from foreword._model import MODES, Edit, Section
from foreword._prepared import Outcome
from foreword.commands._group import foreword
from foreword.config._settings import Settings
from foreword.markdown._front_matter import KEYS
from foreword.scan._rules import RULES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
NOUNS = ("section", "source", "layer", "edit", "policy", "prompt", "provenance", "diagnostic")
# Words that elsewhere mean a section, an edit, a layer, a source or a diagnostic.
SYNONYMS = ("fragment", "snippet", "chunk", "overlay", "contributor", "patchset", "tier", "ruleset", "lint error")


def read(name: str) -> str:
    """Return the text of a page of the documentation."""
    return (DOCS / name).read_text(encoding="utf-8")


def headings(text: str) -> Iterator[str]:
    """Yield the headings of a page, as they are written."""
    tokens = MarkdownIt("commonmark").parse(text)
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open":
            yield inline.content


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def chapter(text: str, heading: str) -> str:
    """Return what stands under a heading of level 2."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    """Yield every key of the configuration as TOML writes it, with a word in capitals for a name."""
    for name, field in model.model_fields.items():
        key = above + (field.alias or name)
        inner = _of_mapping(field.annotation)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys(field.annotation, f"{key}.")
        elif isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{key}.*.")
        else:
            yield f"{key}.*" if inner is not None else key


def _of_mapping(annotation: object) -> object:
    return get_args(annotation)[1] if get_origin(annotation) is Mapping else None


def test_every_hook_is_a_heading_with_its_arguments() -> None:
    """The hook reference has each hook under a heading that gives its exact arguments."""
    wanted = {
        f"`{name}({', '.join(list(inspect.signature(hook).parameters)[1:])})`"
        for name, hook in vars(Hooks).items()
        if name.startswith("foreword_")
    }
    assert wanted == {heading for heading in headings(read("hooks.md")) if heading.startswith("`foreword_")}


def test_everything_that_a_context_offers_is_described() -> None:
    """The hook reference names every public attribute and method of the context."""
    page = chapter(read("hooks.md"), "The context")
    fields = [name for name, value in vars(Context).items() if isinstance(value, property)]
    methods = [name for name in vars(Context) if not name.startswith("_") and callable(getattr(Context, name))]
    assert [name for name in fields if f"| `{name}` |" not in page] == []
    assert [name for name in methods if f"### `context.{name}`\n" not in page] == []


@pytest.mark.parametrize("model", [Section, Edit])
def test_every_argument_of_what_an_author_writes_is_described(model: type[BaseModel]) -> None:
    """The hook reference names every argument of Section and Edit."""
    page = read("hooks.md")
    assert [name for name in model.model_fields if f"`{name}`" not in page] == []


def test_every_code_is_described_and_no_other() -> None:
    """The page of diagnostics has each code with its meaning; no page names a code that is none."""
    page = read("diagnostics.md")
    described = {
        heading: chapter(page, heading).split("**")[1] for heading in headings(page) if re.fullmatch(r"FW\d+", heading)
    }
    assert described == CODES
    for other in PAGES:
        assert set(re.findall(r"FW\d{3}", other.read_text(encoding="utf-8"))) <= set(CODES), other.name


def test_every_key_of_the_configuration_is_described_and_no_other() -> None:
    """The page of the configuration has a row for each key, and none for a key that does not exist."""
    rows = re.findall(r"^\| `([a-z]\w*(?:\.\w+)*)` \|", read("configuration.md"), re.MULTILINE)
    described = {re.sub(r"\b[A-Z]+\b", "*", key) for key in rows if key not in RULES}
    known = {re.sub(rf"^limits\.({'|'.join(LAYERS)})\.", "limits.*.", key) for key in keys(Settings)}
    assert described == known


def test_every_rule_of_the_scanner_is_described() -> None:
    """The page of the configuration has each rule of the scanner with its severity and what it finds."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \| (.*) \|$", read("configuration.md"), re.MULTILINE)
    described = {name: (severity, what) for name, severity, what in rows if name in RULES}
    assert described == {name: (rule.severity, rule.description) for name, rule in RULES.items()}


def test_every_key_of_front_matter_is_described() -> None:
    """The page of files names every key that front matter may have."""
    page = chapter(read("files.md"), "Front matter")
    assert [key for key in sorted(KEYS) if f"`{key}`" not in page] == []


def test_every_option_of_a_described_command_is_described() -> None:
    """The page of commands names every option of each command that it has a chapter for."""
    page = read("commands.md")
    shared = chapter(page, "Common options")
    described = [heading[10:-1] for heading in headings(page) if heading.startswith("`foreword ")]
    assert {"build", "explain", "plugins"} <= set(described)
    for name in described:
        command = foreword.get_command(click.Context(foreword), name)
        assert command is not None, name
        text = shared + chapter(page, f"`foreword {name}`")
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("-")]
        assert [option for option in options if not re.search(rf"`{option}[ `]", text)] == [], name


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("The eight nouns", [f"**{noun}**" for noun in NOUNS]),
        ("Layers, low to high", [f"`{layer}`" for layer in get_args(Layer)]),
        ("Modes of an edit", [f"`{mode}`" for mode in MODES]),
        ("Outcomes of an edit", [f"`{outcome}`" for outcome in get_args(Outcome)]),
        ("Severities of a diagnostic", [f"`{severity}`" for severity in get_args(Severity)]),
    ],
)
def test_the_glossary_is_complete(heading: str, words: list[str]) -> None:
    """The glossary has exactly the nouns, layers, modes, outcomes and severities that there are, in their order."""
    assert re.findall(r"^\| ([`*]\S+) \|", chapter(read("glossary.md"), heading), re.MULTILINE) == words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_keeps_to_the_nouns(page: Path) -> None:
    """No page has a second word for what one of the nouns means."""
    text = page.read_text(encoding="utf-8").lower()
    assert [word for word in SYNONYMS if re.search(rf"\b{word}s?\b", text)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to a file of the project leads to one, and every anchor to a heading of it."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if re.match(r"https?:", link):
            continue
        name, _, target = link.partition("#")
        file = page.parent / name if name else page
        assert file.is_file(), link
        if target:
            assert target in {anchor(heading) for heading in headings(file.read_text(encoding="utf-8"))}, link


def test_the_modules_that_the_architecture_names_are_there() -> None:
    """The page on the architecture names no module that does not exist."""
    page = read("architecture.md")
    names = set(re.findall(r"`(_?\w+\.py)`", page))
    there = {path.name for folder in ("core", "plugins") for path in (ROOT / folder).rglob("*.py")}
    assert names <= there
