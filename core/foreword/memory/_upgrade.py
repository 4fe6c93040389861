"""Upgrading copies: untouched ones are refreshed, edited ones merged with their recorded base."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Literal, NamedTuple

from foreword._memory_record import CopyRecord, MemoryRecord
from foreword._merge import merge3
from foreword._store import StoreError

from ._changes import Changes
from ._errors import AgentMemoryError
from ._memory_files import MemoryFiles
from ._status import NEWER, CopyStatus, as_copy, copies, copy_statuses, template_of
from ._templates import Template

Take = Literal["mine", "new"]


class Upgraded(NamedTuple):
    """What an upgrade did, or would do, to one copy.

    ``action`` is ``refresh``, ``merge``, ``conflict``, ``copy``, or ``settle``; ``diff`` is the change of the copy.
    """

    file: str
    id: str
    action: Literal["refresh", "merge", "conflict", "copy", "settle"]
    diff: str


def upgrade(
    files: MemoryFiles, changes: Changes, templates: Mapping[str, Template], *, dry_run: bool, why: str
) -> list[Upgraded]:
    """Upgrade every copy, each as a change of its own.

    Args:
        files: the memory's files.
        changes: makes the changes.
        templates: the present templates.
        dry_run: change nothing, only say what would be done.
        why: the reason, for the journal.
    """
    record = files.record()
    present = copies(files)
    done: list[Upgraded] = []
    for status in copy_statuses(files, record, templates):
        template = template_of(status.file, record, templates)
        if template is None:
            continue
        step = _step(files, record, status, template, present.get(status.file))
        if step is None:
            continue
        upgraded, writes, copy = step
        done.append(upgraded)
        if not dry_run:
            changes.apply(
                id=status.id,
                what=f"upgrade: {upgraded.action} {status.file}",
                why=why,
                writes=writes,
                copies={} if copy is None else {status.file: copy},
            )
    return done


def settle(files: MemoryFiles, changes: Changes, templates: Mapping[str, Template], id: str, take: Take) -> Upgraded:
    """Settle a conflict of an upgrade: keep the agent's text, or take the new one.

    Raises:
        AgentMemoryError: the section has no copy that waits to be settled.
    """
    record = files.record()
    for status in copy_statuses(files, record, templates):
        template = template_of(status.file, record, templates)
        if status.id != id or template is None or status.state in ("new", "deleted"):
            continue
        old = copies(files)[status.file]
        text = template.text if take == "new" else None
        path = f"{MemoryRecord.COPIES}/{status.file}"
        writes: dict[str, bytes | None] = {}
        if status.unsettled:
            writes[path + NEWER] = None
        if text is not None:
            writes[path] = _file(text)
        files.keep(template.text.encode())
        what = f"upgrade: take {take} {status.file}"
        changes.apply(id=id, what=what, why="", writes=writes, copies={status.file: copy_record(template)})
        return Upgraded(status.file, id, "settle", _diff(old, old if text is None else text, status.file))
    raise AgentMemoryError(f"there is no copy of {id!r} to settle; foreword memory status lists what there is")


def copy_record(template: Template) -> CopyRecord:
    """Return what is recorded of a copy of a template."""
    return CopyRecord(template.id, template.base, template.title, template.priority)


def _step(
    files: MemoryFiles, record: MemoryRecord, status: CopyStatus, template: Template, text: str | None
) -> tuple[Upgraded, dict[str, bytes | None], CopyRecord | None] | None:
    path = f"{MemoryRecord.COPIES}/{status.file}"
    copy = copy_record(template)
    if status.state == "new" or (status.state == "outdated" and text is not None):
        files.keep(template.text.encode())
        action: Literal["copy", "refresh"] = "copy" if status.state == "new" else "refresh"
        diff = _diff(text or "", template.text, status.file)
        return Upgraded(status.file, status.id, action, diff), {path: _file(template.text)}, copy
    if status.state != "stale" or text is None:
        return None
    if files.read(path + NEWER) == _file(template.text):
        # The agent has this one beside its own already, and has not settled it.
        return None
    files.keep(template.text.encode())
    base = _base(files, record.copies[status.file])
    merged = merge3(as_copy(base), text, as_copy(template.text)).text if base is not None else None
    if merged is None:
        diff = _diff(text, template.text, status.file)
        return Upgraded(status.file, status.id, "conflict", diff), {path + NEWER: _file(template.text)}, None
    upgraded = Upgraded(status.file, status.id, "merge", _diff(text, merged, status.file))
    return upgraded, {path: (merged + "\n").encode()}, copy


def _base(files: MemoryFiles, copy: CopyRecord) -> str | None:
    try:
        return files.kept(copy.base).decode()
    except (StoreError, UnicodeDecodeError):
        return None


def _file(text: str) -> bytes:
    return (as_copy(text) + "\n").encode()


def _diff(old: str, new: str, name: str) -> str:
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), name, name, lineterm="")
    return "\n".join(lines)
