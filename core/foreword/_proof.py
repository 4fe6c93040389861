"""Proof that the sources would give the same again: by stamps alone, or by looking at what was read once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from foreword.files._stamps import Evidence, ancestry
from foreword.files._walk import real_path

from ._agent_directories import AGENTS, spellings

if TYPE_CHECKING:
    from foreword.files._reader import Observation, Reader
    from foreword.files._roots import Root

    from ._sources import Given
    from ._subject import Subject


class Looked(NamedTuple):
    """What was read for a prompt, to be looked at once more where stamps alone do not show that it still holds."""

    reader: Callable[[], Reader]
    seen: tuple[Observation, ...]
    absent: tuple[tuple[Root, str, tuple[str, ...]], ...]
    around: Evidence

    def holds(self) -> bool:
        """Say whether everything would be read as it was."""
        reader = self.reader()
        return (
            self.around.holds()
            and reader.confirms(self.seen)
            and all(reader.is_absent(*one) for one in self.absent)
        )


def proof(
    reader: Reader, again: Callable[[], Reader], given: Sequence[Given], subject: Subject, prompts: Root | None
) -> Evidence | Looked:
    """Return what shows that our own sources would give the same to the next prompt of an agent.

    Args:
        reader: the reader of the batch in which they gave it.
        again: returns a new reader.
        given: what they gave.
        subject: whom the prompt is for.
        prompts: the prompts directory.
    """
    seen = tuple([observation for one in given for observation in one.seen or ()])
    absent: tuple[tuple[Root, str, tuple[str, ...]], ...] = ()
    has_own = any(one.provider.entry_point == "agent" for one in given)
    if prompts is not None and subject.agent is not None and not has_own:
        absent = ((prompts, AGENTS, spellings(subject.agent)),)
    around = Evidence()
    if subject.memory is not None and prompts is not None:
        around = ways_to(subject.memory, prompts)
    evidence = reader.evidence(
        seen, [(root, f"{folder}/{name}") for root, folder, names in absent for name in names]
    )
    if evidence is None:
        return Looked(again, seen, absent, around)
    return Evidence.of_all([evidence, around])


class ForAll(NamedTuple):
    """What all agents are given that have no directory of their own, which do have one, and what shows that."""

    given: list[Given]
    names: Collection[str]
    evidence: Evidence


def for_all(reader: Reader, given: list[Given], prompts: Root | None) -> ForAll | None:
    """Return what all agents are given that have no directory of their own; None where stamps alone do not show it.

    Args:
        reader: the reader of the batch in which it was given.
        given: what the shared sources gave.
        prompts: the prompts directory.
    """
    evidence = reader.evidence([observation for one in given for observation in one.seen or ()])
    named = reader.names(prompts, AGENTS) if prompts is not None else ((), Evidence())
    if evidence is None or named is None:
        return None
    names, around = named
    return ForAll(given, names, Evidence.of_all([evidence, around]))


def ways_to(*roots: Root) -> Evidence:
    """Return what shows that roots still lie where they do, and the directories that they lie in too."""
    # Where a link leads, something above can become a link as well.
    ways = {way for root in roots for way in (root.path, real_path(root.path))}
    return Evidence.of_all(map(ancestry, sorted(ways)))
