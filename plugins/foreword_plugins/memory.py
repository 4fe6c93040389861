"""The agent's memory: its pinned files, its copies of the templates, its overrides, and what else is there."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from foreword import Context, Edit, MarkdownFile, Place, Root, hookimpl

from ._memory_tree import render_tree
from .directory import TOOLS

if TYPE_CHECKING:
    from foreword import MemoryRecord

INDEX = "MEMORY.md"
PINNED = "system"
SKILLS = "skills"

PRIORITIES = {
    "identity": 500,
    "persona": 500,
    "covenant": 510,
    "human": 520,
    "state": 580,
    "dynamic": 580,
    "synthesized": 580,
    "metacognition": 580,
}
OTHERS = 530
TREE = 590
MOST_ENTRIES = 2000
"""The most entries that a tree lists."""


@hookimpl
def foreword_sections(context: Context) -> list[Edit]:
    """Return the agent's pinned files, the copies it has edited, its overrides, and the tree of its memory."""
    memory = context.memory
    if memory is None:
        return []
    namespace = context.settings.memory.namespace
    paths = context.tree(memory, skip=_left_out(context, memory))
    if not paths and not context.list_directory(memory, known=(namespace,)).exists:
        remedy = f"foreword memory init --agent {context.agent}"
        context.report("FW040", "info", f"{memory.written} is not there yet", Place(memory.written), remedy)
        return []
    record = _record(context, memory)
    if record.agent is not None and context.agent is not None and record.agent != context.agent:
        message = f"this is the memory of {record.agent!r}, not of {context.agent!r}, so it is left out"
        context.report("FW041", "error", message, Place(memory.written), "name the agent's own memory")
        return []
    return [
        *_pinned(context, memory, paths),
        *_tree(paths),
        *_copies(context, memory, record),
        *_overrides(context, memory, record),
    ]


def _record(context: Context, memory: Root) -> MemoryRecord:
    """Return the record of the memory; a missing or damaged one, or one of an unfinished creation, is empty."""
    from foreword import MemoryRecord

    namespace = context.settings.memory.namespace
    name = f"{namespace}/{MemoryRecord.FILE}"
    data = context.read_file(memory, name)
    if data is None or not context.list_directory(memory, f"{namespace}/{MemoryRecord.COPIES}", known=(TOOLS,)).exists:
        return MemoryRecord()
    try:
        return MemoryRecord.parse(data)
    except ValueError:
        message = "the record is damaged, so every copy counts as edited"
        context.report("FW042", "warning", message, Place(f"{memory.written}/{name}"), "foreword memory status")
        return MemoryRecord()


def _left_out(context: Context, memory: Root) -> list[str]:
    """The namespace and the roots of skills: neither pinned nor shown in the tree."""
    inside = memory.path.rstrip("/") + "/"
    roots = [root.path[len(inside) :] for root in context.skill_roots if root.path.startswith(inside)]
    return [context.settings.memory.namespace, *roots]


def _pinned(context: Context, memory: Root, paths: list[str]) -> Iterator[Edit]:
    left_out = _left_out(context, memory)
    if INDEX in paths or (len(paths) >= MOST_ENTRIES and context.read_file(memory, INDEX) is not None):
        if len(paths) >= MOST_ENTRIES:
            message = f"there are {MOST_ENTRIES} entries or more, so files of some directories may not be pinned"
            context.report("FW008", "warning", message, Place(memory.written), "keep fewer files in it")
        for folder in _indexed(paths):
            known = [path.rstrip("/").rpartition("/")[2] for path in paths if path.endswith("/")]
            for file in context.read_directory(memory, folder, known=[*known, *left_out, SKILLS]):
                yield from _pinned_edit(context, file, file.name)
    else:
        for file in context.read_directory(memory, PINNED, recursive=True, skip=left_out):
            yield from _pinned_edit(context, file, file.name.removeprefix(f"{PINNED}/"))


def _indexed(paths: list[str]) -> list[str]:
    """Return the directories that have, like each directory above them, an index of their own."""
    indexed = [""]
    for path in sorted(paths):
        if path.endswith("/") and not path.lower().endswith(".md/"):
            folder = path.rstrip("/")
            if folder != SKILLS and folder.rpartition("/")[0] in indexed and f"{folder}/{INDEX}" in paths:
                indexed.append(folder)
    return indexed


def _pinned_edit(context: Context, file: MarkdownFile, path: str) -> Iterator[Edit]:
    # Some file systems keep the letters of a name and their marks apart.
    name = unicodedata.normalize("NFC", path[:-3])
    top = name.partition("/")[0].lower()
    if file.error is None and not file.text:
        context.report("FW010", "warning", "the file is empty", Place(file.place), "write a text, or delete it")
        return
    limit = file.front_matter.limit
    if limit is not None and len(file.text) > limit:
        message = f"the text has {len(file.text)} characters, more than the limit of {limit} it gives itself"
        context.report("FW005", "warning", message, Place(file.place, 1), "shorten it, or raise its limit")
    yield file.edit(
        id=f"memory/{name}",
        default_title=name.rpartition("/")[2],
        default_priority=PRIORITIES.get(top, OTHERS),
        plain=True,
    )


def _tree(paths: list[str]) -> Iterator[Edit]:
    if paths:
        yield Edit("memory_tree", render_tree(paths), literal=True, default_title="Memory", default_priority=TREE)


def _copies(context: Context, memory: Root, record: MemoryRecord) -> Iterator[Edit]:
    keeps = context.settings.memory.untouched == "keep"
    for name, file in _documents(context, memory, record.COPIES):
        copy = record.copies.get(name)
        untouched = copy is not None and copy.base == text_hash(file.text) and not file.front_matter.given
        if untouched and not keeps and file.error is None:
            # A newer template shines through.
            continue
        if not untouched and not _is_approved(context, f"{record.COPIES}/{name}", file):
            continue
        if copy is None:
            edit = file.edit(plain=True, copy_of_below=True)
        else:
            edit = file.edit(
                id=copy.id,
                default_title=copy.title,
                default_priority=copy.priority,
                plain=True,
                base=copy.base,
                copy_of_below=True,
            )
        if not (untouched and keeps and _is_locked(context, edit.id)):
            yield edit


def _overrides(context: Context, memory: Root, record: MemoryRecord) -> Iterator[Edit]:
    for name, file in _documents(context, memory, record.OVERRIDES):
        if _is_approved(context, f"{record.OVERRIDES}/{name}", file):
            yield file.edit(layer="override", base=record.overrides.get(name))


def _documents(context: Context, memory: Root, kind: str) -> Iterator[tuple[str, MarkdownFile]]:
    folder = f"{context.settings.memory.namespace}/{kind}"
    files = context.read_directory(memory, folder, known=(TOOLS,))
    files += context.read_directory(memory, f"{folder}/{TOOLS}")
    for file in files:
        yield file.name.removeprefix(f"{folder}/"), file


def _is_approved(context: Context, path: str, file: MarkdownFile) -> bool:
    if context.approved is None or file.error is not None or context.approved.get(path) == file.content_hash:
        return True
    message = "the text waits for the operator's approval and is not in effect"
    context.report("FW043", "warning", message, Place(file.place), "foreword memory pending")
    return False


def _is_locked(context: Context, id: str) -> bool:
    """Whether layer memory may not edit the section: a copy of it that is kept says nothing."""
    rule = context.settings.sections.get(id)
    if rule is None or rule.editable_by is None:
        return False
    return "memory" not in rule.editable_by and "replace" not in rule.others_may


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, as the record names it."""
    return hashlib.sha256(text.encode()).hexdigest()
