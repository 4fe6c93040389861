"""Setting types: what a value of the configuration may be, and what is said when it is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeGuard, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    PlainValidator,
    SerializerFunctionWrapHandler,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError, core_schema

from foreword._errors import ConfigError
from foreword._names import NameRefused, agent_name, check_id
from foreword.files._roots import Root, root

_PLUGIN: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?::\S(?:.*\S)?)?")
_NAMESPACE: Final = re.compile(r"\w[\w.-]*")
_KINDS: Final = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a number"),
    (dict, "a table"),
)

T = TypeVar("T")


def nothing() -> Mapping[str, Any]:
    """Return the default of a table that nobody set down."""
    return MappingProxyType({})


def kind_of(value: object) -> str:
    """Return what a value is, in the words of a message."""
    if isinstance(value, (list, tuple)):
        return "a list"
    for type_, kind in _KINDS:
        if isinstance(value, type_):
            return kind
    return type(value).__name__


def is_table(value: object) -> TypeGuard[dict[str, object]]:
    """Return whether a value read from TOML is a table."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Return whether a value read from TOML is a list."""
    return isinstance(value, list)


def _listed(value: object) -> object:
    return tuple(value) if is_list(value) else value


def _root(value: object, info: ValidationInfo) -> Root:
    if isinstance(value, Root):
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("path", "must be a path, not {kind}", {"kind": kind_of(value)})
    if not value.strip() or "\0" in value:
        raise PydanticCustomError("path", "must be a path, not empty and without NUL")
    context: Mapping[str, str] = info.context or {}
    return root(value, context.get("base", ""))


def _window(value: object) -> tuple[int, int]:
    match value:
        case [int(low), int(high)] if type(low) is type(high) is int and 0 <= low <= high <= 999:
            return (low, high)
        case _:
            pass
    raise PydanticCustomError("window", "must be [low, high]: whole numbers from 0 to 999, low not above high")


def _section_id(id: str) -> str:
    try:
        check_id(id)
    except NameRefused as error:
        raise PydanticCustomError("name", "is no section id: {why}", {"why": str(error)}) from None
    return id


def _reserved_id(pattern: str) -> str:
    _section_id(f"{pattern[:-1]}x" if pattern.endswith("*") else pattern)
    return pattern


def _agent(name: str) -> str:
    try:
        agent_name(name)
    except ConfigError as error:
        raise PydanticCustomError("name", "is no agent: {why}", {"why": error.message}) from None
    return name


def _plugin(name: str) -> str:
    if not _PLUGIN.fullmatch(name):
        raise PydanticCustomError("name", "must name a plugin: 'distribution' or 'distribution:entry-point'")
    return name


def _namespace(name: str) -> str:
    if not _NAMESPACE.fullmatch(name):
        raise PydanticCustomError(
            "name", "must be the name of one directory: letters, digits, '.', '_', '-', no dot or '-' first"
        )
    return name


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("text", "must not be empty")
    return text


def spelled(spelling: Callable[[str], str], table: Mapping[str, T]) -> dict[str, T]:
    """Return the table under the one spelling of each key; two keys for one thing are refused."""
    written: dict[str, str] = {}
    for key in table:
        one = spelling(key)
        if one in written:
            raise PydanticCustomError(
                "twice", "is the same as {other}, which is also given", {"key": key, "other": repr(written[one])}
            )
        written[one] = key
    return {one: table[key] for one, key in written.items()}


Listed = BeforeValidator(_listed)
"""TOML has lists; settings hold tuples."""

RootPath = Annotated[Root, PlainValidator(_root)]
Window = Annotated[tuple[int, int], PlainValidator(_window)]
SectionId = Annotated[str, AfterValidator(_section_id)]
AgentName = Annotated[str, AfterValidator(_agent)]
PluginName = Annotated[str, AfterValidator(_plugin)]
Namespace = Annotated[str, AfterValidator(_namespace)]
ReservedId = Annotated[str, AfterValidator(_reserved_id)]
NotBlank = Annotated[str, AfterValidator(_not_blank)]


class _Unchangeable:
    """Makes a table read-only, and gives it out as the dict that it stands for."""

    # pydantic's own markers for this would load a module of theirs that nothing else here needs.
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        table = handler(source)
        given_out = core_schema.wrap_serializer_function_ser_schema(_as_dict, schema=table)
        return core_schema.no_info_after_validator_function(MappingProxyType, table, serialization=given_out)


def _as_dict(table: Mapping[str, object], handler: SerializerFunctionWrapHandler) -> object:
    return handler(dict(table))


# Settings are handed to plugins, and none may change them for the others.
Unchangeable = _Unchangeable()


class Table(BaseModel):
    """One table of the configuration: nothing in it is guessed, converted or passed over."""

    # The defaults hold without a check, so who has no foreword.toml need not wait until one could be read.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True, defer_build=True)
