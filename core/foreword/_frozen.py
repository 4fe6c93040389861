"""Frozen data: what a caller hands out to plugins, so that none can change it for another."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import cast

from ._errors import ConfigError


def frozen(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return a copy in which mappings, lists and sets cannot be changed, however deep they lie.

    Objects of other kinds are the caller's own and are handed out as they are.

    Raises:
        ConfigError: it holds itself, or lies too deep.

    >>> frozen({"tags": ["a", {"b": []}]})["tags"]
    ('a', mappingproxy({'b': ()}))
    """
    try:
        return MappingProxyType({key: _frozen(value) for key, value in data.items()})
    except RecursionError:
        raise ConfigError("context= holds itself, or lies too deep") from None


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return MappingProxyType({key: _frozen(one) for key, one in pairs.items()})
    if isinstance(value, list) or type(value) is tuple:
        return tuple(_frozen(one) for one in cast("list[object]", value))
    if isinstance(value, Set):
        return frozenset(cast("Set[object]", value))
    return bytes(value) if isinstance(value, bytearray) else value
