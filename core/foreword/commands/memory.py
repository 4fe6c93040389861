"""``foreword memory``: the agent's copies and overrides, made, looked at, changed, upgraded and undone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from foreword._errors import ConfigError

from . import _json
from ._common import Request, common
from ._memories import shown, tell, tell_upgraded, upgrade_all
from ._override_text import text_of
from ._table import print_table

if TYPE_CHECKING:
    from foreword.memory import AgentMemory, CopyStatus, Entry, MemoryStatus

as_who = click.option(
    "--as",
    "who",
    type=click.Choice(["operator", "agent", "tool"]),
    default="operator",
    show_default=True,
    help="In whose name the change is made.",
)
why = click.option("--reason", default="", help="Why; it is kept in the journal.")


@click.group("memory", epilog="Example: foreword memory init --agent ada --memory memories/ada")
def command() -> None:
    """Look after an agent's memory: its copies of the templates and its overrides."""


def opened(request: Request, who: Any = "operator", *, creating: bool = False) -> AgentMemory:
    """Return the memory that the common options mean."""
    if request.agent is None:
        raise ConfigError("whose memory? Name the agent: --agent NAME")
    from foreword import Builder
    from foreword.config._agents import memory_root
    from foreword.memory import AgentMemory

    settings = request.settings()
    if creating:
        root = memory_root(settings, request.agent)
        if root is not None:
            os.makedirs(root.path, exist_ok=True)
    builder = Builder(settings=settings, plugins=not request.no_plugins, on_diagnostic=lambda _: None)
    return AgentMemory(agent=request.agent, builder=builder, who=who, on_message=tell)


@command.command("init", epilog="Example: foreword memory init --agent ada --memory memories/ada")
@common
def init(request: Request) -> None:
    """Copy the templates into the memory, all or nothing. Run again, it changes no byte."""
    memory = opened(request, creating=True)
    type(memory).create(agent=memory.agent, builder=memory.builder, who="operator", on_message=tell)
    # Not by its status, which takes in what was changed past foreword: run again, nothing is written.
    copies = memory.copies()
    if request.as_json:
        click.echo(_json.dump({"memory": memory.root.written, "copies": list(copies)}))
    else:
        click.echo(f"{memory.root.written} holds {len(copies)} copies for {memory.agent}.")


@command.command("status", epilog="Example: foreword memory status --agent ada --memory memories/ada --json")
@common
def status(request: Request) -> None:
    """Say how each copy stands to its template, and each override to the text below."""
    found = opened(request).status()
    if request.as_json:
        click.echo(_json.dump(_status_json(found)))
        return
    if not found.created:
        click.echo("There are no copies yet: foreword memory init makes them.\n")
    rows = [(_copy_state(copy), "copy", copy.id, copy.file, copy.reason) for copy in found.copies]
    rows += [
        (one.outcome or "not in effect", f"override ({one.mode})", one.id, one.file, one.reason)
        for one in found.overrides
    ]
    if rows:
        print_table(("state", "what", "section", "file", "reason"), rows)
    for name in found.pending:
        click.echo(shown(f"waits for approval: {name}"))
    for problem in found.problems:
        click.echo(shown(problem), err=True)


@command.command("show", epilog="Example: foreword memory show safety --agent ada --memory memories/ada --at 3")
@common
@click.argument("id")
@click.option("--at", "number", type=int, metavar="N", help="As it was after entry N of the journal.")
def show(request: Request, id: str, number: int | None) -> None:
    """Show one section at each layer: template, copy, overrides, and what is in effect."""
    memory = opened(request)
    if number is not None:
        texts = memory.at(id, number)
        if request.as_json:
            click.echo(_json.dump(texts))
            return
        if not texts:
            click.echo(f"The memory held nothing of {id!r} then.")
        for name, text in texts.items():
            click.echo(shown(f"--- {name}\n{'(deleted)' if text is None else text.rstrip()}\n"))
        return
    view = memory.section(id)
    if request.as_json:
        content = view._asdict()
        content["copy"] = None if view.copy is None else view.copy._asdict()
        content["overrides"] = [layer._asdict() for layer in view.overrides]
        click.echo(_json.dump(content))
        return
    parts = [("template", view.template), ("in effect", view.effective)]
    parts[1:1] = [(f"override {one.place} ({one.outcome})", one.text) for one in view.overrides]
    if view.copy is not None:
        parts.insert(1, (f"copy {view.copy.place} ({view.copy.outcome})", view.copy.text))
    for name, text in parts:
        click.echo(shown(f"--- {name}\n{'(nothing)' if text is None else text}\n"))
    click.echo(f"You may: {', '.join(view.allowed) or 'nothing'}" + (f" ({view.why_not})" if view.why_not else ""))


