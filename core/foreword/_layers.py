"""The layers: the rank of a source, which alone decides whose text wins."""

from __future__ import annotations

from typing import Final, Literal, get_args

Layer = Literal["builtin", "extension", "project", "agent", "memory", "override", "session"]

LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
"""All layers, low to high."""

RANK: Final[dict[str, int]] = {layer: rank for rank, layer in enumerate(LAYERS)}

UNTRUSTED: Final[frozenset[str]] = frozenset({"extension", "memory", "override"})
"""Layers written by third parties or by the agent itself."""

OPERATOR: Final[frozenset[str]] = frozenset(LAYERS) - UNTRUSTED
"""Layers written by the operator, or by the integrator in the operator's name."""
