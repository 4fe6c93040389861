"""The two measures that foreword is held against: the plainest script that reads the same files, and its limit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence


def naive(directories: Sequence[str], skills: str | None = None) -> str:
    """Read every Markdown file of the directories and every ``SKILL.md``; strip, sort and join: no checks.

    Args:
        directories: the prompts directory, an agent's directory, the pinned files of a memory.
        skills: a directory with one sub-directory for each skill.
    """
    texts: list[tuple[str, str]] = []
    for directory in directories:
        for entry in os.scandir(directory):
            if entry.name.endswith(".md"):
                with open(entry.path, encoding="utf-8") as file:
                    texts.append((entry.path, file.read().strip()))
    if skills is not None:
        for entry in os.scandir(skills):
            path = entry.path + "/SKILL.md"
            with open(path, encoding="utf-8") as file:
                texts.append((path, file.read().strip()))
    texts.sort()
    return "\n\n".join([text for _, text in texts])


def limit(cached: Mapping[str, str], directories: Sequence[str], skills: str | None = None) -> str:
    """List the same directories, ask for the state of the same files, and join the texts that are there already.

    Args:
        cached: the text of every file, by path.
        directories: as for `naive`.
        skills: as for `naive`.
    """
    paths: list[str] = []
    for directory in directories:
        for entry in os.scandir(directory):
            if entry.name.endswith(".md"):
                entry.stat()
                paths.append(entry.path)
    if skills is not None:
        for entry in os.scandir(skills):
            path = entry.path + "/SKILL.md"
            os.stat(path)
            paths.append(path)
    paths.sort()
    return "\n\n".join([cached[path] for path in paths])
