"""The per-agent directory: the operator's Markdown files for the one agent that is asked for."""

from __future__ import annotations

import unicodedata

from foreword import Context, Edit, hookimpl

from .directory import AGENTS, TOOLS

_KNOWN = frozenset({TOOLS})


@hookimpl
def foreword_sections(context: Context) -> list[Edit]:
    """Return one edit for each file of ``agents/<name>/``; an agent without such a directory has none."""
    prompts = context.settings.prompts_dir
    if prompts is None or context.agent is None:
        return []
    folder = f"{AGENTS}/{context.agent}"
    found = context.list_directory(prompts, folder, known=_KNOWN, trusted_links=True)
    if not found.exists:
        # Some file systems keep the letters of a name and their marks apart.
        folder = f"{AGENTS}/{unicodedata.normalize('NFD', context.agent)}"
        found = context.list_directory(prompts, folder, known=_KNOWN, trusted_links=True)
    tools = context.list_directory(prompts, f"{folder}/{TOOLS}", trusted_links=True)
    return found.edits() + tools.edits() if tools.exists else found.edits()
