"""``foreword build``: print the prompt."""

from __future__ import annotations

import sys

import click

from . import _json
from ._common import Request, common


@click.command("build", epilog="Example: foreword build --prompts-dir prompts --agent operator --var agent_name=Ada")
@common
@click.option("--tools", is_flag=True, help="Print the prose for tools, as JSON, instead of the prompt.")
def command(request: Request, tools: bool) -> None:
    """Print the prompt, and nothing else, on standard output.

    What there is to say about it goes to standard error, one line each.
    """
    prompt = request.build(request.builder(), strict=request.is_strict())
    request.tell(prompt.diagnostics)
    if tools:
        click.echo(_json.dump(dict(prompt.tools)))
    elif request.as_json:
        click.echo(_json.dump(_json.of_prompt(prompt)))
    else:
        # The very bytes of the prompt; only a terminal gets a line end after them.
        end = "\n" if sys.stdout.isatty() else ""
        sys.stdout.buffer.write((prompt.text + end).encode())
        sys.stdout.flush()
