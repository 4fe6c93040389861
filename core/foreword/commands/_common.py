"""What the commands share: the options that say what to build, and how findings are told."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import click

from foreword._diagnostics import printable
from foreword._errors import BuildError, ConfigError, ForewordError, UnknownSection

if TYPE_CHECKING:
    from foreword import Builder, Diagnostic, Prompt
    from foreword.config._settings import Settings

FAILED = 1
MISUSED = 2
UNCONFIRMED = 4

_OPTIONS = (
    click.option("--config", metavar="FILE", help="The configuration; without it, foreword.toml is looked for."),
    click.option("--prompts-dir", metavar="DIR", help="The prompts directory."),
    click.option("--agent", metavar="NAME", help="The agent asked for."),
    click.option("--memory", metavar="DIR", help="The agent's memory; {agent} in it is the agent's name."),
    click.option("--skills", metavar="DIR", multiple=True, help="A directory of skills; more than once, low to high."),
    click.option("--var", "variables", metavar="KEY=VALUE", multiple=True, help="A variable for templates."),
    click.option("--strict", is_flag=True, default=None, help="Fail if there is any error or unknown variable."),
    click.option("--no-plugins", is_flag=True, help="Load only the sources that ship with foreword."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("-v", "--verbose", is_flag=True, help="Tell informational findings too."),
    click.option("--debug", is_flag=True, help="Show the traceback of a failure, and of a plugin that raised."),
)


class Request(NamedTuple):
    """What the common options ask for."""

    config: str | None
    prompts_dir: str | None
    agent: str | None
    memory: str | None
    skills: tuple[str, ...]
    variables: tuple[str, ...]
    strict: bool | None
    no_plugins: bool
    as_json: bool
    verbose: bool
    debug: bool

    def settings(self) -> Settings:
        """Return the settings in force."""
        # Help on a command, and what is misspelt, are answered before anything is loaded that builds.
        from foreword.config._config import settings

        return settings(
            config=self.config,
            discover=True,
            environ=os.environ,
            prompts_dir=self.prompts_dir,
            memory=self.memory,
            skills=self.skills or None,
            options=True,
        )

    def builder(self) -> Builder:
        """Return a builder that keeps quiet: the command tells the findings itself."""
        from foreword import Builder

        return Builder(settings=self.settings(), plugins=not self.no_plugins, on_diagnostic=_quiet)

    def is_strict(self) -> bool:
        """Return whether the command is strict: by its option, else by the environment."""
        from foreword.config._config import strict_from

        return strict_from(os.environ) if self.strict is None else self.strict

    def build(self, builder: Builder, *, strict: bool) -> Prompt:
        """Build the prompt that is asked for."""
        return builder.build(self.agent, variables=_variables(self.variables), strict=strict)

    def tell(self, found: Sequence[Diagnostic]) -> None:
        """Write the findings to standard error, one line each."""
        for diagnostic in found:
            if self.verbose or diagnostic.severity != "info":
                click.echo(str(diagnostic), err=True)
                if self.debug and diagnostic.traceback:
                    for line in diagnostic.traceback.splitlines():
                        click.echo(printable(line), err=True)


def common(function: Callable[..., object]) -> Callable[..., Any]:
    """Give a command the common options, as one request, and end it properly on every failure."""

    @functools.wraps(function)
    def command(**given: Any) -> None:
        request = Request(**{name: given.pop(name) for name in Request._fields})
        try:
            function(request, **given)
        except Exception as failure:
            if request.debug:
                raise
            _end(request, failure)

    wrapped: Callable[..., Any] = command
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _end(request: Request, failure: Exception) -> NoReturn:
    from foreword.store._errors import DurabilityError

    if isinstance(failure, click.ClickException | click.exceptions.Exit | click.Abort | BrokenPipeError):
        # click ends these itself; of a closed pipe it says nothing.
        raise failure
    if isinstance(failure, BuildError):
        request.tell(failure.diagnostics if failure.prompt is None else failure.prompt.diagnostics)
        sys.exit(FAILED)
    if isinstance(failure, ExceptionGroup):
        for inner in _leaves(cast("ExceptionGroup[Exception]", failure)):
            if isinstance(inner, BuildError):
                request.tell(inner.diagnostics)
            else:
                click.echo(printable(f"error: {inner}"), err=True)
        sys.exit(FAILED)
    if isinstance(failure, ConfigError):
        where = f" {failure.place}" if failure.place is not None else ""
        click.echo(printable(f"{failure.code} error{where}: {failure.message}"), err=True)
        sys.exit(MISUSED)
    if isinstance(failure, UnknownSection):
        click.echo(printable(f"error: {failure}"), err=True)
        sys.exit(MISUSED)
    if isinstance(failure, DurabilityError):
        click.echo(printable(f"error: {failure}"), err=True)
        sys.exit(UNCONFIRMED)
    kind = "" if isinstance(failure, ForewordError) else f"{type(failure).__name__}: "
    click.echo(printable(f"error: {kind}{failure}"), err=True)
    sys.exit(FAILED)


def _leaves(group: ExceptionGroup[Exception]) -> Sequence[Exception]:
    leaves: list[Exception] = []
    for inner in group.exceptions:
        if isinstance(inner, ExceptionGroup):
            leaves += _leaves(cast("ExceptionGroup[Exception]", inner))
        else:
            leaves.append(inner)
    return leaves


def _variables(pairs: Sequence[str]) -> dict[str, str]:
    variables: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--var {pair!r} is not KEY=VALUE")
        variables[name] = value
    return variables


def _quiet(diagnostic: Diagnostic) -> None:
    """Nothing: the findings are told from the prompt."""
