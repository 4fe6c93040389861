"""What an agent is given of its own, known from what another one was given: a source that gives file by file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from foreword.files._markdown_file import Directory
from foreword.files._questions import DirectoryKey, Observation

from ._agent_directories import AGENTS
from ._file_edit import edits_of
from ._named_tuple import new as _new
from ._sources import FILE_BY_FILE, Given

if TYPE_CHECKING:
    from foreword.files._reader import Reader
    from foreword.files._roots import Root

    from ._provider import Provider


class Question(NamedTuple):
    """A directory below that of an agent is to be read: ``rest`` is where, and the others as in `DirectoryKey`."""

    root: Root
    rest: str
    others: tuple[object, ...]


class Own:
    """Answers for one agent after another what a source asked for one of them.

    Args:
        provider: the source.
        layers: the layers that are granted to it.
        questions: what it asks, the directory of the agent itself first.

    Attributes:
        provider: the source.
    """

    def __init__(self, provider: Provider, layers: tuple[str, ...], questions: Sequence[Question]) -> None:
        self.provider = provider
        self._layers = layers
        self._questions = questions

    @classmethod
    def of(cls, given: Given, agent: str) -> Own | None:
        """Return how others are given what one agent was given; None where that does not show it.

        Args:
            given: what a source gave of an agent's own.
            agent: the agent.
        """
        if given.provider.entry_point not in FILE_BY_FILE or given.diagnostics or not given.seen:
            return None
        folder = f"{AGENTS}/{agent}"
        questions: list[Question] = []
        for key, answer in given.seen:
            if not isinstance(key, DirectoryKey) or not isinstance(answer, Directory):
                return None
            rest = key.sub.removeprefix(folder)
            if rest == key.sub or rest[:1] not in ("", "/"):
                return None
            questions.append(Question(key.root, rest, tuple(key[3:])))
        # A directory that is not there is asked for in another spelling, and one that went meanwhile is as well.
        if len({question.rest for question in questions}) < len(questions) or not given.files:
            return None
        if questions[0].rest or list(given.edits) != edits_of(given.files):
            return None
        return cls(given.provider, given.layers, questions)

    def seen(self, agent: str, reader: Reader) -> list[Observation]:
        """Ask for an agent what was asked for another one, and return the answers."""
        seen: list[Observation] = []
        for root, rest, others in self._questions:
            key: DirectoryKey = _new(DirectoryKey, ("directory", root, f"{AGENTS}/{agent}{rest}", *others))
            seen.append(_new(Observation, (key, reader.answer(key))))
        return seen

    def given(self, seen: Sequence[Observation]) -> Given | None:
        """Return what the source gives an agent; None where there is anything to say, or nothing is there.

        Args:
            seen: what was asked for the agent, and answered.
        """
        found = [answer for _, answer in seen if isinstance(answer, Directory) and not answer.diagnostics]
        if len(found) != len(seen) or not found[0].exists:
            return None
        return _new(Given, (self.provider, self._layers, None, (), tuple(seen)))
