"""Which agents have a memory, where the path of the memories holds ``{agent}``."""

from __future__ import annotations

import os

from foreword import ConfigError
from foreword._agent_settings import AGENT
from foreword._names import agent_name
from foreword._settings import Settings


def agents_with_memories(settings: Settings) -> list[str]:
    """Return the agents that have a memory, sorted.

    Raises:
        ConfigError: the path of the memories does not hold ``{agent}``.
    """
    memory = settings.memory.path
    if memory is None or AGENT not in memory.written:
        raise ConfigError("whose memory? Name the agent: --agent NAME, or a memory path that holds {agent}")
    before, _, after = memory.path.rpartition(AGENT)
    folder, _, prefix = before.rpartition(os.sep)
    suffix, slash, rest = after.partition(os.sep)
    agents: list[str] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if not name.startswith(prefix) or not name.endswith(suffix):
            continue
        try:
            agent = agent_name(name[len(prefix) : len(name) - len(suffix)])
        except ConfigError:
            continue
        if os.path.isdir(os.path.join(folder, name, rest) if slash else os.path.join(folder, name)):
            agents.append(agent)
    for agent, own in settings.agents.items():
        if own.memory is not None and os.path.isdir(own.memory.path) and agent not in agents:
            agents.append(agent)
    return sorted(agents)
