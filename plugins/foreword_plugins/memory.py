"""The agent's memory: its pinned files, its copies of the templates, its overrides, and what else is there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from foreword import Context, Edit, MarkdownFile, Place, Root, hookimpl

from ._memory_record import Record, read_record
from ._memory_tree import render_tree
from .directory import TOOLS

INDEX = "MEMORY.md"
PINNED = "system"
COPIES = "prompts"
OVERRIDES = "prompt-overrides"

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
    record = read_record(context, memory)
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


def _left_out(context: Context, memory: Root) -> list[str]:
    """The namespace and the roots of skills: neither pinned nor shown in the tree."""
    inside = memory.path.rstrip("/") + "/"
    roots = [root.path[len(inside) :] for root in context.skill_roots if root.path.startswith(inside)]
    return [context.settings.memory.namespace, "skills", *roots]


def _pinned(context: Context, memory: Root, paths: list[str]) -> Iterator[Edit]:
    left_out = _left_out(context, memory)
    if INDEX in paths:
        for folder in _indexed(paths):
            known = [path.rstrip("/").rpartition("/")[2] for path in paths if path.endswith("/")]
            for file in context.read_directory(memory, folder, known=[*known, *left_out]):
                yield from _pinned_edit(context, file, file.name)
    else:
        for file in context.read_directory(memory, PINNED, recursive=True, skip=left_out):
            yield from _pinned_edit(context, file, file.name.removeprefix(f"{PINNED}/"))


def _indexed(paths: list[str]) -> list[str]:
    """Return the directories that have, like each directory above them, an index of their own."""
    indexed = [""]
    for path in sorted(paths):
        if path.endswith("/"):
            folder = path.rstrip("/")
            if folder.rpartition("/")[0] in indexed and f"{folder}/{INDEX}" in paths:
                indexed.append(folder)
    return indexed


def _pinned_edit(context: Context, file: MarkdownFile, path: str) -> Iterator[Edit]:
    name = path[:-3]
    top = name.partition("/")[0].lower()
    if file.error is None and not file.text:
        context.report("FW010", "warning", "the file is empty", Place(file.place), "write a text, or delete it")
        return
    yield file.edit(
        id=f"memory/{name}",
        default_title=name.rpartition("/")[2],
        default_priority=PRIORITIES.get(top, OTHERS),
        plain=True,
    )


def _tree(paths: list[str]) -> Iterator[Edit]:
    if paths:
        yield Edit("memory_tree", render_tree(paths), default_title="Memory", default_priority=TREE)


def _copies(context: Context, memory: Root, record: Record) -> Iterator[Edit]:
    folder = f"{context.settings.memory.namespace}/{COPIES}"
    files = context.read_directory(memory, folder, known=(TOOLS,))
    files += context.read_directory(memory, f"{folder}/{TOOLS}")
    for file in files:
        copy = record.copies.get(file.name.removeprefix(f"{folder}/"))
        if copy is not None and file.error is None and copy.base == text_hash(file.text):
            # Untouched: a newer template shines through.
            continue
        if copy is None:
            yield file.edit(plain=True, copy_of_below=True)
        else:
            yield file.edit(
                id=copy.id,
                default_title=copy.title,
                default_priority=copy.priority,
                plain=True,
                base=copy.base,
                copy_of_below=True,
            )


def _overrides(context: Context, memory: Root, record: Record) -> Iterator[Edit]:
    folder = f"{context.settings.memory.namespace}/{OVERRIDES}"
    files = context.read_directory(memory, folder, known=(TOOLS,))
    files += context.read_directory(memory, f"{folder}/{TOOLS}")
    for file in files:
        yield file.edit(layer="override", base=record.overrides.get(file.name.removeprefix(f"{folder}/")))


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, as the record names it."""
    return hashlib.sha256(text.encode()).hexdigest()
