"""Approvals: which of the agent's texts the operator has seen and let into the prompt."""

from __future__ import annotations

from foreword._memory_record import MemoryRecord
from foreword._standing import text_hash
from foreword.config._lock_file import lock_path, read_lock, write_lock
from foreword.config._settings import Settings
from foreword.files._reader import MarkdownFile
from foreword.files._roots import Root
from foreword.markdown._front_matter import parse

from ._errors import AgentMemoryError
from ._memory_files import MemoryFiles
from ._queue import Pending, proposals
from ._sections import section_of
from ._status import body, normalised


class Approvals:
    """The approvals of one agent's memory, kept beside the configuration and never in the memory.

    Args:
        settings: say whether approval is needed, and where the configuration lies.
        agent: whose memory it is.
    """

    def __init__(self, settings: Settings, agent: str) -> None:
        self._settings = settings
        self._agent = agent

    @property
    def needed(self) -> bool:
        """Whether changes of the agent wait for the operator."""
        return self._settings.memory.approval

    def pending(self, files: MemoryFiles) -> list[Pending]:
        """Return the proposals, and the files that were written past foreword and are not approved."""
        approved = read_lock(lock_path(self._settings)).approved.get(self._agent, {})
        record = files.record()
        waiting = proposals(files)
        for path, data in sorted(files.documents().items()):
            folder, _, name = path.partition("/")
            copy = record.copies.get(name) if folder == MemoryRecord.COPIES else None
            if copy is not None and copy.base == text_hash(body(normalised(data))):
                continue
            if approved.get(path) != content_hash(path, data):
                id = copy.id if copy is not None else section_of(path, data) or ""
                what = "edited copy" if folder == MemoryRecord.COPIES else "override written as a file"
                waiting.append(Pending(path, id, "unknown", "", "", what, data.decode("utf-8", "replace")))
        return waiting

    def approve_file(self, files: MemoryFiles, path: str) -> None:
        """Record that the present content of a file is approved.

        Raises:
            AgentMemoryError: there is no such file.
        """
        data = files.read(path)
        if data is None:
            raise AgentMemoryError(f"{path} is not there any more")
        where = lock_path(self._settings)
        write_lock(where, read_lock(where).with_approved(self._agent, path, content_hash(path, data)))


def content_hash(path: str, data: bytes) -> str:
    """Return the hash of what a file says, as a build takes it."""
    document = parse(data.decode("utf-8", "replace"), path)
    return MarkdownFile(Root("", ""), path, path, document, None, None).content_hash
