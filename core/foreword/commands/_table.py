"""Tables: coloured and as wide as the terminal on one, plain lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from foreword._diagnostics import printable

_STYLES = {
    "applied": "green",
    "active": "green",
    "stale": "yellow",
    "disabled": "yellow",
    "shadowed": "dim",
    "refused": "red",
    "conflict": "red",
    "no-target": "red",
    "failed": "red",
}


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str] = frozenset()) -> None:
    """Print a table.

    Args:
        headings: the names of the columns.
        rows: the cells, as text.
        right: the columns that stand to the right, such as numbers.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _on_terminal(headings, cells, right)
    else:
        _in_pipe(headings, cells, right)


def _on_terminal(headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    Console().print(table)


def _in_pipe(headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str]) -> None:
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    for row in [headings, *rows]:
        parts = [
            cell.rjust(width) if heading in right else cell.ljust(width)
            for cell, width, heading in zip(row, widths, headings, strict=True)
        ]
        click.echo("  ".join(parts).rstrip())


def print_words(text: str) -> None:
    """Print an explanation; on a terminal the outcomes are coloured."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.console import Console
    from rich.text import Text

    words = Text(text)
    for outcome, style in _STYLES.items():
        words.highlight_regex(rf"(?m)^  {outcome}\b", style)
    Console().print(words, soft_wrap=False)
