"""Per-agent directories: what they are called, and which of them no agent reads."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from foreword.config._settings import Settings
from foreword.files._reader import Reader
from foreword.files._roots import Root
from foreword.files._walk import below
from foreword.templates._names import nearest

from ._diagnostics import Diagnostic, Place
from ._errors import ConfigError
from ._names import agent_name

AGENTS: Final = "agents"
"""Where the directories of agents lie, below the prompts directory."""


def spellings(agent: str) -> tuple[str, ...]:
    """Return what the directory of an agent may be called; some file systems keep letters and their marks apart."""
    return (agent,) if agent.isascii() else (agent, unicodedata.normalize("NFD", agent))


def idle_agent_directories(settings: Settings, reader: Reader) -> Iterator[Diagnostic]:
    """Yield a note about each directory under ``agents/`` that nobody seems to ask for.

    Its name is none that an agent can have, or the configuration knows agents and not this one.
    """
    prompts = settings.prompts_dir
    if prompts is None:
        return
    inside = Root(below(prompts.written, AGENTS), below(prompts.path, AGENTS))
    for entry in reader.tree(inside, depth=1):
        name = unicodedata.normalize("NFC", entry.rstrip("/"))
        place = Place(below(inside.written, entry.rstrip("/")))
        if not entry.endswith("/"):
            yield Diagnostic("FW008", "info", "it is no agent's directory and is not read", place, "move it")
            continue
        try:
            agent_name(name)
        except ConfigError as problem:
            yield Diagnostic("FW008", "info", f"no agent can have this name: {problem.message}", place, "rename it")
            continue
        if settings.agents and name not in settings.agents:
            near = nearest(name, settings.agents)
            hint = f"did you mean {near!r}?" if near else f"add [agents.{name}], or rename it"
            yield Diagnostic("FW008", "info", f"[agents] of the configuration names no agent {name!r}", place, hint)
