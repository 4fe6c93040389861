"""The layers that a plugin may write in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ._layers import LAYERS, RANK
from ._provider import Provider

FIRST_PARTY_LAYERS: Mapping[str, tuple[str, ...]] = {
    "builtin": ("builtin",),
    "directory": ("project",),
    "agent": ("agent",),
    "memory": ("memory", "override"),
    "skills": ("extension", "project", "memory"),
}


def granted_layers(provider: Provider, more: Sequence[str]) -> tuple[str, ...]:
    """Return the layers of a provider, low to high: its own, and more that the operator grants."""
    own = FIRST_PARTY_LAYERS.get(provider.entry_point, ("extension",)) if provider.first_party else ("extension",)
    granted = {*own, *more}
    assert granted <= set(LAYERS)
    return tuple(sorted(granted, key=lambda layer: RANK[layer]))
