"""A house for one agent: the operator's prompts, a configuration, and the agent's memory."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foreword import AgentMemory, Builder, Diagnostic, Prompt

NAMESPACE = "souveraine_operations"
STYLE = "# Style\n\nHow to write.\n\n## Length\n\nShort.\n\n## Tone\n\nPlain.\n"


class House:
    """The operator's prompts and configuration, and the memory of ``ada``, in one directory."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.prompts = home / "prompts"
        self.root = home / "memory"
        self.found: list[Diagnostic] = []
        for name, text in {
            "STYLE.md": STYLE,
            "IDENTITY.md": "I am {{ agent_name }}, of seed {{ seed_key }}.\n",
            "tools/read.md": "Read whole files.\n",
            "agents/ada/OUTPUT_PRINCIPLES.md": "Answer {{ agent_name }}'s friends first.\n",
        }.items():
            self.write(self.prompts / name, text)
        self.root.mkdir()
        self.configure()

    def configure(self, text: str = "", *, memory: str = "") -> None:
        """Write foreword.toml: further lines of its ``[memory]``, and further tables."""
        (self.home / "foreword.toml").write_text(
            f'prompts_dir = "prompts"\n[memory]\npath = "memory"\n{memory}\n{text}\n'
        )

    @property
    def copies(self) -> Path:
        """The directory of the copies."""
        return self.root / NAMESPACE / "prompts"

    @property
    def overrides(self) -> Path:
        """The directory of the overrides."""
        return self.root / NAMESPACE / "prompt-overrides"

    @property
    def kept(self) -> Path:
        """The directory of record, journal and texts."""
        return self.root / NAMESPACE / ".foreword"

    def write(self, path: Path, text: str | bytes) -> None:
        """Write a file past foreword."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def builder(self) -> Builder:
        """A builder of the configuration, whose diagnostics are found in ``found``."""
        self.found = []
        return Builder.from_config(self.home / "foreword.toml", plugins=False, on_diagnostic=self.found.append)

    def memory(self, who: Any = "agent", agent: str = "ada", **given: Any) -> AgentMemory:
        """The memory, as a command opens it."""
        return AgentMemory(agent=agent, builder=self.builder(), who=who, **given)

    def create(self, agent: str = "ada", **given: Any) -> AgentMemory:
        """Create the memory."""
        return AgentMemory.create(agent=agent, builder=self.builder(), **given)

    def build(self, agent: str = "ada", **given: Any) -> Prompt:
        """Build the prompt."""
        return self.builder().build(agent, **given)

    def text(self, id: str) -> str:
        """What the next build says in a section."""
        return self.build().section(id).text

    def state(self, file: str) -> str:
        """The state of one copy."""
        return next(copy.state for copy in self.memory().status().copies if copy.file == file)

    def outcomes(self) -> dict[str, str | None]:
        """What became of each override."""
        return {one.file: one.outcome for one in self.memory().status().overrides}

    def tree(self, folder: Path | None = None) -> dict[str, bytes | str]:
        """Everything below a directory: the bytes of files, the targets of links."""
        top = folder or self.root
        found: dict[str, bytes | str] = {}
        for path in sorted(top.rglob("*")):
            if path.is_symlink():
                found[str(path.relative_to(top))] = os.readlink(path)
            elif path.is_file():
                found[str(path.relative_to(top))] = path.read_bytes()
            else:
                found[str(path.relative_to(top))] = ""
        return found

    def texts(self) -> set[bytes]:
        """Every text that stands in the memory, or is kept of its past."""
        return {content for content in self.tree(self.root / NAMESPACE).values() if isinstance(content, bytes)}


@pytest.fixture
def fast_path() -> Iterator[Path]:
    """A directory in memory, where there is one: syncing it costs nothing."""
    work = Path(tempfile.mkdtemp(prefix="foreword-test-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    yield work
    shutil.rmtree(work, ignore_errors=True)


@pytest.fixture
def house(fast_path: Path) -> House:
    """The house, with an empty memory."""
    return House(fast_path)


@pytest.fixture
def home(house: House) -> House:
    """The house, with a memory that was created."""
    house.create()
    return house


