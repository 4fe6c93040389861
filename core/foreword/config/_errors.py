"""Errors of the configuration: what pydantic found, as one sentence that names the key."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from foreword._layers import LAYERS
from foreword._policy import dotted
from foreword.config._limits import LimitSettings, ScanSettings
from foreword.config._settings import (
    AgentSettings,
    FileSettings,
    MemorySettings,
    PluginSettings,
    SectionPolicy,
    Settings,
    SkillSettings,
)
from foreword.config._types import is_table, kind_of

_TABLES: Final[Mapping[str, type[BaseModel]]] = {
    "memory": MemorySettings,
    "skills": SkillSettings,
    "plugins": PluginSettings,
    "files": FileSettings,
    "limits": LimitSettings,
    "scan": ScanSettings,
}
_TABLES_BY_NAME: Final[Mapping[str, type[BaseModel]]] = {"agents": AgentSettings, "sections": SectionPolicy}
_NAMED: Final = (*_TABLES_BY_NAME, "prefer")
_EXPECTED: Final[Mapping[str, str]] = {
    "bool_type": "true or false",
    "string_type": "text",
    "int_type": "a whole number",
    "model_type": "a table",
    "dict_type": "a table",
    "tuple_type": "a list",
}


class Problem(NamedTuple):
    """One thing that is wrong: the key it is wrong at, and the sentence."""

    path: tuple[str, ...]
    message: str


def problems_of(error: ValidationError) -> list[Problem]:
    """Return what is wrong with the data of a foreword.toml."""
    return [_problem(details) for details in error.errors(include_url=False)]


def _problem(details: ErrorDetails) -> Problem:
    keys = tuple(part for part in details["loc"] if isinstance(part, str) and part != "[key]")
    context: Mapping[str, Any] = details.get("ctx") or {}
    if "key" in context:
        keys = (*keys, context["key"])
    of_key = details["loc"][-1:] == ("[key]",)
    kind, value = details["type"], details["input"]
    if kind == "extra_forbidden":
        message = _unknown(keys, _known(keys[:-1]), value)
    elif kind == "literal_error" and of_key:
        message = _unknown(keys, LAYERS)
    elif kind == "literal_error":
        shown = repr(value) if isinstance(value, str) else kind_of(value)
        message = f"{dotted(*keys)} must be {context['expected']}, not {shown}"
    elif kind in _EXPECTED:
        message = f"{dotted(*keys)} must be {_EXPECTED[kind]}, not {kind_of(value)}" + _dot_hint(keys, value)
    elif kind == "greater_than":
        message = f"{dotted(*keys)} must be greater than {context['gt']}"
    else:
        message = f"{dotted(*keys)} {details['msg']}"
    return Problem(keys, message)


def _unknown(keys: tuple[str, ...], known: Collection[str], value: object = None) -> str:
    near = difflib.get_close_matches(keys[-1], known, n=1, cutoff=0.5)
    if not near:
        near = [key for key in _everywhere() if key.rpartition(".")[2] == keys[-1]][:1]
    if near:
        return f"unknown key {dotted(*keys)}; the nearest known one is {near[0]!r}"
    return f"unknown key {dotted(*keys)}; known here are {', '.join(known)}" + _dot_hint(keys, value)


def _dot_hint(keys: tuple[str, ...], value: object) -> str:
    if is_table(value) and len(keys) > 1 and keys[0] in _NAMED:
        return f'; a name that has a dot stands in quotes: {keys[0]}."a.b"'
    return ""


def _known(table: tuple[str, ...]) -> list[str]:
    if not table:
        return _fields(Settings)
    first, *rest = table
    if first in _TABLES_BY_NAME:
        return _fields(_TABLES_BY_NAME[first])
    inner = _TABLES[first].model_fields[rest[0]].annotation if rest else _TABLES[first]
    return _fields(inner) if isinstance(inner, type) and issubclass(inner, BaseModel) else []


def _everywhere() -> list[str]:
    return _fields(Settings) + [f"{table}.{key}" for table, model in _TABLES.items() for key in _fields(model)]


def _fields(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
