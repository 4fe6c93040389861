"""Our own sources: what each gave is taken again as long as nothing of what it looked at has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from ._plugin_calls import Contribution
from ._prepare import typed

if TYPE_CHECKING:
    from foreword.files._reader import Observation, Reader

    from ._context import Context
    from ._diagnostics import Diagnostic
    from ._model import Section
    from ._provider import Provider

K = TypeVar("K")
V = TypeVar("V")

MOST_KEPT: Final = 8192


_SHARED: Final = frozenset({"builtin", "directory"})


class Given(NamedTuple):
    """What one of our own sources gave to one prompt.

    ``seen`` is what it asked the reader; None when it went wrong, so that it is asked again.
    """

    provider: Provider
    layers: tuple[str, ...]
    edits: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]
    seen: tuple[Observation, ...] | None = None

    @property
    def is_shared(self) -> bool:
        """Whether all agents are given the same."""
        return self.provider.entry_point in _SHARED

    @property
    def contributions(self) -> Iterator[Contribution]:
        """Its edits, each with where it came from."""
        for position, edit in enumerate(self.edits):
            yield Contribution(edit, self.provider, self.layers, position)


_SCOPES: Final[Mapping[str, Callable[[Context], Hashable]]] = {
    "builtin": lambda context: True,
    "directory": lambda context: (context.agent is not None,) if context.settings.prompts_dir is not None else None,
    "agent": lambda context: context.agent if context.settings.prompts_dir is not None else None,
    "memory": lambda context: context.memory
    and (context.memory, context.agent, context.skill_roots, frozenset((context.approved or {}).items())),
    "skills": lambda context: (context.skill_roots, context.memory, context.agent, typed(context.variables))
    if context.skill_roots
    else None,
}
"""What each of our sources looks at besides files; the configuration and what is trusted are the same for a builder.

None says that there is nothing for it to look at.
"""


class Sources:
    """What the sources of one builder gave before. It has no lock: each step is one operation of a dict."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Hashable], Given] = {}
        self._before: dict[str | None, tuple[Contribution, ...]] = {}

    def before(self, context: Context) -> tuple[Contribution, ...]:
        """Return what strangers contributed to the last prompt of this agent."""
        return self._before.get(context.agent, ())

    def keep_before(self, context: Context, contributions: tuple[Contribution, ...]) -> None:
        """Keep what strangers contributed, and let go of the older half when that is of too many agents."""
        _keep(self._before, context.agent, contributions)

    def scope(self, entry_point: str, context: Context) -> tuple[str, Hashable] | None:
        """Return what has to be the same for a source to give the same, as long as the files are.

        None where it has nothing to give.
        """
        scope = _SCOPES[entry_point](context)
        return None if scope is None else (entry_point, scope)

    def kept(self, scope: tuple[str, Hashable], reader: Reader) -> Given | None:
        """Return what the source gave, or None when something that it looked at has changed since."""
        given = self._kept.get(scope)
        if given is None or given.seen is None or not reader.confirms(given.seen):
            return None
        return given

    def keep(self, scope: tuple[str, Hashable], given: Given) -> None:
        """Keep what a source gave, and let go of the older half when they are too many."""
        _keep(self._kept, scope, given)


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    kept[key] = value
    if len(kept) > MOST_KEPT:
        for old in list(kept)[: MOST_KEPT // 2]:
            kept.pop(old, None)
