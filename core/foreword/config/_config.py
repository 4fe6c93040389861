"""The configuration: find foreword.toml, read it, and let environment and arguments go before it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from foreword._diagnostics import Place
from foreword._errors import ConfigError
from foreword.config._agents import agent_variables, check_disjoint, check_roots, memory_root, skill_roots
from foreword.config._settings import Settings
from foreword.files._roots import Root, root

__all__ = [
    "FILE_NAME",
    "agent_variables",
    "check_disjoint",
    "check_roots",
    "find",
    "load",
    "memory_root",
    "settings",
    "skill_roots",
    "strict_from",
]

FILE_NAME: Final = "foreword.toml"
"""What the file of the configuration is called."""

_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off")

AnyPath = str | os.PathLike[str]


def load(path: AnyPath) -> Settings:
    """Return the settings that a file sets down; relative paths in it are relative to the file.

    Args:
        path: the file; ``~`` is the home directory.

    Raises:
        ConfigError: the file cannot be read, or a key or a value in it is wrong.
    """
    shown = os.fspath(path)
    return _load(shown, _checked_root(shown, "", "the configuration file").path)


def find(start: str) -> str | None:
    """Return the foreword.toml that holds in a directory, or None.

    It is looked for upwards; the last directory looked in is the one that has a ``.git``, or the home
    directory.

    Args:
        start: the directory to begin in.
    """
    directory = os.path.abspath(start)
    home = os.path.realpath(os.path.expanduser("~"))
    while True:
        path = os.path.join(directory, FILE_NAME)
        # One that cannot be read is found all the same: to pass over it would drop a policy in silence.
        if os.path.lexists(path):
            return path
        parent = os.path.dirname(directory)
        last = os.path.lexists(os.path.join(directory, ".git")) or os.path.realpath(directory) == home
        if last or parent == directory:
            return None
        directory = parent


def settings(
    *,
    config: AnyPath | None = None,
    discover: bool,
    environ: Mapping[str, str],
    prompts_dir: AnyPath | None = None,
    memory: AnyPath | None = None,
    skills: Sequence[AnyPath] | None = None,
    cwd: str | None = None,
    options: bool = False,
) -> Settings:
    """Return the settings in force: arguments before the environment before the file.

    Args:
        config: the file; with it, or with ``FOREWORD_CONFIG``, none is looked for.
        discover: whether to look for one.
        environ: the environment; an empty variable is none.
        prompts_dir: the prompts directory.
        memory: the memory of every agent; it may hold ``{agent}``.
        skills: the roots of skills for every agent, low to high.
        cwd: what relative paths of arguments and environment start from; None is the working directory.
        options: whether the arguments are options of the command line; messages then name those.

    Raises:
        ConfigError: the file cannot be read, or a key or a value in it is wrong, or a path is none.
    """
    base = cwd or ""
    found = _from_file(config, discover, environ, base, "--config" if options else "config=")
    given: list[tuple[str, str, AnyPath]] = []
    for key, variable, argument in (
        ("prompts_dir", "FOREWORD_PROMPTS_DIR", prompts_dir),
        ("memory.path", "FOREWORD_MEMORY", memory),
    ):
        name = key.partition(".")[0]
        if argument is not None:
            given.append((key, f"--{name.replace('_', '-')}" if options else f"{name}=", argument))
        elif environ.get(variable):
            given.append((key, variable, environ[variable]))
    update: dict[str, Any] = {}
    origins: dict[str, Place | str] = {}
    for key, whose, written in given:
        origins[key] = whose
        update[key] = _checked_root(written, base, whose)
    if skills is not None:
        origins["skills.roots"] = "--skills" if options else "skills="
        update["skills.roots"] = tuple(_checked_root(one, base, origins["skills.roots"]) for one in skills)
    return _with(found, update).with_origins(origins)


def strict_from(environ: Mapping[str, str]) -> bool:
    """Return whether ``FOREWORD_STRICT`` asks for strictness.

    Raises:
        ConfigError: its value is neither a word for true nor one for false.
    """
    written = environ.get("FOREWORD_STRICT", "")
    word = written.strip().lower()
    if word and word not in (*_TRUE, *_FALSE):
        raise ConfigError(f"FOREWORD_STRICT must be one of {', '.join((*_TRUE, *_FALSE))}, not {written!r}")
    return word in _TRUE


def _from_file(config: AnyPath | None, discover: bool, environ: Mapping[str, str], base: str, whose: str) -> Settings:
    explicit = os.fspath(config) if config is not None else environ.get("FOREWORD_CONFIG", "")
    if config is not None or explicit:
        named = whose if config is not None else "FOREWORD_CONFIG"
        return _load(explicit, _checked_root(explicit, base, named).path, named)
    here = (base or _working_directory()) if discover else ""
    path = find(here) if discover else None
    if path is None:
        return Settings.model_construct()
    return _load(FILE_NAME if os.path.dirname(path) == os.path.abspath(here) else path, path)


def _with(found: Settings, update: Mapping[str, Any]) -> Settings:
    # What was given for this call holds for every agent, so it goes before what the file gives to one.
    agents = found.agents
    changed: dict[str, Any] = {}
    if "prompts_dir" in update:
        changed["prompts_dir"] = update["prompts_dir"]
    if "memory.path" in update:
        changed["memory"] = found.memory.model_copy(update={"path": update["memory.path"]})
        agents = {name: agent.model_copy(update={"memory": None}) for name, agent in agents.items()}
    if "skills.roots" in update:
        changed["skills"] = found.skills.model_copy(update={"roots": update["skills.roots"]})
        agents = {name: agent.model_copy(update={"skills": None}) for name, agent in agents.items()}
    return found.model_copy(update={**changed, "agents": agents})


def _checked_root(written: AnyPath, base: str, whose: Place | str) -> Root:
    text = os.fspath(written)
    if not text.strip() or "\0" in text:
        raise ConfigError(f"{whose} must be a path, not empty and without NUL")
    try:
        return root(text, base)
    except OSError as error:
        raise ConfigError(f"{whose}: {text!r} cannot be found: {error.strerror}") from None


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise ConfigError(f"the working directory cannot be read: {error.strerror}") from None


def _load(shown: str, path: str, named: str | None = None) -> Settings:
    # Who has no file waits neither for TOML nor for the checks of what could stand in it.
    from foreword.config._file import load_file

    return load_file(shown, path, named)
