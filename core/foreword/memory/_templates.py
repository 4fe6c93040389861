"""The templates of a memory: for each section of the operator, the text that a copy is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from foreword._builder import Builder
from foreword._folded import ResolvedSection
from foreword._names import KNOWN_IDS, is_tool, normalise
from foreword._plan import Plan
from foreword._prepared import PreparedEdit
from foreword._resolve import resolve
from foreword._standing import text_hash

LAYERS = frozenset({"builtin", "project", "agent"})


class Template(NamedTuple):
    """The resolved text of one section before rendering, and the name of the file of its copy."""

    id: str
    file: str
    text: str
    title: str | None
    priority: int

    @property
    def base(self) -> str:
        """The hash by which a record names the text."""
        return text_hash(self.text)


def templates(builder: Builder, plan: Plan) -> dict[str, Template]:
    """Return the template of every section of layers builtin, project and agent, by the name of its copy.

    A section with an edit in mode ``jinja`` has none: a copy would be read in mode ``names``.
    """
    edits = [edit for edit in plan.prepared() if edit.layer in LAYERS and edit.trusted and edit.verdict is None]
    jinja = {edit.id for edit in edits if edit.jinja}
    raw = [edit.with_text(edit.raw) for edit in edits if edit.id not in jinja]
    resolution = resolve(raw, builder.policy)
    named: dict[str, Template] = {}
    for section in (*resolution.sections, *resolution.tools):
        file = next(name for name in _names(section) if name not in named)
        text = section.text
        named[file] = Template(section.id, file, text, section.standing.title, section.priority)
    return named


def _names(section: ResolvedSection) -> Iterator[str]:
    """Yield names for the copy: that of the operator's file, else of the template, else of the id."""
    for edit in (section.winner, section.definer):
        if edit.place.path != "code":
            yield _within(section.id, edit)
    stem = KNOWN_IDS[section.id].file[:-3] if section.id in KNOWN_IDS else section.id.removeprefix("custom_")
    stem = stem.removeprefix("tools/").replace("/", "_")
    folder = "tools/" if is_tool(section.id) else ""
    yield f"{folder}{stem}.md"
    yield from (f"{folder}{stem}-{number}.md" for number in range(2, 1_000_000))


def _within(id: str, edit: PreparedEdit) -> str:
    name = edit.place.path.rpartition("/")[2]
    return f"tools/{name}" if is_tool(id) else name


def file_stem(id: str) -> str:
    """Return the stem of a file that can stand for a section of any id.

    >>> file_stem("tool_usage"), file_stem("custom_style"), file_stem("acme-citations.style")
    ('TOOL_USAGE', 'style', 'acme-citations.style')
    """
    if id in KNOWN_IDS:
        return KNOWN_IDS[id].file[:-3]
    return normalise(id.removeprefix("custom_").replace("/", "_"))
