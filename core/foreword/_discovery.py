"""Discovery: which plugins are installed. Metadata is read, and nothing is imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

from ._names import plugin_prefix
from ._provider import Provider
from ._trust import plugin_hash

GROUP = "foreword"
"""The group of entry points in which plugins register."""

UNKNOWN = "unknown"
"""What a distribution is called whose metadata do not say."""


class Discovered(NamedTuple):
    """An entry point that was found; nothing of it is imported yet."""

    provider: Provider
    value: str
    load: Callable[[], object]
    content_hash: Callable[[], str] = str


def discover() -> tuple[Discovered, ...]:
    """Return the entry points of group ``foreword``, sorted by distribution and name.

    They are looked up once per process and search path.
    """
    return _discover(tuple(sys.path))


@lru_cache(maxsize=8)
def _discover(path: tuple[str, ...]) -> tuple[Discovered, ...]:
    from importlib_metadata import entry_points  # pyright: ignore[reportUnknownVariableType]

    found: dict[tuple[str, str, str], Discovered] = {}
    for entry_point in cast("Iterable[Any]", entry_points(group=GROUP)):
        load: Callable[[], object] = entry_point.load
        hashed = partial(plugin_hash, entry_point.dist, entry_point.value)
        try:
            name, version = metadata_name(entry_point.dist)
        except Exception as cause:
            # One damaged distribution must not hide the others, nor vanish itself.
            name, version, load = UNKNOWN, "", partial(_damaged, str(cause))
        provider = Provider(name, version, str(entry_point.name))
        key = (name, provider.entry_point, entry_point.value if name == UNKNOWN else "")
        found.setdefault(key, Discovered(provider, entry_point.value, load, hashed))
    return tuple(found[key] for key in sorted(found))


def metadata_name(distribution: Any) -> tuple[str, str]:
    """Return what the ids of a distribution begin with, and its version, as its metadata give them.

    Raises:
        ValueError: the metadata give it no name, or no version.
    """
    # Its own properties parse the whole file as a letter, each anew, for two of the first lines.
    text: str = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if not colon:
            break
        fields.setdefault(key.lower(), value.strip())
    for field in ("name", "version"):
        if not fields.get(field):
            raise ValueError(f"they give no {field}")
    return plugin_prefix(fields["name"]), fields["version"]


def _damaged(cause: str) -> object:
    raise ImportError(f"the metadata of its distribution cannot be read: {cause}")
