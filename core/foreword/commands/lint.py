"""``foreword lint``: say everything that there is to say about the prompt and its sources."""

from __future__ import annotations

import sys

import click

from foreword._errors import BuildError

from . import _json
from ._common import FAILED, Request, common


@click.command("lint", epilog="Example: foreword lint --agent operator --json")
@common
def command(request: Request) -> None:
    """Report every finding, informational ones too, and what the rules of plugins find in the prompt.

    Findings go to standard output, one line each. Exit status 1 if there is any error, or with --strict any
    warning too.
    """
    from foreword._agent_directories import idle_agent_directories

    builder = request.builder()
    try:
        prompt = request.build(builder, strict=False)
    except BuildError as failure:
        if failure.prompt is None:
            raise
        prompt = failure.prompt
    found = [*prompt.diagnostics, *builder.check(prompt), *idle_agent_directories(builder.settings, builder.reader())]
    if request.as_json:
        click.echo(_json.dump([_json.of_diagnostic(diagnostic) for diagnostic in found]))
    else:
        for diagnostic in found:
            click.echo(str(diagnostic))
        counts = {severity: sum(one.severity == severity for one in found) for severity in ("error", "warning", "info")}
        told = ", ".join(f"{number} {severity}{'s' * (number != 1)}" for severity, number in counts.items() if number)
        click.echo(told or "Nothing to say.", err=True)
    bad = {"error", "warning"} if request.is_strict() else {"error"}
    if any(diagnostic.severity in bad for diagnostic in found):
        sys.exit(FAILED)
