"""One entry of the journal: who changed what, when and why, and how to undo it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from foreword._memory_record import CopyRecord, copy_json, copy_of

Who = Literal["agent", "operator", "tool", "unknown"]


class FileChange(NamedTuple):
    """A file before and after: the hashes of its bytes, None where it was not there."""

    before: str | None
    after: str | None


class Bases(NamedTuple):
    """What the record says of one file: of a copy, or the base of an override."""

    copy: CopyRecord | None = None
    override: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of a memory.

    Attributes:
        n: its number; the first is 1.
        id: the section, or None where it concerns several.
        who: ``agent``, ``operator``, ``tool``, or ``unknown`` for a change past foreword.
        when: the time, in UTC.
        why: the reason that was given.
        what: what was done, in a few words.
        files: each file's bytes before and after.
        bases: what the record said of each file before and after.
        undoes: the entry that this one undoes.
    """

    n: int
    id: str | None
    who: Who
    when: str
    why: str
    what: str
    files: Mapping[str, FileChange] = field(default_factory=dict[str, FileChange])
    bases: Mapping[str, tuple[Bases, Bases]] = field(default_factory=dict[str, tuple[Bases, Bases]])
    undoes: int | None = None

    def summary(self) -> dict[str, Any]:
        """Return what a listing says of the entry."""
        return {"n": self.n, "id": self.id, "who": self.who, "when": self.when, "why": self.why, "what": self.what}

    def dump(self) -> bytes:
        """Return the bytes of the entry's file."""
        content = {
            **self.summary(),
            "files": {name: list(change) for name, change in self.files.items()},
            "bases": {name: [_bases_json(before), _bases_json(after)] for name, (before, after) in self.bases.items()},
            "undoes": self.undoes,
        }
        return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()

    @classmethod
    def parse(cls, number: int, data: bytes) -> Entry:
        """Return the entry that the bytes of its file hold.

        Raises:
            ValueError: it is damaged.
        """
        try:
            content: Any = json.loads(data)
            return cls(
                n=number,
                id=content["id"],
                who=content["who"],
                when=str(content["when"]),
                why=str(content["why"]),
                what=str(content["what"]),
                files={str(name): FileChange(*change) for name, change in content["files"].items()},
                bases={
                    str(name): (_bases(before), _bases(after)) for name, (before, after) in content["bases"].items()
                },
                undoes=content.get("undoes"),
            )
        except (TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise ValueError(f"no entry: {problem}") from problem


def _bases_json(bases: Bases) -> dict[str, Any]:
    return {"copy": None if bases.copy is None else copy_json(bases.copy), "override": bases.override}


def _bases(content: Any) -> Bases:
    copy, override = content.get("copy"), content.get("override")
    return Bases(None if copy is None else copy_of(copy), override)
