"""The queue: changes that wait for the operator's approval."""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

from foreword._memory_record import MemoryRecord

from ._memory_files import MemoryFiles, as_json
from ._override import Draft

FOLDER = f"{MemoryRecord.FOLDER}/pending"


class Pending(NamedTuple):
    """A change that waits.

    ``name`` is what approve and reject call it: the number of a proposal, or the path of a file that was
    written past foreword.
    """

    name: str
    id: str
    who: str
    when: str
    why: str
    what: str
    draft: Draft | None


def proposals(files: MemoryFiles) -> list[Pending]:
    """Return the proposals in the queue, oldest first."""
    numbers = sorted(int(name[:-5]) for name in files.names(FOLDER) if name.endswith(".json") and name[:-5].isdigit())
    return [_parsed(str(number), files.read(f"{FOLDER}/{number}.json") or b"{}") for number in numbers]


def propose(files: MemoryFiles, draft: Draft, *, id: str, who: str, when: str, why: str, what: str) -> Pending:
    """Put a draft into the queue."""
    number = max((int(one.name) for one in proposals(files)), default=0) + 1
    content = {
        "id": id,
        "who": who,
        "when": when,
        "why": why,
        "what": what,
        "file": draft.file,
        "data": base64.b64encode(draft.data).decode(),
        "instead_of": list(draft.instead_of),
    }
    files.write(f"{FOLDER}/{number}.json", as_json(content))
    return Pending(str(number), id, who, when, why, what, draft)


def drop(files: MemoryFiles, pending: Pending) -> None:
    """Take a proposal out of the queue."""
    files.write(f"{FOLDER}/{pending.name}.json", None)


def _parsed(name: str, data: bytes) -> Pending:
    content: Any = json.loads(data)
    draft = Draft(content["file"], base64.b64decode(content["data"]), tuple(content["instead_of"]))
    return Pending(name, content["id"], content["who"], content["when"], content["why"], content["what"], draft)


