"""``foreword trust``: record the content of plugins and skills as looked at and trusted."""

from __future__ import annotations

import click

from . import _json
from ._common import Request, common
from ._table import print_table

_SKILL = "SKILL.md"


@click.command("trust", epilog="Example: foreword trust --dry-run")
@common
@click.option("--dry-run", is_flag=True, help="Only show what is new or changed.")
def command(request: Request, dry_run: bool) -> None:
    """Record the content hashes of all plugins and skills in foreword.lock.

    With pin = true under [plugins] or [skills], what is new or changed since then is refused, until it is
    trusted again. Nothing of a plugin is imported to take its hash.
    """
    from foreword import Builder
    from foreword._discovery import discover
    from foreword._trust import skill_hash
    from foreword.config._agents import skill_roots
    from foreword.config._lock_file import lock_path, read_lock, write_lock

    settings = request.settings()
    path = lock_path(settings)
    old = read_lock(path)
    plugins = {
        found.provider.distribution: found.content_hash() for found in discover() if not found.provider.first_party
    }
    reader = Builder(settings=settings, plugins=False, on_diagnostic=lambda _: None).reader()
    skills = {
        file.place.rpartition("/")[0]: skill_hash(reader, file)
        for root in skill_roots(settings, request.agent)
        for file in reader.read_directory(root, only=_SKILL, recursive=True).files
        if file.error is None
    }
    readable = {name: value for name, value in skills.items() if value is not None}
    rows = [
        (kind, name, _state(before.get(name), value))
        for kind, before, now in (("plugin", old.plugins, plugins), ("skill", old.skills, skills))
        for name, value in sorted(now.items())
    ]
    if not dry_run:
        write_lock(path, old._replace(plugins=plugins, skills={**old.skills, **readable}))
    if request.as_json:
        content = [{"kind": kind, "name": name, "state": state} for kind, name, state in rows]
        click.echo(_json.dump({"lock": path, "trusted": content}))
        return
    if rows:
        print_table(("kind", "name", "state"), rows)
    else:
        click.echo("There are neither third-party plugins nor skills.")


def _state(before: str | None, now: str | None) -> str:
    if now is None:
        return "unreadable"
    if before is None:
        return "new"
    return "unchanged" if before == now else "changed"
