"""The shape of hooks: which there are, and whether a function can implement one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from ._hookspecs import Hooks

HOOKS: Mapping[str, tuple[str, ...]] = {
    name: tuple(inspect.signature(spec).parameters)[1:]
    for name, spec in vars(Hooks).items()
    if name.startswith("foreword_")
}
"""Every hook and the names of its arguments."""


def unfit(
    hook: str,
    function: Callable[..., object],
    arguments: Mapping[str, inspect.Parameter],
    options: Mapping[str, object],
) -> str | None:
    """Return why a function cannot implement the hook, or None."""
    spec = ", ".join(HOOKS[hook])
    if options.get("wrapper") or options.get("hookwrapper"):
        return f"has a wrapper of {hook}; hooks are called one by one, so there is nothing to wrap"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return f"has a generator as {hook}; return a list"
    if inspect.iscoroutinefunction(function):
        return f"has a coroutine as {hook}; a hook is a plain function"
    parameters = arguments.values()
    own = ", ".join(str(parameter) for parameter in parameters)
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name not in HOOKS[hook]:
            return f"has {hook}({own}), and the hook is {hook}({spec})"
        if parameter.default is not parameter.empty:
            return f"has {hook}({own}); an argument of a hook has no default"
    return None


class Implemented:
    """What pluggy is given of a plugin: its hooks."""

    def __init__(self, hooks: Mapping[str, tuple[Callable[..., object], tuple[str, ...]]]) -> None:
        self.__dict__.update({hook: function for hook, (function, _) in hooks.items()})

    def __dir__(self) -> list[str]:
        # pluggy looks at every name that it is told of, and that takes it longer than everything else.
        return list(self.__dict__)
