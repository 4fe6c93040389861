"""The plugins that a name of the configuration means."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Sequence

from ._names import plugin_prefix
from ._provider import Provider


class PluginNames:
    """Finds the plugins of a name: distribution, ``distribution:entry-point``, or a bare entry point.

    Args:
        providers: every plugin that is installed, sorted.
    """

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = providers
        self._of_distribution: defaultdict[str, list[Provider]] = defaultdict(list)
        self._of_entry_point: defaultdict[str, list[Provider]] = defaultdict(list)
        for provider in providers:
            self._of_distribution[provider.distribution].append(provider)
            self._of_entry_point[provider.entry_point].append(provider)

    def matches(self, name: str) -> list[Provider]:
        """Return the plugins that are meant, sorted."""
        distribution, colon, entry_point = name.partition(":")
        of_distribution = self._of_distribution.get(plugin_prefix(distribution), [])
        if colon:
            return [provider for provider in of_distribution if provider.entry_point == entry_point]
        return sorted({*of_distribution, *self._of_entry_point.get(name, [])})

    def hint(self, name: str) -> str:
        """Return what to say of the nearest name, or nothing where none is near."""
        names = {provider.name for provider in self._providers} | set(self._of_distribution)
        near = difflib.get_close_matches(name, sorted(names), 1)
        return f"; did you mean {near[0]!r}?" if near else ""
