"""The queue: changes that wait for the operator's approval."""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

from foreword._memory_record import MemoryRecord
from foreword.files._walk import Refused

from ._memory_files import MemoryFiles, as_json
from ._override import Draft
from ._sections import edit_of

FOLDER = f"{MemoryRecord.FOLDER}/pending"


class Pending(NamedTuple):
    """A change that waits.

    ``name`` is what approve and reject call it: the number of a proposal, or the path of a file that was
    written past foreword. ``text`` is what the file says, or is to say.
    """

    name: str
    id: str
    who: str
    when: str
    why: str
    what: str
    text: str
    draft: Draft | None = None


def proposals(files: MemoryFiles) -> list[Pending]:
    """Return the proposals in the queue, oldest first."""
    found: list[Pending] = []
    for number in _numbers(files):
        try:
            found.append(_parsed(str(number), files.readable(f"{FOLDER}/{number}.json") or b""))
        except (ValueError, TypeError, KeyError, RecursionError, Refused):
            # The agent can write there; what is no proposal is none.
            continue
    return found


def propose(files: MemoryFiles, draft: Draft, *, id: str, who: str, when: str, why: str, what: str) -> Pending:
    """Put a draft into the queue."""
    number = max(_numbers(files), default=0) + 1
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
    return Pending(str(number), id, who, when, why, what, draft.data.decode(), draft)


def drop(files: MemoryFiles, pending: Pending) -> None:
    """Take a proposal out of the queue."""
    files.write(f"{FOLDER}/{pending.name}.json", None)


def _numbers(files: MemoryFiles) -> list[int]:
    stems = [name[:-5] for name in files.names(FOLDER) if name.endswith(".json")]
    return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit() and stem == str(int(stem)))


def _parsed(name: str, data: bytes) -> Pending:
    content: Any = json.loads(data)
    draft = Draft(str(content["file"]), base64.b64decode(content["data"]), tuple(content["instead_of"]))
    # What a proposal says it changes is what it would change.
    id = edit_of(f"{MemoryRecord.OVERRIDES}/{draft.file}", draft.data).id
    who, when, why, what = (str(content[key]) for key in ("who", "when", "why", "what"))
    return Pending(name, id, who, when, why, what, draft.data.decode(), draft)
