"""The status of a memory: how each copy stands to its template, and each override to the text below."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Literal, NamedTuple

from foreword._memory_record import CopyRecord, MemoryRecord
from foreword._prepared import Outcome
from foreword._standing import text_hash

from ._memory_files import MemoryFiles
from ._sections import section_of
from ._templates import Template

CopyState = Literal["untouched", "outdated", "edited", "stale", "unknown origin", "orphan", "new", "deleted"]
NEWER = ".new"


class CopyStatus(NamedTuple):
    """One copy: its file, its section, its state, and whether a newer text waits beside it.

    ``outcome`` is what becomes of it in a build, and ``reason`` why; None where it has no part in one.
    """

    file: str
    id: str
    state: CopyState
    unsettled: bool = False
    outcome: Outcome | None = None
    reason: str = ""


class OverrideStatus(NamedTuple):
    """One override: its file, its section, its mode, what became of it in a build, and whether it is stale."""

    file: str
    id: str
    mode: str
    outcome: Outcome | None
    reason: str
    stale: bool


class MemoryStatus(NamedTuple):
    """Everything that ``foreword memory status`` says."""

    agent: str | None
    created: bool
    copies: tuple[CopyStatus, ...]
    overrides: tuple[OverrideStatus, ...]
    pending: tuple[str, ...]
    problems: tuple[str, ...]


def copy_statuses(
    files: MemoryFiles, record: MemoryRecord, templates: Mapping[str, Template]
) -> tuple[CopyStatus, ...]:
    """Return the state of every copy, and of every template without one."""
    present = copies(files)
    recorded = {copy.id for copy in record.copies.values()}
    # A template whose file was renamed has its copy under the old name.
    named = {name: template.id for name, template in templates.items() if template.id not in recorded}
    named.update({name: copy.id for name, copy in record.copies.items()})
    found: list[CopyStatus] = []
    for name in sorted({*present, *named}):
        text = present.get(name)
        template = template_of(name, record, templates)
        id = named.get(name) or section_of(f"{MemoryRecord.COPIES}/{name}", b"") or ""
        state = _state(text, record.copies.get(name), template)
        if state is not None:
            found.append(CopyStatus(name, id, state, newer(files, name) is not None))
    return tuple(found)


def copies(files: MemoryFiles) -> dict[str, str]:
    """Return what each copy says: its whole text, newlines normalised and ends trimmed."""
    folder = f"{MemoryRecord.COPIES}/"
    return {
        name.removeprefix(folder): normalised(data)
        for name, data in files.documents().items()
        if name.startswith(folder)
    }


def template_of(name: str, record: MemoryRecord, templates: Mapping[str, Template]) -> Template | None:
    """Return the present template of a copy: that of its section, whatever file that is in by now."""
    recorded = record.copies.get(name)
    if recorded is not None:
        return next((template for template in templates.values() if template.id == recorded.id), None)
    return templates.get(name)


def newer(files: MemoryFiles, name: str) -> bytes | None:
    """Return the newer text that an upgrade put beside a copy, or None."""
    return files.readable(f"{MemoryRecord.COPIES}/{name}{NEWER}")


def normalised(data: bytes) -> str:
    """Return a file's text as copies are compared: newlines normalised, ends trimmed."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _state(text: str | None, copy: CopyRecord | None, template: Template | None) -> CopyState | None:
    if text is None:
        if template is None:
            return None
        return "new" if copy is None else "deleted"
    if template is None:
        return "orphan" if copy is not None else "unknown origin"
    if says(text, template):
        return "untouched"
    if copy is None:
        return "unknown origin"
    if copy.base == template.base:
        return "edited"
    return "outdated" if text_hash(body(text)) == copy.base else "stale"


def says(text: str | None, template: Template) -> bool:
    """Return whether a copy says just what the template says."""
    return text is not None and body(text) == template.text.strip()


def body(text: str) -> str:
    """Return a copy's text without front matter that says nothing."""
    return text.removeprefix("---\n---\n").strip()


def as_copy(text: str) -> str:
    """Return the text of a file whose body is the text, whatever the text begins with."""
    return f"---\n---\n{text}" if text.startswith("---") else text


def writable_by_everybody(root: str) -> bool:
    """Return whether every user of the machine may put files into a directory."""
    try:
        return bool(os.stat(root).st_mode & stat.S_IWOTH)
    except OSError:
        return False
