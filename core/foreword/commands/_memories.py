"""Many memories at once: which agents have one, where their path holds ``{agent}``, and upgrading all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from foreword._diagnostics import printable
from foreword._errors import ConfigError

from . import _json
from ._common import Request

if TYPE_CHECKING:
    from foreword.config._settings import Settings
    from foreword.memory import Upgraded


def agents_with_memories(settings: Settings) -> list[str]:
    """Return the agents that have a memory, sorted.

    Raises:
        ConfigError: the path of the memories does not hold ``{agent}``.
    """
    from foreword._names import agent_name
    from foreword.config._agents import AGENT

    memory = settings.memory.path
    if memory is None or AGENT not in memory.written:
        raise ConfigError("whose memory? Name the agent: --agent NAME, or a memory path that holds {agent}")
    before, _, after = memory.path.rpartition(AGENT)
    folder, _, prefix = before.rpartition(os.sep)
    suffix, slash, rest = after.partition(os.sep)
    agents: list[str] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if not name.startswith(prefix) or not name.endswith(suffix):
            continue
        try:
            agent = agent_name(name[len(prefix) : len(name) - len(suffix)])
        except ConfigError:
            continue
        if os.path.isdir(os.path.join(folder, name, rest) if slash else os.path.join(folder, name)):
            agents.append(agent)
    for agent, own in settings.agents.items():
        if own.memory is not None and os.path.isdir(own.memory.path) and agent not in agents:
            agents.append(agent)
    return sorted(agents)


def tell(message: str) -> None:
    """Tell what went otherwise than asked."""
    click.echo(printable(f"note: {message}"), err=True)


def shown(text: str) -> str:
    """Return an agent's text for the operator's terminal: its lines, without control or format characters."""
    return "\n".join(printable(line) for line in text.split("\n"))


def tell_upgraded(request: Request, done: list[Upgraded], dry_run: bool) -> None:
    """Tell what an upgrade of one memory did, or would do."""
    if request.as_json:
        click.echo(_json.dump([one._asdict() for one in done]))
        return
    if not done:
        click.echo("Every copy is up to date, or the agent's own.")
    for one in done:
        click.echo(printable(f"{'would ' if dry_run else ''}{one.action} {one.file} ({one.id})"))
        if dry_run and one.diff:
            click.echo(shown(one.diff))


def upgrade_all(request: Request, reason: str, dry_run: bool) -> None:
    """Upgrade every memory, each on its own, with a summary; exit with 1 where one failed."""
    from foreword import Builder
    from foreword.memory import AgentMemory

    settings = request.settings()
    agents = agents_with_memories(settings)
    done: dict[str, list[Upgraded]] = {}
    failures: dict[str, str] = {}

    def one(agent: str) -> None:
        try:
            builder = Builder(settings=settings, plugins=not request.no_plugins, on_diagnostic=lambda _: None)
            memory = AgentMemory(
                agent=agent, builder=builder, who="operator", on_message=lambda message: tell(f"{agent}: {message}")
            )
            done[agent] = memory.upgrade(dry_run=dry_run, reason=reason)
        except Exception as failure:
            # One memory that cannot be upgraded does not stop the others.
            failures[agent] = str(failure)

    _each(agents, one)
    if request.as_json:
        upgraded_json = {agent: [one._asdict() for one in result] for agent, result in done.items()}
        click.echo(_json.dump({"upgraded": upgraded_json, "failed": failures}))
    else:
        counts: dict[str, int] = {}
        for result in done.values():
            for upgraded in result:
                counts[upgraded.action] = counts.get(upgraded.action, 0) + 1
        if dry_run:
            for agent, result in sorted(done.items()):
                for upgraded in result:
                    click.echo(shown(f"{agent}: would {upgraded.action} {upgraded.file} ({upgraded.id})"))
                    click.echo(shown(upgraded.diff))
        told = ", ".join(f"{number} × {action}" for action, number in sorted(counts.items())) or "nothing to do"
        many = "1 memory" if len(agents) == 1 else f"{len(agents)} memories"
        click.echo(f"{many}: {told}; {len(failures)} failed.")
        for agent, told in sorted(failures.items()):
            click.echo(printable(f"{agent}: {told}"), err=True)
    if failures:
        sys.exit(1)


def _each(agents: list[str], one: Callable[[str], None]) -> None:
    if not sys.stderr.isatty():
        for agent in agents:
            one(agent)
        return
    from rich.console import Console
    from rich.progress import track

    for agent in track(agents, "Upgrading memories", console=Console(stderr=True)):
        one(agent)
