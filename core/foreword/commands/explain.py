"""``foreword explain``: say why the prompt reads as it does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from foreword._errors import BuildError

from . import _json
from ._common import FAILED, Request, common
from ._table import print_table, print_words

if TYPE_CHECKING:
    from foreword import Builder, Prompt

_HEADINGS = ("priority", "id", "title", "layer", "place", "characters", "~tokens")
_NUMBERS = frozenset({"priority", "characters", "~tokens"})


@click.command("explain", epilog="Example: foreword explain safety --agent operator")
@common
@click.argument("id", required=False)
@click.option("--policy", is_flag=True, help="Show the policy in force and where each rule comes from.")
def command(request: Request, id: str | None, policy: bool) -> None:
    """Say why the prompt reads as it does.

    With the ID of a section: its winner, and every other edit with its reason. Without: a table of the
    whole prompt.
    """
    builder = request.builder()
    if policy:
        _policy(request, builder)
        return
    failed = False
    try:
        prompt = request.build(builder, strict=request.is_strict())
    except BuildError as failure:
        if failure.prompt is None:
            raise
        # The prompt that must not be used is the one that most needs explaining.
        prompt, failed = failure.prompt, True
    request.tell(prompt.diagnostics)
    if id is not None:
        _one(request, builder, prompt, id)
    else:
        _all(request, builder, prompt)
    if failed:
        sys.exit(FAILED)


def _one(request: Request, builder: Builder, prompt: Prompt, id: str) -> None:
    explanation = prompt.explain(id)
    if request.as_json:
        click.echo(_json.dump({"config": builder.settings.source, **_json.of_explanation(explanation)}))
        return
    print_words(str(explanation))
    click.echo(f"\n{_source(builder)}")


def _all(request: Request, builder: Builder, prompt: Prompt) -> None:
    explanations = prompt.explain()
    if request.as_json:
        content = {
            "config": builder.settings.source,
            "sections": [_json.of_explanation(explanation) for explanation in explanations],
        }
        click.echo(_json.dump(content))
        return
    rows = [
        (
            str(section.priority),
            section.id,
            section.title or "",
            section.layer,
            str(section.origin) if section.origin.path != "code" else section.provider,
            str(len(section.text)),
            f"~{estimated_tokens(section.text)}",
        )
        for section in prompt.sections
    ]
    rows.append(("", "", "", "", "", str(len(prompt.text)), f"~{estimated_tokens(prompt.text)}"))
    print_table(_HEADINGS, rows, _NUMBERS)
    absent = [explanation.id for explanation in explanations if explanation.section is None]
    if absent:
        click.echo(f"\nTried, and not in the prompt: {', '.join(absent)}")
    click.echo(f"\n{_source(builder)}")


def _policy(request: Request, builder: Builder) -> None:
    from foreword._policy import describe

    rows = describe(builder.policy, builder.settings)
    if request.as_json:
        policy = [{"key": key, "value": value, "from": origin} for key, value, origin in rows]
        click.echo(_json.dump({"config": builder.settings.source, "policy": policy}))
        return
    print_table(("rule", "value", "from"), rows)
    click.echo(f"\n{_source(builder)}")


def _source(builder: Builder) -> str:
    source = builder.settings.source
    return f"Configuration: {source}" if source else "Configuration: none; these are the defaults."


def estimated_tokens(text: str) -> int:
    """Return a rough count of tokens: a quarter of the bytes of the text, rounded up."""
    return -(-len(text.encode()) // 4)
