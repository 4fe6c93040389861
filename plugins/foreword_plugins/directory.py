"""The prompts directory: the operator's Markdown files, for every agent."""

from __future__ import annotations

from operator import attrgetter

from foreword import Context, Edit, hookimpl

TOOLS = "tools"
AGENTS = "agents"
_id = attrgetter("id")


@hookimpl
def foreword_sections(context: Context) -> list[Edit]:
    """Return one edit for each file of the prompts directory, and for each tool's prose in it."""
    prompts = context.settings.prompts_dir
    if prompts is None:
        return []
    edits = context.list_directory(prompts, known=(AGENTS, TOOLS), trusted_links=True).edits()
    edits += context.list_directory(prompts, TOOLS, trusted_links=True).edits()
    if context.agent is None and "agent_identity" in map(_id, edits):
        # Who the agent is, is said only where there is one.
        edits = [edit for edit in edits if edit.id != "agent_identity"]
    return edits
