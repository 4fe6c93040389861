"""The implementations of a hook, as they are called one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ._provider import Provider


class Implementation(NamedTuple):
    """One plugin's implementation of one hook, and the layers that the plugin is granted."""

    provider: Provider
    function: Callable[..., object]
    arguments: tuple[str, ...]
    layers: tuple[str, ...]


class Calls(tuple[Implementation, ...]):
    """The implementations of one hook, sorted by provider.

    ``table`` says the same in plain tuples, which a loop over thousands takes apart at once: the
    function, whether it takes the context, and the provider.
    """

    table: tuple[tuple[Callable[..., object], bool, Provider], ...]

    def __new__(cls, implementations: Iterable[Implementation] = ()) -> Calls:
        made = super().__new__(cls, sorted(implementations, key=lambda implementation: implementation.provider))
        made.table = tuple((one.function, "context" in one.arguments, one.provider) for one in made)
        return made
