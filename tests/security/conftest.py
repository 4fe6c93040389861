"""A project in a directory of its own, with everybody who may write into it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Diagnostic, Prompt, Section, hookimpl
from foreword._discovery import Discovered, discover
from foreword._manager import Manager
from foreword._provider import Provider
from foreword.config._config import load

CONFIG = """
prompts_dir = "prompts"
[memory]
path = "memory"
[skills]
roots = ["skills"]
"""


class Desk:
    """Files of a project, and prompts that are built from them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: list[Diagnostic] = []
        for folder in ("prompts", "memory", "skills"):
            (root / folder).mkdir()
        self.configure()

    def configure(self, more: str = "", first: str = "") -> None:
        """Write the configuration, with keys before its tables and tables after them."""
        (self.root / "foreword.toml").write_text(f"{first}\n{CONFIG}\n{more}", encoding="utf-8")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files by their path."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))

    def builder(self, plugins: Mapping[str, object] | None = None) -> Builder:
        """Return a builder with plugins, by the distribution that each is of."""
        builder = Builder(settings=load(self.root / "foreword.toml"), plugins=False, on_diagnostic=self.found.append)
        if plugins is not None:
            first = [item for item in discover() if item.provider.first_party]
            given = [
                Discovered(Provider(name, "1.0", "main"), name, lambda plugin=plugin: plugin)
                for name, plugin in plugins.items()
            ]
            builder.manager = Manager(builder.settings.plugins, found=[*first, *given])
        return builder

    def build(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        agent: str | None = "operator",
        plugins: Mapping[str, object] | None = None,
        **build: Any,
    ) -> Prompt:
        """Write files and build a prompt; ``found`` is then what there was to say."""
        self.write(files or {})
        self.found.clear()
        return self.builder(plugins).build(agent, **build)

    def codes(self, code: str) -> list[Diagnostic]:
        """Return what was said of one kind."""
        return [one for one in self.found if one.code == code]


class Giving:
    """A plugin that gives sections and variables."""

    def __init__(self, sections: Iterable[Section] = (), variables: Mapping[str, Any] | None = None) -> None:
        self._sections = list(sections)
        self._variables = dict(variables or {})

    @hookimpl
    def foreword_sections(self) -> list[Section]:
        """Return the sections."""
        return self._sections

    @hookimpl
    def foreword_variables(self) -> dict[str, Any]:
        """Return the variables."""
        return self._variables


@contextmanager
def _desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory() as folder:
        yield Desk(Path(folder))


@pytest.fixture(scope="session")
def new_desk() -> Callable[[], AbstractContextManager[Desk]]:
    """Makes a project that is there for a while."""
    return _desk


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A project of one test."""
    with _desk() as made:
        yield made


@pytest.fixture(scope="session")
def giving() -> type[Giving]:
    """A plugin that gives sections and variables."""
    return Giving
