"""The skills of plugins: objects that say themselves what they add to the prompt."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from ._implementation import Calls
from ._model import Section
from ._names import NameRefused, check_id
from ._plugin_calls import Caller, Contribution, fields_of
from ._provider import Provider

HOOK = "foreword_skills"


def plugin_skills(caller: Caller, calls: Calls) -> list[Contribution]:
    """Call ``foreword_skills`` of plugins and return the sections that their skills come to."""
    contributions: list[Contribution] = []
    for (provider, _, _, _), result in zip(calls, caller.call_all(HOOK, calls), strict=True):
        if result is not None:
            sections = caller.allowed(provider, skill_sections(caller, provider, result))
            contributions += [
                Contribution(section, provider, ("extension",), 10_000 + position)
                for position, section in enumerate(sections)
            ]
    return contributions


def skill_sections(caller: Caller, provider: Provider, result: object) -> Iterator[Section]:
    """Yield a section for each skill in order that a plugin returned from ``foreword_skills``."""
    for index, skill in enumerate(caller.taken(provider, HOOK, "a list", result)):
        try:
            section = _skill_section(caller, provider, index, skill)
        except (Exception, SystemExit) as cause:
            # A stranger's object can raise when it is only looked at.
            caller.failed(provider, HOOK, cause)
        else:
            if section is not None:
                yield section


def _skill_section(caller: Caller, provider: Provider, index: int, skill: Any) -> Section | None:
    def attributes() -> object:
        return getattr(skill, "render_system_addon", None), getattr(skill, "name", None)

    found: Any = caller.guarded(provider, f"{HOOK} at index {index}", attributes)
    if found is None:
        return None
    render, name = found
    if not callable(render):
        what = f"returned {type(skill).__name__} at index {index} of {HOOK}, without render_system_addon()"
        caller.problem(provider, "FW034", what)
        return None
    name = name if isinstance(name, str) and name.strip() else type(skill).__name__
    context = caller.context(provider)

    def rendered() -> object:
        takes_context = bool(inspect.signature(render).parameters)
        return render(context) if takes_context else render()

    text = caller.guarded(provider, f"render_system_addon of skill {name!r}", rendered)
    if text is None:
        return None
    if not isinstance(text, str):
        what = f"has a skill {name!r} whose render_system_addon() gives {type(text).__name__}, not text"
        caller.problem(provider, "FW034", what)
        return None
    try:
        id = check_id(f"skills/{provider.distribution}.{name}")
    except NameRefused as problem:
        caller.problem(provider, "FW034", f"has a skill named {name!r}: {problem}")
        return None
    text = str.__str__(text)
    from pydantic import ValidationError

    try:
        return Section(id, text, default_priority=710) if text.strip() else None
    except ValidationError as cause:
        caller.problem(provider, "FW034", f"has a skill {name!r} with a wrong text: {fields_of(cause)}")
        return None
