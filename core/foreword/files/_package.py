"""Markdown files that a package ships, read once per process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from foreword.files._reader import MarkdownFile
from foreword.files._roots import Root
from foreword.markdown._front_matter import parse


@cache
def read_package(package: str) -> tuple[MarkdownFile, ...]:
    """Return the Markdown files directly in an installed package, sorted by name.

    Args:
        package: the package's import name. It may be inside a zip file.

    Raises:
        ModuleNotFoundError: there is no such package.

    >>> [file.name for file in read_package("foreword_prompts")]
    ['AGENTS.md', 'CONVERSATION_RULES.md', 'SAFETY.md', 'TOOL_USAGE.md']
    """
    root = Root(package, "")
    found: list[MarkdownFile] = []
    for entry in sorted(files(package).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".md"):
            place = f"{package}/{entry.name}"
            document = parse(entry.read_text(encoding="utf-8"), place)
            found.append(MarkdownFile(root, entry.name, place, document, None, None))
    return tuple(found)
