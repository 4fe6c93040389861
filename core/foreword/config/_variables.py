"""Variables: what a name and a value can be, whoever gives them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BeforeValidator, PlainValidator, Secret, SecretBytes, SecretStr
from pydantic_core import PydanticCustomError

from foreword._errors import ConfigError
from foreword.config._types import Unchangeable, is_table, kind_of
from foreword.templates._names import Value

_VARIABLE: Final = re.compile(r"(?:\w+\.)?[^\W\d]\w*", re.ASCII)


LARGEST: Final = 10**100
"""Whole numbers from here on cost too much to be written out."""


def check_variables(values: Mapping[str, object], whose: str) -> dict[str, Value]:
    """Return the variables that are given, each as plain text, number or boolean.

    Args:
        values: variables by name; None means "not given", and is left out.
        whose: who gave them, as a message names it: ``variables=``, ``--var``.

    Raises:
        ConfigError: a name or a value is none that a variable can have.

    >>> check_variables({"agent_name": "Ada", "channel": None}, "variables=")
    {'agent_name': 'Ada'}
    """
    checked: dict[str, Value] = {}
    for name, value in values.items():
        try:
            _variable_name(name)
            if value is not None:
                checked[str.__str__(name)] = _variable_value(value)
        except ValueError as error:
            raise ConfigError(f"{whose}: variable {name!r} {error}") from None
    return checked


def _variable_name(name: object) -> str:
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
        raise PydanticCustomError(
            "name",
            "is no name of a variable: letters, digits and '_', no digit first; a plugin's has one dot",
        )
    return name


def _variable_value(value: object) -> Value:
    # A subclass could give other characters later on; the plain value cannot.
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise PydanticCustomError("value", "holds half of a character (a lone surrogate)")
        return str.__str__(value)
    if isinstance(value, int):
        if abs(value) >= LARGEST:
            raise PydanticCustomError("value", "must be a number of at most 100 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PydanticCustomError("value", "must be a number that is finite")
        return float(value)
    if isinstance(value, (Secret, SecretStr, SecretBytes)):
        raise PydanticCustomError("value", "is a secret: a prompt must hold none")
    raise PydanticCustomError("value", "must be text, a number or true/false, not {kind}", {"kind": kind_of(value)})


def _flat(table: object) -> object:
    """Return the variables with those of a plugin's own table under their dotted names."""
    if not is_table(table):
        return table
    flat: dict[str, object] = {}
    for name, value in table.items():
        inner = {name: value}
        if is_table(value):
            inner = {f"{name}.{last}": one for last, one in value.items()}
        for full, one in inner.items():
            if full in flat:
                raise PydanticCustomError("twice", "is given twice", {"key": full})
            flat[full] = one
    return flat


VariableName = Annotated[str, PlainValidator(_variable_name)]
VariableValue = Annotated[Value, PlainValidator(_variable_value)]
Variables = Annotated[Mapping[VariableName, VariableValue], BeforeValidator(_flat), Unchangeable]
