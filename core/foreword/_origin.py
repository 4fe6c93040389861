"""Where edits come from: who gives them, in which layers, and what they may do there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._layers import OPERATOR
from ._names import plugin_prefix
from ._provider import UNTRUSTED_ARGUMENT, Provider

if TYPE_CHECKING:
    from ._policy import LayerRule, Policy


class Rights(NamedTuple):
    """What one provider's edits are in one layer: their limits, and whether the operator answers for them."""

    limits: LayerRule
    trusted: bool


class Origin:
    """Where edits come from: who gives them, in which layers, and what that means.

    Args:
        provider: who the source is, stamped by the host.
        layers: the layers that are granted to the provider, low to high.
        policy: what the operator allows.
    """

    def __init__(self, provider: Provider, layers: tuple[str, ...], policy: Policy) -> None:
        self.provider = provider
        self.layers = layers
        self.exclusive = provider is UNTRUSTED_ARGUMENT
        self._policy = policy
        self.owns_all = provider.first_party or self.exclusive
        self._prefixes = () if self.owns_all else _prefixes(provider)
        # A skill is a stranger's text, wherever the operator keeps it.
        self._is_skill = provider.first_party and provider.entry_point == "skills"
        self._rights: dict[str, Rights] = {}
        self.plain_layer = self._plain_layer()
        """The lowest of the layers, where the operator answers for its texts and none can be too long; else None."""

    def rights(self, layer: str) -> Rights:
        """Return what the edits are in a layer."""
        rights = self._rights.get(layer)
        if rights is None:
            rights = Rights(self._policy.limits(layer), layer in OPERATOR and not self._is_skill)
            self._rights[layer] = rights
        return rights

    def _plain_layer(self) -> str | None:
        layer = self.layers[0]
        limits, trusted = self.rights(layer)
        plain = trusted and limits.file is None and limits.section is None and "names" in limits.templates
        return layer if plain else None

    def owns(self, id: str) -> bool:
        """Say whether the id is one that the provider may define in layer extension."""
        return self.owns_all or id.startswith(self._prefixes)


def _prefixes(provider: Provider) -> tuple[str, ...]:
    prefix = f"{plugin_prefix(provider.distribution)}."
    return prefix, f"skills/{prefix}"
