"""Gathering: every hook of every plugin is called by itself, and what it returns is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from foreword.templates._names import Value

from ._context import Context
from ._diagnostics import Diagnostic
from ._implementation import Implementation
from ._manager import Manager
from ._model import Section
from ._plugin_calls import Caller, Contribution, Gathered
from ._plugin_sections import checked_section
from ._plugin_skills import skill_sections
from ._plugin_values import checked_values
from ._sources import Given, Sources

if TYPE_CHECKING:
    from foreword.files._reader import Reader

    from ._prompt import Prompt


def gather(
    manager: Manager, context: Context, reader: Reader | None = None, sources: Sources | None = None
) -> Gathered:
    """Call the hooks of every plugin and return what they contribute.

    A plugin that raises, or returns something that is no section, loses only that; a diagnostic names it.

    Args:
        manager: the plugins.
        context: what their hooks are given.
        reader: the reader of the batch, which the context reads through.
        sources: what our own sources gave before; without it, or without a reader, all are asked.
    """
    gathered = Gathered()
    said = gathered.diagnostics
    caller = Caller(gathered, context, manager)
    for implementation in manager.calls("foreword_variables"):
        gathered.values.update(_checked_values(caller, implementation))
    gathered.given.append(Given((), (*manager.diagnostics, *said)))
    for implementation in manager.calls("foreword_sections"):
        if implementation.provider.first_party and sources is not None and reader is not None:
            given = _own(caller, manager, implementation, gathered, context, reader, sources)
        else:
            given = _given(caller, manager, implementation, said)
        gathered.given.append(given)
    for implementation in manager.calls("foreword_skills"):
        start = len(said)
        sections = _skill_sections(caller, implementation)
        contributions = [
            Contribution(section, implementation.provider, ("extension",), 10_000 + position)
            for position, section in enumerate(caller.allowed(implementation.provider, sections))
        ]
        gathered.given.append(Given(tuple(contributions), tuple(said[start:])))
    return gathered


def _given(caller: Caller, manager: Manager, implementation: Implementation, said: list[Diagnostic]) -> Given:
    """Ask one source for its sections."""
    start = len(said)
    provider = implementation.provider
    layers = manager.layers(provider)
    sections = caller.allowed(provider, _checked_sections(caller, implementation))
    contributions = [Contribution(section, provider, layers, place) for place, section in enumerate(sections)]
    return Given(tuple(contributions), tuple(said[start:]))


def _own(
    caller: Caller,
    manager: Manager,
    implementation: Implementation,
    gathered: Gathered,
    context: Context,
    reader: Reader,
    sources: Sources,
) -> Given:
    """Return what one of our own sources gives: what it gave before, as long as that holds."""
    scope = sources.scope(implementation.provider.entry_point, context)
    kept = sources.kept(scope, reader)
    if kept is not None:
        return kept
    seen = reader.watch()
    given = _given(caller, manager, implementation, gathered.diagnostics)
    if implementation.provider not in gathered.broken:
        given = given._replace(seen=tuple(seen))
        sources.keep(scope, given)
    return given


def gather_checks(manager: Manager, context: Context, prompt: Prompt) -> list[Diagnostic]:
    """Call the rules of every plugin on a built prompt and return what they find."""
    gathered = Gathered()
    caller = Caller(gathered, context, manager)
    for implementation in manager.calls("foreword_check"):
        given = {"prompt": prompt, "context": caller.context(implementation.provider)}
        call = partial(implementation.function, *(given[name] for name in implementation.arguments))
        for index, item in enumerate(caller.listed(implementation, "foreword_check", "a list of Diagnostic", call)):
            if isinstance(item, Diagnostic):
                gathered.diagnostics.append(replace(item, provider=str(implementation.provider)))
            else:
                what = f"returned {type(item).__name__} at index {index} of foreword_check, not a Diagnostic"
                caller.problem(implementation.provider, "FW034", what)
    return gathered.diagnostics


def _checked_sections(caller: Caller, implementation: Implementation) -> Iterator[Section]:
    provider = implementation.provider
    items = caller.items(implementation, "foreword_sections", "a list of Section and Edit")
    checked = (checked_section(caller, provider, index, item) for index, item in enumerate(items))
    return (section for section in checked if section is not None)


def _checked_values(caller: Caller, implementation: Implementation) -> Mapping[str, Value]:
    provider = implementation.provider
    result = caller.call(implementation, "foreword_variables")
    return checked_values(caller, provider, result) if result is not None else {}


def _skill_sections(caller: Caller, implementation: Implementation) -> Iterator[Section]:
    provider = implementation.provider
    return skill_sections(caller, provider, caller.call(implementation, "foreword_skills"))
