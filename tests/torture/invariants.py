"""What must hold of a memory after anything at all: no text is lost, nothing is half, status is true."""

from __future__ import annotations

import hashlib
from pathlib import Path

from foreword import AgentMemory, Builder, MemoryRecord

NAMESPACE = "souveraine_operations"


class Witness:
    """Knows every text that a memory held, and checks that each is there still."""

    def __init__(self, prompts: Path | None, root: Path) -> None:
        self._prompts = prompts
        self._root = root
        self._texts = set(self._documents().values())
        self._created = (root / NAMESPACE / MemoryRecord.FILE).exists()
        self._others = {path: path.read_bytes() for path in root.glob("*.md")}

    def _documents(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for folder in (MemoryRecord.COPIES, MemoryRecord.OVERRIDES):
            for path in sorted((self._root / NAMESPACE / folder).rglob("*.md")):
                found[str(path.relative_to(self._root))] = path.read_bytes()
        return found

    def memory(self) -> AgentMemory:
        """Return the memory, as the next command opens it."""
        builder = Builder(
            prompts_dir=self._prompts, memory=self._root, plugins=False, on_diagnostic=lambda _: None
        )
        return AgentMemory(agent="ada", builder=builder)

    def check(self, when: str) -> None:
        """Check everything.

        Raises:
            AssertionError: something was lost, is half, or is not what status says.
        """
        for path, data in self._others.items():
            assert path.read_bytes() == data, f"{when}: {path} was touched"
        memory = self.memory()
        copies = self._root / NAMESPACE / MemoryRecord.COPIES
        if not copies.exists():
            assert memory.status().created is False, f"{when}: a creation counts without its copies"
        if not self._created:
            found = memory.status()
            halves = [copy.file for copy in found.copies if copy.state in ("new", "deleted")]
            assert not found.created or not halves, f"{when}: half a creation counts: {halves} are not there"
            AgentMemory.create(agent="ada", builder=memory.builder)
        status = memory.status()
        assert status.created, f"{when}: the memory is gone"
        kept = {path.read_bytes() for path in (self._root / NAMESPACE / ".foreword" / "texts").iterdir()}
        for text in self._texts:
            assert text in kept or text in self._documents().values(), f"{when}: a text is lost: {text[:60]!r}"
        for path in (self._root / NAMESPACE / ".foreword" / "texts").iterdir():
            if not path.name.startswith("."):
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                assert digest == path.name, f"{when}: a kept text is torn"
        record = MemoryRecord.parse((self._root / NAMESPACE / MemoryRecord.FILE).read_bytes())
        documents = self._documents()
        present = {name.removeprefix(f"{NAMESPACE}/"): data for name, data in documents.items()}
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in present.items()}
        assert dict(record.files) == hashes, f"{when}: the record and the files differ"
        entries = memory.history()
        assert [entry.n for entry in entries] == list(range(1, len(entries) + 1)), f"{when}: the journal has a gap"
        assert record.applied == len(entries), f"{when}: an entry is not in effect"
        memory.override("custom_after", f"written {when}", reason="the next change works")
        assert memory.builder.build("ada").section("custom_after").text == f"written {when}"
