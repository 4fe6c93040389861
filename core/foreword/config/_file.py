"""The file of the configuration: read, checked, and every setting known by its line."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from foreword._diagnostics import Place
from foreword._errors import ConfigError
from foreword._names import agent_name, check_id, id_key
from foreword._policy import dotted
from foreword.config._errors import problems_of
from foreword.config._settings import Settings
from foreword.config._toml import Lines, parse
from foreword.config._types import is_table

_KEYED_BY_SECTION: Final = ("sections", "prefer")

# The checks are made while this is imported, which happens once, however many threads read their first file.
Settings.model_rebuild()


def load_file(shown: str, path: str, named: str | None = None) -> Settings:
    """Return the settings that a file sets down.

    Args:
        shown: the file, as its owner wrote it.
        path: the file; relative paths in it are relative to its directory.
        named: who named it, for the message that it cannot be read.

    Raises:
        ConfigError: the file cannot be read, or a key or a value in it is wrong.
    """
    source = _read(shown, path, named)
    data = parse(source, shown)
    lines = Lines(source)
    try:
        found = Settings.model_validate(data, context={"base": os.path.dirname(path)})
    except ValidationError as error:
        first = min(problems_of(error), key=lambda problem: lines.of(problem.path) or 0)
        raise ConfigError(first.message, Place(shown, lines.of(first.path))) from None
    origins = {key: Place(shown, lines.of(keys)) for key, keys in _set_keys(data)}
    return found.with_origins(origins, shown, os.path.dirname(os.path.abspath(path)))


def _read(shown: str, path: str, named: str | None) -> str:
    by = f" (named by {named})" if named == "FOREWORD_CONFIG" else ""
    try:
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError(f"the file is not a regular file{by}", Place(shown))
            with open(descriptor, "rb", closefd=False) as file:
                raw = file.read()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ConfigError(f"the file cannot be read{by}: {error.strerror}", Place(shown)) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError("the file is not UTF-8 text", Place(shown, line)) from None


def _set_keys(data: Mapping[str, object], path: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """Return every key that has a value, as TOML writes it under its one spelling, and as it was written."""
    keys: list[tuple[str, tuple[str, ...]]] = []
    for part, value in data.items():
        here = (*path, part)
        if is_table(value):
            keys += _set_keys(value, here)
        elif here[0] in _KEYED_BY_SECTION and len(here) > 1:
            keys.append((dotted(here[0], id_key(check_id(here[1])), *here[2:]), here))
        elif here[0] == "agents" and len(here) > 1:
            keys.append((dotted(here[0], agent_name(here[1]), *here[2:]), here))
        else:
            keys.append((dotted(*here), here))
    return keys
