"""The group of all commands; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

from foreword import __version__

COMMANDS = {
    "build": "Print the prompt.",
    "explain": "Say why the prompt reads as it does.",
    "plugins": "List the plugins and what became of them.",
    "lint": "Say everything that there is to say about the prompt and its sources.",
    "trust": "Record the content of plugins and skills as looked at and trusted.",
    "memory": "Look after an agent's memory: init, status, show, override, history, revert, upgrade, approve.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports one only to run it or to help with it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"foreword.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, list(COMMANDS), 1)
            ctx.fail(f"no such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, epilog="Example: foreword build --agent operator --var agent_name=Ada")
@click.version_option(__version__, message="%(prog)s %(version)s")
def foreword() -> None:
    """Assemble an AI agent's system prompt, and say where every line came from."""
