"""The tree of a memory, as the agent reads it in its prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_LINES = 500
MOST_CHILDREN = 50


def render_tree(paths: list[str]) -> str:
    """Return the tree as a block of text: directories first, two spaces a level.

    Args:
        paths: paths below the memory; those of directories end in a slash.

    >>> print(render_tree(["notes.md", "people/", "people/ada.md"]))
    ```text
    people/
      ada.md
    notes.md
    ```
    """
    children: dict[str, list[str]] = {}
    for path in paths:
        children.setdefault(path.rstrip("/").rpartition("/")[0], []).append(path)
    lines = list(_lines(children, "", 0))
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more"]
    # A fence longer than any run of backticks in a name, so that no name can end it.
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _lines(children: dict[str, list[str]], folder: str, level: int) -> Iterator[str]:
    entries = children.get(folder, [])
    folders = sorted(path for path in entries if path.endswith("/"))
    files = sorted(path for path in entries if not path.endswith("/"))
    indent = "  " * level
    for path in folders[:MOST_CHILDREN]:
        stem = path.rstrip("/")
        yield f"{indent}{_visible(stem.rpartition('/')[2] + path[len(stem) :])}"
        yield from _lines(children, stem, level + 1)
    for path in files[: max(0, MOST_CHILDREN - len(folders))]:
        yield f"{indent}{_visible(path.rpartition('/')[2])}"
    if len(entries) > MOST_CHILDREN:
        yield f"{indent}… {len(entries) - MOST_CHILDREN} more"


def _visible(name: str) -> str:
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in name)
