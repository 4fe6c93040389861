"""Real distributions for tests: metadata and modules in a directory on the search path, as pip leaves them."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine; long runs choose another profile.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.load_profile("suite")


class Site:
    """A directory on ``sys.path`` that distributions are put into."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(
        self,
        name: str,
        source: str = "",
        *,
        version: str = "1.0",
        entry_points: Mapping[str, str] | None = None,
        metadata: str | None = None,
        kind: str = "dist-info",
    ) -> str:
        """Put a distribution with one module there, and return the module's name.

        Args:
            name: the distribution.
            source: the module's source; ``foreword`` names are imported at its top.
            version: the distribution's version.
            entry_points: what each entry point names; by default ``main`` names the module.
            metadata: the whole text of its metadata, for damaged ones.
            kind: ``dist-info`` or ``egg-info``.
        """
        module = f"module_of_{name.lower().replace('-', '_').replace('.', '_')}"
        info = self.path / f"{name.replace('-', '_')}-{version}.{kind}"
        info.mkdir()
        if metadata is None:
            metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(metadata)
        named = {"main": module} if entry_points is None else entry_points
        lines = "".join(f"{key} = {value}\n" for key, value in named.items())
        (info / "entry_points.txt").write_text(f"[foreword]\n{lines}")
        imports = "from foreword import Edit, Section, hookimpl\n"
        (self.path / f"{module}.py").write_text(imports + textwrap.dedent(source))
        importlib.invalidate_caches()
        return module


@contextmanager
def _on_path(path: Path) -> Iterator[Site]:
    path.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path)
        patch.setattr(sys, "dont_write_bytecode", True)
        yield Site(path)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(f"{path}/"):
                del sys.modules[name]


@pytest.fixture
def on_path() -> Callable[[Path], AbstractContextManager[Site]]:
    """Makes a directory and puts it on ``sys.path`` for a while."""
    return _on_path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A directory on ``sys.path`` that distributions are put into."""
    with _on_path(tmp_path / "site-packages") as made:
        yield made
