"""The text of an override: from a file, from standard input, or from an editor that shows what stands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from foreword._errors import ConfigError, UnknownSection

if TYPE_CHECKING:
    from foreword.memory import AgentMemory


def text_of(
    memory: AgentMemory, id: str, path: str | None, mode: str | None, heading: str | None
) -> tuple[str, dict[str, str | None] | None]:
    """Return the text, and what it was read from if it comes from an editor.

    Args:
        memory: the memory that the override is written to.
        id: the section.
        path: a file; ``-`` is standard input, and None too where that is no terminal.
        mode: the mode of the override.
        heading: for a patch, the heading whose text is exchanged.

    Raises:
        ConfigError: there is no text to be had.
    """
    if path is not None or not sys.stdin.isatty():
        name = "standard input" if path in (None, "-") else f"--file {path}"
        try:
            if path is None or path == "-":
                return sys.stdin.buffer.read().decode(), None
            with open(path, encoding="utf-8") as file:
                return file.read(), None
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(f"{name} cannot be read: {problem}") from problem
    standing, match = "", None
    try:
        view = memory.section(id)
        standing, match = view.source or "", view.match
    except UnknownSection:
        # Whoever defines a section starts from nothing.
        pass
    if mode == "patch":
        from foreword.markdown._headings import targets

        bodies = targets(standing, heading or "")
        lines = standing.split("\n")
        standing = "\n".join(lines[bodies[0].start : bodies[0].end]).strip() if len(bodies) == 1 else ""
    elif mode in ("prepend", "append"):
        standing = ""
    edited: str | None = click.edit(standing, extension=".md")
    if edited is None:
        raise ConfigError("the editor saved nothing, so nothing is changed")
    return edited, match
