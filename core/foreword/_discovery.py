"""Discovery: which plugins are installed. Metadata is read, and nothing is imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, cast

from ._names import plugin_prefix
from ._provider import Provider

GROUP = "foreword"
"""The group of entry points in which plugins register."""


class Discovered(NamedTuple):
    """An entry point that was found; nothing of it is imported yet."""

    provider: Provider
    value: str
    load: Callable[[], object]


def discover() -> tuple[Discovered, ...]:
    """Return the entry points of group ``foreword``, sorted by distribution and name.

    They are looked up once per process and search path.
    """
    return _discover(tuple(sys.path))


@cache
def _discover(path: tuple[str, ...]) -> tuple[Discovered, ...]:
    from importlib_metadata import entry_points  # pyright: ignore[reportUnknownVariableType]

    found: dict[tuple[str, str], Discovered] = {}
    for entry_point in cast("Iterable[Any]", entry_points(group=GROUP)):
        distribution = entry_point.dist
        name = plugin_prefix(distribution.name) if distribution is not None else "?"
        version = str(distribution.version) if distribution is not None else ""
        provider = Provider(name, version, str(entry_point.name))
        found.setdefault((name, provider.entry_point), Discovered(provider, entry_point.value, entry_point.load))
    return tuple(found[key] for key in sorted(found))
