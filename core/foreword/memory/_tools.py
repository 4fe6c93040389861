"""The memory as tools for a model: each with a description, a JSON schema, and a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from foreword._errors import ForewordError
from foreword._model import Mode

from ._entry import Entry
from ._queue import Pending

if TYPE_CHECKING:
    from ._agent_memory import AgentMemory

SHOWS = "It shows in the next build of the prompt, not in this conversation's."


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ListSections(_Arguments):
    """No arguments."""


class ReadSection(_Arguments):
    """Which section to read."""

    id: str = Field(description="The id of the section, as the list of sections gives it.")


class OverrideSection(_Arguments):
    """What to change, how, and why."""

    id: str = Field(description="The id of the section.")
    text: str = Field(default="", description="The Markdown text; not needed to remove or move.")
    mode: Mode | None = Field(default=None, description="How the text is used; by default it replaces the section.")
    heading: str | None = Field(default=None, description="For a patch: the heading whose text is exchanged.")
    title: str | None = Field(default=None, description="A new title.")
    priority: int | None = Field(default=None, description="A new place; low comes first.")
    reason: str = Field(description="Why, in a sentence; it is kept in the journal.")


class ReadHistory(_Arguments):
    """Which section's history to read."""

    id: str | None = Field(default=None, description="A section; without it, the whole history.")


class UndoChange(_Arguments):
    """Which change to undo."""

    n: int = Field(description="The number of the change in the history.")
    reason: str = Field(description="Why, in a sentence.")


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """One tool: give ``name``, ``description`` and ``schema`` to a model, and `call` it with its arguments."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Any], Any]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return self.arguments.model_json_schema()

    def call(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Run the tool.

        Args:
            arguments: as the model gave them.

        Returns:
            JSON: ``{"ok": true, "result": …}``, or ``{"ok": false, "error": …}`` with the reason.
        """
        try:
            return {"ok": True, "result": self.run(self.arguments.model_validate(arguments))}
        except (ForewordError, ValueError, OSError) as problem:
            return {"ok": False, "error": str(problem)}


def tools(memory: AgentMemory) -> list[MemoryTool]:
    """Return the tools of a memory."""

    def list_sections(_: ListSections) -> list[dict[str, Any]]:
        return [
            {"id": one.id, "title": one.title, "priority": one.priority, "allowed": list(one.allowed)}
            for one in memory.sections()
        ]

    def read_section(given: ReadSection) -> dict[str, Any]:
        one = memory.section(given.id)
        return {
            **one._asdict(),
            "copy": None if one.copy is None else one.copy._asdict(),
            "overrides": [layer._asdict() for layer in one.overrides],
            "pending": [waiting.name for waiting in memory.pending() if waiting.id == one.id],
        }

    def override_section(given: OverrideSection) -> dict[str, Any]:
        done = memory.override(
            given.id,
            given.text,
            mode=given.mode,
            heading=given.heading,
            title=given.title,
            priority=given.priority,
            reason=given.reason,
        )
        return _done(done)

    def read_history(given: ReadHistory) -> list[dict[str, Any]]:
        return [entry.summary() for entry in memory.history(given.id)]

    def undo_change(given: UndoChange) -> dict[str, Any]:
        return _done(memory.revert(given.n, reason=given.reason))

    return [
        MemoryTool(
            "list_prompt_sections",
            "List the sections of your own system prompt, and in which ways you may override each.",
            ListSections,
            list_sections,
        ),
        MemoryTool(
            "read_prompt_section",
            "Read one section of your system prompt at each layer: the template, your copy, your overrides, and "
            "the text in effect, with where each came from.",
            ReadSection,
            read_section,
        ),
        MemoryTool(
            "override_prompt_section",
            f"Change one section of your own system prompt, within what the operator allows. {SHOWS}",
            OverrideSection,
            override_section,
        ),
        MemoryTool(
            "read_prompt_history",
            "Read who changed your system prompt's sections, when and why.",
            ReadHistory,
            read_history,
        ),
        MemoryTool("undo_prompt_change", f"Undo one change of your system prompt. {SHOWS}", UndoChange, undo_change),
    ]


def _done(done: Entry | Pending) -> dict[str, Any]:
    if isinstance(done, Pending):
        return {"state": "pending", "waiting_for": "the operator's approval", "name": done.name}
    return {"state": "applied", "n": done.n, "shows": "in the next build"}
