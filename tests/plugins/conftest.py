"""A desk: a directory with a configuration, files to build a prompt from, and what the build had to say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Diagnostic, Prompt

BARE = 'prompts_dir = "prompts"\n[plugins]\ndisable = ["foreword:builtin"]\n[sections.safety]\nrequired = false\n'
"""No packaged templates, and nothing that must be there."""


class Desk:
    """A directory of its own, in which paths of the configuration start."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: list[Diagnostic] = []

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files, and the directories they need."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def link(self, name: str, target: str | Path) -> None:
        """Make a link."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def build(self, settings: str, agent: str | None = None, **arguments: Any) -> Prompt:
        """Build with these settings; what there was to say is then in ``found``."""
        self.found.clear()
        config = self.root / "foreword.toml"
        config.write_text(settings)
        builder = Builder.from_config(config, plugins=False, on_diagnostic=self.found.append)
        return builder.build(agent, **arguments)

    def bare(self, files: Mapping[str, str | bytes], agent: str | None = None, settings: str = "") -> Prompt:
        """Build from a prompts directory with these files, without the packaged templates."""
        (self.root / "prompts").mkdir(exist_ok=True)
        self.write({f"prompts/{name}": text for name, text in files.items()})
        return self.build(BARE + settings, agent)

    def said(self, *, info: bool = False) -> list[tuple[str, str, str]]:
        """Return code, severity and place of everything that the last build had to say, in order."""
        return [
            (one.code, one.severity, str(one.place)) for one in self.found if info or one.severity != "info"
        ]

    def messages(self, code: str) -> list[str]:
        """Return the messages of one code."""
        return [one.message for one in self.found if one.code == code]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty directory to build in."""
    return Desk(tmp_path)
