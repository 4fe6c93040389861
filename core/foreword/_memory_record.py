"""The record of a memory: whose it is, and what each copy and each override was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

VERSION = 1


@dataclass(frozen=True, slots=True)
class CopyRecord:
    """What is recorded of one copy.

    Attributes:
        id: the section it is a copy of.
        base: the SHA-256 of the template's text when the copy was last made or upgraded.
        title: the section's title then, which a copy takes when its template is gone.
        priority: the section's priority likewise.
    """

    id: str
    base: str
    title: str | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """The record of one memory.

    Attributes:
        agent: whose memory it is.
        applied: the number of the last entry of the journal that is in effect.
        copies: what each copy was made from, by the name of its file.
        overrides: the SHA-256 of the text below each override when it was written, by file.
        files: the SHA-256 of every copy and override as foreword last knew it, by path.
    """

    COPIES: ClassVar[str] = "prompts"
    OVERRIDES: ClassVar[str] = "prompt-overrides"
    FOLDER: ClassVar[str] = ".foreword"
    FILE: ClassVar[str] = ".foreword/record.json"

    agent: str | None = None
    applied: int = 0
    copies: Mapping[str, CopyRecord] = field(default_factory=dict[str, CopyRecord])
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def parse(cls, data: bytes) -> MemoryRecord:
        """Return the record that the bytes of its file hold.

        Raises:
            ValueError: it is damaged.
        """
        try:
            return _parsed(json.loads(data))
        except (TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise ValueError(f"no record: {problem}") from problem

    def dump(self) -> bytes:
        """Return the bytes of the record's file: the same for equal records."""
        content = {
            "version": VERSION,
            "agent": self.agent,
            "applied": self.applied,
            "copies": {name: copy_json(copy) for name, copy in self.copies.items()},
            "overrides": {name: {"base": base} for name, base in self.overrides.items()},
            "files": dict(self.files),
        }
        return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def copy_json(copy: CopyRecord) -> dict[str, Any]:
    """Return the JSON form of what is recorded of a copy."""
    return {"id": copy.id, "base": copy.base, "title": copy.title, "priority": copy.priority}


def copy_of(content: Any) -> CopyRecord:
    """Return what the JSON form says of a copy."""
    title, priority = content.get("title"), content.get("priority")
    if not isinstance(content["id"], str) or not isinstance(content["base"], str):
        raise TypeError("id and base are texts")
    if not (title is None or isinstance(title, str)) or not (priority is None or isinstance(priority, int)):
        raise TypeError("title is a text, priority a number")
    return CopyRecord(content["id"], content["base"], title, priority)


def _parsed(content: Any) -> MemoryRecord:
    if content["version"] != VERSION:
        raise ValueError(f"version {content['version']!r} of the record is not known")
    agent, applied = content.get("agent"), content.get("applied", 0)
    if not (agent is None or isinstance(agent, str)) or not isinstance(applied, int):
        raise TypeError("agent is a text, applied a number")
    return MemoryRecord(
        agent=agent,
        applied=applied,
        copies={str(name): copy_of(copy) for name, copy in content.get("copies", {}).items()},
        overrides={str(name): str(one["base"]) for name, one in content.get("overrides", {}).items()},
        files={str(name): str(digest) for name, digest in content.get("files", {}).items()},
    )
