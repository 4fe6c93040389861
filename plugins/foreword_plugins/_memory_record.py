"""The record of a memory: what each copy and each override was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foreword import Context, Place, Root

FOLDER = ".foreword"
FILE = "record.json"


@dataclass(frozen=True, slots=True)
class Copy:
    """What is recorded of one copy: its section, the hash of its template, and what defined the section."""

    id: str
    base: str
    title: str | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Whose memory it is, and for each copy and override the SHA-256 of the text below."""

    agent: str | None = None
    copies: Mapping[str, Copy] = field(default_factory=dict[str, Copy])
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])


def read_record(context: Context, memory: Root) -> Record:
    """Return the record of a memory; a missing or damaged one is an empty one."""
    name = f"{context.settings.memory.namespace}/{FOLDER}/{FILE}"
    data = context.read_file(memory, name)
    if data is None:
        return Record()
    try:
        return _record(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        message = "the record is damaged, so every copy counts as edited"
        context.report("FW042", "warning", message, Place(f"{memory.written}/{name}"), "foreword memory status")
        return Record()


def _record(content: Any) -> Record:
    agent = content.get("agent")
    copies = {
        str(name): Copy(str(copy["id"]), str(copy["base"]), copy.get("title"), copy.get("priority"))
        for name, copy in content.get("copies", {}).items()
    }
    overrides = {str(name): str(override["base"]) for name, override in content.get("overrides", {}).items()}
    return Record(str(agent) if agent is not None else None, copies, overrides)
