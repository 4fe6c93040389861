"""``foreword plugins``: list the plugins and what became of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from . import _json
from ._common import FAILED, Request, common
from ._table import print_table

if TYPE_CHECKING:
    from foreword._manager import Manager

_HEADINGS = ("plugin", "version", "status", "layers", "hooks", "ms", "reason")


@click.command("plugins", epilog="Example: foreword plugins --json")
@common
def command(request: Request) -> None:
    """List the plugins: which are active, which are disabled or failed, and why.

    It ends with 1 when a required plugin is not in order, and with --strict when any is not.
    """
    manager = request.builder().manager
    missing = list(manager.missing())
    found = [*manager.diagnostics, *missing]
    request.tell(found)
    _show(request, manager)
    if missing or (request.is_strict() and any(diagnostic.severity == "error" for diagnostic in found)):
        sys.exit(FAILED)


def _show(request: Request, manager: Manager) -> None:
    if request.as_json:
        plugins = [
            {
                "name": plugin.provider.name,
                "distribution": plugin.provider.distribution,
                "version": plugin.provider.version,
                "entry_point": plugin.provider.entry_point,
                "value": plugin.value,
                "origin": "first-party" if plugin.provider.first_party else "third-party",
                "status": plugin.status,
                "reason": plugin.reason,
                "layers": list(plugin.layers),
                "hooks": list(plugin.hooks),
                "load_ms": round(plugin.milliseconds, 2),
            }
            for plugin in manager.plugins
        ]
        click.echo(_json.dump({"plugins": plugins}))
        return
    rows = [
        (
            plugin.provider.name,
            plugin.provider.version,
            plugin.status,
            ", ".join(plugin.layers),
            ", ".join(hook.removeprefix("foreword_") for hook in plugin.hooks),
            f"{plugin.milliseconds:.1f}",
            plugin.reason,
        )
        for plugin in manager.plugins
    ]
    print_table(_HEADINGS, rows, frozenset({"ms"}))
