"""Upgrading copies: untouched ones are refreshed, edited ones merged with their recorded base."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Literal, NamedTuple

from foreword._memory_record import CopyRecord, MemoryRecord
from foreword.memory._merge import merge3
from foreword.store._store import StoreError

from ._changes import Changes
from ._errors import AgentMemoryError, ChangeRefused, MemoryConflict
from ._memory_files import MemoryFiles
from ._sections import is_read_only
from ._status import NEWER, CopyStatus, as_copy, copy_statuses, normalised, template_of
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
    present = files.documents()
    done: list[Upgraded] = []
    for status in copy_statuses(files, record, templates):
        template = template_of(status.file, record, templates)
        if template is None:
            continue
        path = f"{MemoryRecord.COPIES}/{status.file}"
        old = present.get(path)
        step = _step(files, record, status, template, old)
        if step is None:
            continue
        upgraded, writes, copy = step
        if not dry_run:
            files.keep(template.text.encode())
            try:
                changes.apply(
                    id=status.id,
                    what=f"upgrade: {upgraded.action} {status.file}",
                    why=why,
                    writes=writes,
                    copies={} if copy is None else {status.file: copy},
                    expected={path: old} if path in writes else {},
                )
            except MemoryConflict:
                # The agent wrote it just now; the next upgrade sees what it wrote.
                continue
        done.append(upgraded)
    return done


def settle(files: MemoryFiles, changes: Changes, templates: Mapping[str, Template], id: str, take: Take) -> Upgraded:
    """Settle a conflict of an upgrade: keep the agent's text, or take the new one.

    Raises:
        AgentMemoryError: the section has no copy that waits to be settled.
        ChangeRefused: the copy is ``read_only``.
    """
    record = files.record()
    for status in copy_statuses(files, record, templates):
        template = template_of(status.file, record, templates)
        if status.id != id or template is None or status.state in ("new", "deleted"):
            continue
        if not status.unsettled and (status.state == "untouched" or (status.state == "edited" and take == "mine")):
            break
        text = template.text if take == "new" else None
        path = f"{MemoryRecord.COPIES}/{status.file}"
        data = files.readable(path) or b""
        if text is not None and is_read_only(path, data):
            raise ChangeRefused(f"{path} is read_only")
        old = normalised(data)
        writes: dict[str, bytes | None] = {}
        if status.unsettled:
            writes[path + NEWER] = None
        if text is not None:
            writes[path] = _file(text)
        files.keep(template.text.encode())
        what = f"upgrade: take {take} {status.file}"
        changes.apply(id=id, what=what, why="", writes=writes, copies={status.file: copy_record(template)})
        return Upgraded(status.file, id, "settle", _diff(old, old if text is None else text, status.file))
    raise AgentMemoryError(f"no copy of {id!r} waits to be settled; foreword memory status lists what there is")


def copy_record(template: Template) -> CopyRecord:
    """Return what is recorded of a copy of a template."""
    return CopyRecord(template.id, template.base, template.title, template.priority)


def _step(
    files: MemoryFiles, record: MemoryRecord, status: CopyStatus, template: Template, data: bytes | None
) -> tuple[Upgraded, dict[str, bytes | None], CopyRecord | None] | None:
    path = f"{MemoryRecord.COPIES}/{status.file}"
    beside = path + NEWER
    copy = copy_record(template)
    text = None if data is None else normalised(data)
    writable = files.is_plain(path) and files.is_plain(beside)
    settled: dict[str, bytes | None] = {beside: None} if status.unsettled and writable else {}
    if status.state == "new" and writable:
        upgraded = Upgraded(status.file, status.id, "copy", _diff("", template.text, status.file))
        return upgraded, {path: _file(template.text), **settled}, copy
    if text is None or data is None or status.state not in ("outdated", "stale"):
        return None
    if status.state == "outdated" and writable:
        upgraded = Upgraded(status.file, status.id, "refresh", _diff(text, template.text, status.file))
        return upgraded, {path: _file(template.text), **settled}, copy
    if files.readable(beside) == _file(template.text):
        # The agent has this one beside its own already, and has not settled it.
        return None
    merged = _merged(files, record.copies[status.file], data, template)
    if merged is None or not writable or is_read_only(path, data):
        diff = _diff(text, template.text, status.file)
        return Upgraded(status.file, status.id, "conflict", diff), {beside: _file(template.text)}, None
    upgraded = Upgraded(status.file, status.id, "merge", _diff(text, merged, status.file))
    return upgraded, {path: (merged + "\n").encode(), **settled}, copy


def _merged(files: MemoryFiles, copy: CopyRecord, data: bytes, template: Template) -> str | None:
    """Return the merge of the agent's text and the template, or None where both changed the same lines."""
    try:
        base = files.kept(copy.base).decode()
        data.decode()
    except (StoreError, UnicodeDecodeError):
        return None
    return merge3(as_copy(base), normalised(data), as_copy(template.text)).text


def _file(text: str) -> bytes:
    return (as_copy(text) + "\n").encode()


def _diff(old: str, new: str, name: str) -> str:
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), name, name, lineterm="")
    return "\n".join(lines)