@command.command(
    "override",
    epilog="Example: foreword memory override tool_usage --mode append --text 'Ask first.' --agent ada --memory m",
)
@common
@as_who
@why
@click.argument("id")
@click.option("--text", help="The text itself.")
@click.option("--file", "path", metavar="FILE", help="A file with the text; - is standard input. Else an editor opens.")
@click.option("--mode", type=click.Choice(["define", "replace", "remove", "patch", "prepend", "append", "move"]))
@click.option("--heading", help="For a patch, the heading whose text is exchanged.")
@click.option("--title", help="A new title.")
@click.option("--priority", type=int, help="A new place; low comes first.")
def override(
    request: Request,
    who: str,
    reason: str,
    id: str,
    text: str | None,
    path: str | None,
    mode: Any,
    heading: str | None,
    title: str | None,
    priority: int | None,
) -> None:
    """Write an override of the section ID; what the policy refuses is refused now, with the reason."""
    from foreword.memory import Entry

    memory = opened(request, who)
    match: dict[str, str | None] | None = None
    if text is None and mode not in ("remove", "move"):
        text, match = text_of(memory, id, path, mode, heading)
    done = memory.override(
        id, text or "", mode=mode, heading=heading, title=title, priority=priority, reason=reason, if_match=match
    )
    if isinstance(done, Entry):
        _tell_entry(request, done)
    elif request.as_json:
        click.echo(_json.dump({"state": "pending", "name": done.name, "id": done.id}))
    else:
        click.echo(f"{done.id} waits for the operator's approval under the name {done.name}.")


@command.command("history", epilog="Example: foreword memory history --agent ada --memory memories/ada --json")
@common
@click.argument("id", required=False)
def history(request: Request, id: str | None) -> None:
    """List the changes of the memory, or of one section, oldest first."""
    entries = opened(request).history(id)
    if request.as_json:
        click.echo(_json.dump([entry.summary() for entry in entries]))
        return
    rows = [(str(entry.n), entry.when, entry.who, entry.id or "", entry.what, entry.why) for entry in entries]
    print_table(("n", "when", "who", "section", "what", "why"), rows, frozenset({"n"}))


@command.command("revert", epilog="Example: foreword memory revert 7 --agent ada --memory memories/ada")
@common
@as_who
@why
@click.argument("number", type=int, metavar="N")
def revert(request: Request, who: str, reason: str, number: int) -> None:
    """Undo entry N of the journal alone; where a later entry changed the same text, change nothing and say so."""
    _tell_entry(request, opened(request, who).revert(number, reason=reason))


@command.command("upgrade", epilog="Example: foreword memory upgrade --memory 'memories/{agent}' --dry-run")
@common
@why
@click.argument("id", required=False)
@click.option("--take", type=click.Choice(["mine", "new"]), help="Settle a conflict of ID: whose text stands.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def upgrade(request: Request, reason: str, id: str | None, take: Any, dry_run: bool) -> None:
    """Refresh untouched copies, merge edited ones, copy templates that are new.

    Without --agent, and where the path of the memory holds {agent}, all memories are upgraded, each on its own.
    """
    if (take is None) != (id is None):
        raise click.UsageError("--take and the ID of a section go together")
    if take is not None:
        done = [opened(request).settle(id or "", take)]
        tell_upgraded(request, done, dry_run)
    elif request.agent is not None:
        tell_upgraded(request, opened(request).upgrade(dry_run=dry_run, reason=reason), dry_run)
    else:
        upgrade_all(request, reason, dry_run)


@command.command("pending", epilog="Example: foreword memory pending --agent ada")
@common
def pending(request: Request) -> None:
    """List what waits for the operator's approval."""
    waiting = opened(request).pending()
    rows = [(one.name, one.id, one.who, one.when, one.what, one.why) for one in waiting]
    headings = ("name", "id", "who", "when", "what", "why")
    if request.as_json:
        told = zip(rows, waiting, strict=True)
        click.echo(_json.dump([{**dict(zip(headings, row, strict=True)), "text": one.text} for row, one in told]))
    elif rows:
        print_table(headings, rows)
        for one in waiting:
            click.echo(shown(f"\n--- {one.name}\n{one.text.rstrip()}"))
    else:
        click.echo("Nothing waits.")


@command.command("approve", epilog="Example: foreword memory approve 1 --agent ada")
@common
@click.argument("name")
def approve(request: Request, name: str) -> None:
    """Let what waits under NAME into the prompt."""
    opened(request).approve(name)
    told = f"{name} is approved and shows in the next build."
    click.echo(_json.dump({"approved": name}) if request.as_json else told)


@command.command("reject", epilog="Example: foreword memory reject 1 --agent ada")
@common
@why
@click.argument("name")
def reject(request: Request, reason: str, name: str) -> None:
    """Keep what waits under NAME out of the prompt: a proposal is dropped, a file put back."""
    opened(request).reject(name, reason=reason)
    click.echo(_json.dump({"rejected": name}) if request.as_json else f"{name} is rejected.")


def _copy_state(copy: CopyStatus) -> str:
    told = copy.state + (", to be settled" if copy.unsettled else "")
    return told if copy.outcome in (None, "applied", "stale") else f"{told}, {copy.outcome}"


def _tell_entry(request: Request, entry: Entry) -> None:
    if request.as_json:
        click.echo(_json.dump(entry.summary()))
    else:
        click.echo(f"Entry {entry.n}: {entry.what}. It shows in the next build.")


def _status_json(found: MemoryStatus) -> dict[str, Any]:
    return {
        "agent": found.agent,
        "created": found.created,
        "copies": [copy._asdict() for copy in found.copies],
        "overrides": [override._asdict() for override in found.overrides],
        "pending": list(found.pending),
        "problems": list(found.problems),
    }
