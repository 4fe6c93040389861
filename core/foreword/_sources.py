"""Our own sources: what each gave is taken again as long as nothing of what it looked at has changed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import compress
from operator import is_not, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from foreword.files._markdown_file import Directory
from foreword.files._questions import Observation

from ._agent_directories import AGENTS, spellings
from ._file_edit import edits_of
from ._keeping import keep
from ._plugin_calls import Contribution
from ._prepare import typed

if TYPE_CHECKING:
    from collections.abc import Callable

    from foreword.config._settings import Settings
    from foreword.files._markdown_file import MarkdownFile
    from foreword.files._reader import Reader

    from ._diagnostics import Diagnostic
    from ._model import Section
    from ._provider import Provider
    from ._subject import Subject

MOST_KEPT: Final = 8192


LOOKING_AT_NOTHING: Final = frozenset({"builtin"})
"""The sources that give the same as long as they are installed."""

SHARED: Final = LOOKING_AT_NOTHING | {"directory"}
"""The sources that give all agents the same."""

FILE_BY_FILE: Final = frozenset({"directory", "agent"})
"""The sources that give for each file the edit that it stands for, whatever the others say."""


class Given(NamedTuple):
    """What one of our own sources gave to one prompt.

    ``returned`` are the edits that it returned; None where they are just those of all files that were read for it.
    ``seen`` is what it asked the reader; None when it went wrong, so that it is asked again.
    """

    provider: Provider
    layers: tuple[str, ...]
    returned: tuple[Section, ...] | None
    diagnostics: tuple[Diagnostic, ...]
    seen: tuple[Observation, ...] | None = None

    @property
    def edits(self) -> tuple[Section, ...]:
        """Its edits."""
        return self.returned if self.returned is not None else tuple(edits_of(self.files))

    @property
    def files(self) -> list[MarkdownFile]:
        """All files that were read for it."""
        return [file for _, answer in self.seen or () if isinstance(answer, Directory) for file in answer.files]

    @property
    def is_shared(self) -> bool:
        """Whether all agents are given the same."""
        return self.provider.entry_point in SHARED

    @property
    def contributions(self) -> Iterator[Contribution]:
        """Its edits, each with where it came from."""
        for position, edit in enumerate(self.edits):
            yield Contribution(edit, self.provider, self.layers, position)


Scope: TypeAlias = "Callable[[Subject, Reader], Hashable]"
"""Returns what has to be the same for a source to give the same, as long as the files are.

The configuration, and what is trusted, are the same for a builder. None where there is nothing to look at.
"""


def agent_scope(agent: str) -> Hashable:
    """Return the scope of what an agent is given that has a directory of its own."""
    return ("agent", agent)


class Sources:
    """What the sources of one builder gave before. It has no lock: each step is one operation of a dict.

    Args:
        settings: the configuration in force.

    Attributes:
        scopes: the sources that may have something to look at, each with what tells its scope.
    """

    def __init__(self, settings: Settings) -> None:
        self._prompts = settings.prompts_dir
        self._kept: dict[Hashable, Given] = {}
        self._before: dict[str | None, tuple[Contribution, ...]] = {}
        own = settings.agents.values()
        self.scopes: dict[str, Scope] = {"builtin": self._builtin}
        if self._prompts is not None:
            self.scopes |= {"directory": self._directory, "agent": self._agent}
        if settings.memory.path is not None or any(one.memory is not None for one in own):
            self.scopes["memory"] = self._memory
        if settings.skills.roots or any(one.skills for one in own):
            self.scopes["skills"] = self._skills

    def before(self, agent: str | None) -> tuple[Contribution, ...]:
        """Return what strangers contributed to the last prompt of an agent."""
        return self._before.get(agent, ())

    def keep_before(self, agent: str | None, contributions: tuple[Contribution, ...]) -> None:
        """Keep what strangers contributed, and let go of the older half when that is of too many agents."""
        keep(self._before, agent, contributions, MOST_KEPT)

    def _builtin(self, subject: Subject, reader: Reader) -> Hashable:
        return "builtin"

    def _directory(self, subject: Subject, reader: Reader) -> Hashable:
        return ("directory", subject.agent is None)

    def _agent(self, subject: Subject, reader: Reader) -> Hashable:
        agent = subject.agent
        if agent is None or self._prompts is None or reader.is_absent(self._prompts, AGENTS, spellings(agent)):
            return None
        return agent_scope(agent)

    def _memory(self, subject: Subject, reader: Reader) -> Hashable:
        agent, _, memory, skill_roots, approved = subject
        return None if memory is None else ("memory", agent, memory, skill_roots, frozenset((approved or {}).items()))

    def _skills(self, subject: Subject, reader: Reader) -> Hashable:
        agent, variables, memory, skill_roots, _ = subject
        return None if not skill_roots else ("skills", agent, memory, skill_roots, typed(variables))

    def kept(self, scope: Hashable, reader: Reader) -> Given | None:
        """Return what the source gives, or None where it has to be asked."""
        given = self._kept.get(scope)
        if given is None or given.seen is None:
            return None
        return given if reader.confirms(given.seen) else self._exchanged(scope, given, given.seen, reader)

    def _exchanged(
        self, scope: Hashable, given: Given, earlier: tuple[Observation, ...], reader: Reader
    ) -> Given | None:
        """Return what a source gives now that some of its files say something else; None where it has to be asked."""
        if given.diagnostics or given.provider.entry_point not in FILE_BY_FILE:
            return None
        seen: list[Observation] = []
        exchanged: list[tuple[MarkdownFile, MarkdownFile]] = []
        for observation in earlier:
            key, answer = observation
            found = reader.answer(key)
            if found is not answer:
                if not isinstance(answer, Directory) or not isinstance(found, Directory):
                    return None
                if answer.diagnostics or found.diagnostics or len(answer.files) != len(found.files):
                    return None
                pairs = zip(answer.files, found.files, strict=True)
                exchanged += compress(pairs, map(is_not, answer.files, found.files))
                observation = Observation(key, found)
            seen.append(observation)
        edits = list(given.edits)
        files = list(map(_file, map(vars, edits)))
        for old, new in exchanged:
            # One that had no part in the prompt may have one now.
            if old.name != new.name or old not in files:
                return None
            place = files.index(old)
            edit = new.edit()
            if edit.id != edits[place].id:
                return None
            edits[place] = edit
        given = Given(given.provider, given.layers, tuple(edits), (), tuple(seen))
        self.keep(scope, given)
        return given

    def keep(self, scope: Hashable, given: Given) -> None:
        """Keep what a source gave, and let go of the older half when they are too many."""
        keep(self._kept, scope, given, MOST_KEPT)


_file: Final = itemgetter("file")
