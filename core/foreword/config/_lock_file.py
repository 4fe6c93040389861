"""``foreword.lock``: what the operator has approved and trusts, by content hash, beside the configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

from foreword._diagnostics import Place
from foreword._errors import ConfigError

if TYPE_CHECKING:
    from foreword.config._settings import Settings

NAME = "foreword.lock"


class LockFile(NamedTuple):
    """The content of ``foreword.lock``.

    Attributes:
        approved: for each agent, the hash of every file of its memory that is approved, by path.
        plugins: the hash of every trusted plugin, by its distribution.
        skills: the hash of every trusted skill, by its directory as it is shown.
    """

    approved: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    plugins: Mapping[str, str] = MappingProxyType({})
    skills: Mapping[str, str] = MappingProxyType({})

    def with_approved(self, agent: str, path: str, content_hash: str) -> LockFile:
        """Return it with one more file approved."""
        mine = {**self.approved.get(agent, {}), path: content_hash}
        return self._replace(approved={**self.approved, agent: mine})


def lock_path(settings: Settings) -> str:
    """Return the path of the lock file, which lies beside the configuration.

    Raises:
        ConfigError: the settings come from no file.
    """
    if settings.folder is None:
        raise ConfigError(f"what is approved stands in {NAME} beside foreword.toml, and there is no foreword.toml")
    return os.path.join(settings.folder, NAME)


def read_lock(path: str) -> LockFile:
    """Return the content of a lock file; an empty one where it is not there.

    Raises:
        ConfigError: it cannot be read.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        return LockFile()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ConfigError(f"the lock file cannot be read: {problem}", Place(path)) from problem
    approved = {agent: _hashes(content, path, "approved", agent) for agent in _table(content, path, "approved")}
    return LockFile(approved, _hashes(content, path, "trust", "plugins"), _hashes(content, path, "trust", "skills"))


def write_lock(path: str, lock: LockFile) -> None:
    """Write a lock file, whole or not at all; equal content gives equal bytes."""
    import json
    import tempfile

    lines = ["# Written by foreword: what the operator has approved and trusts, by content hash."]
    tables = [(f"approved.{json.dumps(agent, ensure_ascii=False)}", lock.approved[agent]) for agent in lock.approved]
    tables += [("trust.plugins", lock.plugins), ("trust.skills", lock.skills)]
    for table, files in sorted(tables):
        if files:
            lines += ["", f"[{table}]"]
        for name, value in sorted(files.items()):
            lines.append(f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(value)}")
    folder = os.path.dirname(path) or "."
    descriptor, temporary = tempfile.mkstemp(prefix=f".{NAME}.", dir=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _table(content: Mapping[str, object], path: str, *keys: str) -> dict[str, object]:
    table: object = content
    for key in keys:
        table = cast("dict[str, object]", table).get(key, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{'.'.join(keys)} is to be a table", Place(path))
    return cast("dict[str, object]", table)


def _hashes(content: Mapping[str, object], path: str, *keys: str) -> dict[str, str]:
    return {name: str(value) for name, value in _table(content, path, *keys).items()}
