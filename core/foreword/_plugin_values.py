"""What plugins return as variables for templates: checked, and scanned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from foreword.config._variables import LARGEST
from foreword.templates._names import Value

from ._implementation import Calls
from ._names import variable_prefix
from ._plugin_calls import BUILDING, Caller
from ._provider import Provider

HOOK = "foreword_variables"
LONGEST_VALUE = 200


def plugin_values(caller: Caller, calls: Calls) -> dict[str, Value]:
    """Call ``foreword_variables`` of plugins and return the variables that are in order."""
    values: dict[str, Value] = {}
    returned = caller.call_all(HOOK, calls)
    token = BUILDING.set(True)
    try:
        for (provider, _, _, _), result in zip(calls, returned, strict=True):
            if result is not None:
                values.update(checked_values(caller, provider, result))
    finally:
        BUILDING.reset(token)
    return values


def checked_values(caller: Caller, provider: Provider, result: object) -> Mapping[str, Value]:
    """Return what is in order of that which a plugin returned from ``foreword_variables``."""
    try:
        return _checked(caller, provider, result)
    except (Exception, SystemExit) as cause:
        # A stranger's object can raise when it is only looked at.
        caller.failed(provider, HOOK, cause)
        return {}


def _checked(caller: Caller, provider: Provider, result: object) -> Mapping[str, Value]:
    if not isinstance(result, Mapping):
        caller.problem(provider, "FW034", f"returned {type(result).__name__} from {HOOK}; it returns a dict")
        return {}
    given = cast("Mapping[object, object]", result)
    pairs = cast("dict[object, object]", caller.guarded(provider, HOOK, lambda: dict(given.items())) or {})
    prefix = variable_prefix(provider.distribution) + "."
    values: dict[str, Value] = {}
    for name, value in pairs.items():
        if not isinstance(name, str) or not name.startswith(prefix) or not name[len(prefix) :].isidentifier():
            caller.problem(provider, "FW038", f"gave the variable {name!r}; its names begin with {prefix!r}")
        elif not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= LARGEST):
            caller.problem(provider, "FW038", f"gave {name!r} a {type(value).__name__}; a value is text or a number")
        elif isinstance(value, str) and (len(value) > LONGEST_VALUE or len(value.splitlines()) > 1):
            what = f"gave {name!r} a text that is not one line of at most {LONGEST_VALUE} characters"
            caller.problem(provider, "FW038", what)
        elif isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            caller.problem(provider, "FW038", f"gave {name!r} half of a surrogate pair, which is no character")
        elif not isinstance(value, str):
            values[name] = value
        elif _is_shown(caller, provider, name, text := str.__str__(value)):
            values[name] = text
    return values


def _is_shown(caller: Caller, provider: Provider, name: str, value: str) -> bool:
    """Say what a person does not see in the value of a variable, and whether it may be used."""
    for found in caller.screen.scanned("", {"value": value}, trusted=False):
        if found.refuses:
            caller.problem(provider, "FW038", f"gave {name!r} a text that is refused: {found.message}")
            return False
        caller.remark(provider, found.code, found.severity, f"gave {name!r} a text with {found.message}")
    return True
