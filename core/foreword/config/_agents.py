"""What the settings come to for one agent: memory, skills, variables, and whether the paths are there."""

from __future__ import annotations

import os
import stat
from typing import Final, NamedTuple

from foreword._diagnostics import Place
from foreword._errors import ConfigError
from foreword._names import agent_name
from foreword._policy import dotted
from foreword.config._settings import AgentSettings, Settings
from foreword.files._roots import Root
from foreword.files._walk import real_path
from foreword.templates._names import Value

AGENT: Final = "{agent}"
"""What stands in the path of a memory for the agent that is asked for."""

_NOTHING: Final = AgentSettings.model_construct()


def memory_root(settings: Settings, agent: str | None) -> Root | None:
    """Return the agent's memory, its own or the general one, or None where there is none.

    Args:
        settings: the settings in force.
        agent: the agent that is asked for; without one, a path that holds ``{agent}`` is none.

    Raises:
        ConfigError: the agent's name is none that an agent can have.
    """
    memory = _own(settings, agent).memory or settings.memory.path
    if memory is None or AGENT not in memory.written:
        return memory
    if agent is None:
        return None
    name = agent_name(agent)
    # The directories before the written path are not the operator's to fill in, whatever they are called.
    path = name.join(memory.path.rsplit(AGENT, memory.written.count(AGENT)))
    return Root(memory.written.replace(AGENT, name), path)


def skill_roots(settings: Settings, agent: str | None) -> tuple[Root, ...]:
    """Return the roots of skills, low to high: the agent's own where it has some, else the general ones."""
    own = _own(settings, agent).skills
    return settings.skills.roots if own is None else own


def agent_variables(settings: Settings, agent: str | None) -> dict[str, Value]:
    """Return the variables that the configuration gives to this agent only."""
    return dict(_own(settings, agent).variables)


class NamedRoot(NamedTuple):
    """A directory that the operator named, and its key. The memory of an agent that has none yet may be missing."""

    key: str
    root: Root
    may_be_missing: bool = False


class AgentRoots(NamedTuple):
    """What the settings come to for one agent: its memory, its skills, and every directory that is to be there."""

    memory: Root | None
    skills: tuple[Root, ...]
    named: tuple[NamedRoot, ...]

    @classmethod
    def of(cls, settings: Settings, agent: str | None) -> AgentRoots:
        """Return the roots of an agent.

        Raises:
            ConfigError: the agent's name is none that an agent can have.
        """
        own = _own(settings, agent)
        memory, skills = memory_root(settings, agent), skill_roots(settings, agent)
        named: list[NamedRoot] = []
        if settings.prompts_dir is not None:
            named.append(NamedRoot("prompts_dir", settings.prompts_dir))
        if memory is not None:
            key = dotted("agents", agent or "", "memory") if own.memory is not None else "memory.path"
            configured = own.memory or settings.memory.path
            named.append(NamedRoot(key, memory, configured is not None and AGENT in configured.written))
        key = dotted("agents", agent or "", "skills") if own.skills is not None else "skills.roots"
        named += [NamedRoot(key, root) for root in skills]
        named += [NamedRoot("files.link_roots", root) for root in settings.files.link_roots]
        return cls(memory, skills, tuple(named))

    def check(self, settings: Settings) -> None:
        """Check that every directory which the operator named is there.

        Raises:
            ConfigError: one is missing, or is no directory.
        """
        for key, root, may_be_missing in self.named:
            _check(settings, key, root, may_be_missing=may_be_missing)


def general_roots(settings: Settings) -> AgentRoots | None:
    """Return the roots of all agents for which the configuration has nothing else; None where each has a memory."""
    memory = settings.memory.path
    return AgentRoots.of(settings, None) if memory is None or AGENT not in memory.written else None


def check_roots(settings: Settings, agent: str | None) -> None:
    """Check that every directory which the operator named for an agent is there.

    Raises:
        ConfigError: one is missing, or is no directory.
    """
    AgentRoots.of(settings, agent).check(settings)


def check_disjoint(prompts: Root | None, memory: Root | None) -> None:
    """Check that the agent's memory and the operator's prompts do not lie one inside the other.

    Raises:
        ConfigError: they do, or they are the same directory.
    """
    if prompts is None or memory is None:
        return
    tops = real_path(prompts.path), real_path(memory.path)
    # Names alone do not tell on file systems that set case aside, or with bind mounts.
    identities = {path: _identity(path) for path in {*_upwards(tops[0]), *_upwards(tops[1])}}
    for inner, outer, at, above, inner_name, outer_name in (
        (memory, prompts, tops[1], tops[0], "the memory", "the prompts directory"),
        (prompts, memory, tops[0], tops[1], "the prompts directory", "the memory"),
    ):
        identity = identities[above]
        if any(path == above or (identity is not None and identities[path] == identity) for path in _upwards(at)):
            raise ConfigError(
                f"{inner_name} {inner.written!r} lies inside {outer_name} {outer.written!r}:"
                " what the agent writes must not stand among what the operator writes"
            )


def _own(settings: Settings, agent: str | None) -> AgentSettings:
    return settings.agents.get(agent, _NOTHING) if agent is not None else _NOTHING


def _check(settings: Settings, key: str, asked: Root, *, may_be_missing: bool = False) -> None:
    try:
        mode = os.stat(asked.path).st_mode
    except FileNotFoundError:
        if may_be_missing:
            return
        wrong = "is not there"
    except (OSError, ValueError) as error:
        wrong = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        if stat.S_ISDIR(mode):
            return
        wrong = "is no directory"
    origin = settings.origin(key)
    if isinstance(origin, Place):
        raise ConfigError(f"{key}: {asked.written!r} {wrong}", origin)
    raise ConfigError(f"{origin or key}: {asked.written!r} {wrong}")


def _upwards(path: str) -> list[str]:
    """Return a directory and each that it lies in."""
    found = [path]
    while (parent := path.rpartition("/")[0] or "/") != path:
        found.append(parent)
        path = parent
    return found


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
