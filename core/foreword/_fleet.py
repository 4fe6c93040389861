"""The fleet: prompts of agents that have nothing of their own but their name, and some texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ._agent_directories import AGENTS
from ._batch import Ahead, Batch
from ._built import NO_SPOTS, Built, keep_built
from ._layout import LAYOUTS
from ._manager import Manager
from ._named_tuple import new as _new
from ._names import MAX_AGENT_NAME
from ._plugin_calls import BUILDING, NO_STRANGERS
from ._prompt import Prompt
from ._proof import ForAll, Looked, for_all
from ._subject import Subject
from ._variant import PLAIN_NAME, Variant

if TYPE_CHECKING:
    from foreword.config._settings import Settings
    from foreword.files._reader import Observation
    from foreword.files._stamps import Evidence

    from ._gather import Gathering
    from ._prepare import Drafts
    from ._shared import Shared
    from ._sources import Given

Prove: TypeAlias = "Callable[[Manager, Batch, Sequence[Given], Subject], Evidence | Looked | None]"
"""Returns what shows that the next build of an agent would gather the same."""


class Fleet:
    """Makes the prompts of agents of one builder that the sources tell from others by the name and the directory only.

    Args:
        settings: the configuration in force.
        gathering: asks the sources.
        shared: what all agents have in common.
        drafts: what edits came out as.
        built: the last prompt of each agent.
        prove: shows that the next build of an agent would gather the same.
    """

    def __init__(
        self,
        settings: Settings,
        gathering: Gathering,
        shared: Shared,
        drafts: Drafts,
        built: dict[str | None, Built],
        prove: Prove,
    ) -> None:
        self._prompts = settings.prompts_dir
        self._agents = settings.agents
        self._layout = LAYOUTS[settings.layout]
        self._gives_all_the_same = (
            not settings.plugins.require
            and settings.memory.path is None
            and not settings.skills.roots
            and not settings.files.link_roots
        )
        self._gathering = gathering
        self._shared = shared
        self._drafts = drafts
        self._built = built
        self._prove = prove
        self._for_all: ForAll | None = None

    def alike(self, manager: Manager, agent: str | None) -> Built | None:
        """Return the prompt of an agent that has nothing but its name of its own, by what stamps alone show."""
        known = self._for_all
        if known is None or agent is None or agent in known.names or not self._is_plain(agent):
            return None
        if not self._is_there(manager):
            return None
        built = self._varied(manager, None, known.given, agent) if known.evidence.holds() else None
        if built is None:
            self._for_all = None
        return built

    def ahead(self, manager: Manager, batch: Batch, agents: Sequence[str]) -> None:
        """Read what some of many agents have of their own, before their prompts are built."""
        if self._prompts is None or not agents or not self._is_there(manager):
            return
        given, present = self._given_all(manager, batch, agents[0]), batch.reader.present(self._prompts, AGENTS)
        common = self._shared.variants(given) if given is not None else None
        if common is not None and present:
            own = [agent for agent in agents if agent in present and self._is_plain(agent)]
            batch.ahead = self._gathering.ahead(manager, own, batch, common)

    def made(self, manager: Manager, batch: Batch, agent: str) -> Built | None:
        """Return the prompt of an agent to which the caller gives nothing; None where there is, or may be, more to it.

        Args:
            manager: the plugins.
            batch: the batch of builds.
            agent: the agent.
        """
        ahead = batch.ahead
        if ahead is not None and (seen := ahead.seen.pop(agent, None)) is not None:
            return self._overlaid(batch, agent, ahead, seen)
        if not self._is_plain(agent) or not self._is_there(manager):
            return None
        given, prompts = self._given_all(manager, batch, agent), self._prompts
        if given is None or (prompts is not None and not batch.reader.is_absent(prompts, AGENTS, (agent,))):
            return None
        built = self._varied(manager, batch, given, agent)
        if built is not None and not batch.is_large and self._for_all is None:
            self._for_all = for_all(batch.reader, given, prompts)
        return built

    def _is_there(self, manager: Manager) -> bool:
        """Say whether there are such agents at all."""
        gives_all_the_same = self._gives_all_the_same and manager.first_party_only and not manager.diagnostics
        return gives_all_the_same and not BUILDING.get()

    def _is_plain(self, agent: str) -> bool:
        """Say whether an agent may be one of them."""
        return PLAIN_NAME.fullmatch(agent) is not None and len(agent) <= MAX_AGENT_NAME and agent not in self._agents

    def _given_all(self, manager: Manager, batch: Batch, agent: str) -> list[Given] | None:
        """Return what all agents are given; None where a source has to be asked for it."""
        if batch.shared is None:
            # No root need be checked: what is taken here shows that it is there.
            batch.shared = self._gathering.shared(manager, Subject(agent, {}), batch)
        return batch.shared

    def _varied(self, manager: Manager, batch: Batch | None, given: Sequence[Given], agent: str) -> Built | None:
        """Return the prompt of an agent that all sources give the same."""
        common = self._shared.variants(given)
        if common is None:
            return None
        read_like = common.read_like(agent)
        before = self._built.get(agent)
        if before is not None and before.is_of(given, NO_STRANGERS, read_like):
            if before.proof is None and batch is not None:
                shown = self._prove(manager, batch, before.given, Subject(agent, {}))
                self._built[agent] = before = before._replace(proof=shown)
            return before
        prompt = Prompt(Variant(common, agent), common.found, agent, self._layout)
        built = Built(tuple(given), NO_STRANGERS, read_like, prompt, ())
        keep_built(self._built, agent, built)
        return built

    def _overlaid(self, batch: Batch, agent: str, ahead: Ahead, seen: Sequence[Observation]) -> Built | None:
        """Return the prompt of an agent that has texts of its own, which were read."""
        common, place, _ = ahead
        own = self._gathering.own(agent, batch, seen)
        if own is None:
            return None
        read_like = common.read_like(agent)
        given = (*common.given[:place], own, *common.given[place:])
        before = self._built.get(agent)
        if before is not None and before.is_of(given, NO_STRANGERS, read_like):
            return before
        made = self._shared.overlaid(common, own, agent, self._drafts)
        if made is None:
            return None
        prompt = Prompt(made, common.found, agent, self._layout)
        built: Built = _new(Built, (given, NO_STRANGERS, read_like, prompt, (), None, NO_SPOTS))
        keep_built(self._built, agent, built)
        return built
