"""Gathering: every hook of every plugin is called by itself, and what it returns is checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from foreword.config._variables import LARGEST
from foreword.files._reader import MarkdownFile
from foreword.templates._names import Value

from ._context import Context
from ._diagnostics import Diagnostic
from ._manager import Implementation, Manager
from ._model import Edit, Section
from ._names import NameRefused, check_id, variable_prefix
from ._plugin_calls import Caller, Contribution, Gathered, fields_of
from ._provider import Provider

if TYPE_CHECKING:
    from ._prompt import Prompt

LONGEST_VALUE = 200


def gather(manager: Manager, context: Context) -> Gathered:
    """Call the hooks of every plugin and return what they contribute.

    A plugin that raises, or returns something that is no section, loses only that; a diagnostic names it.
    """
    gathered = Gathered(diagnostics=list(manager.diagnostics))
    caller = Caller(gathered, context, manager)
    for implementation in manager.calls("foreword_variables"):
        gathered.values.update(_checked_values(caller, implementation))
    for implementation in manager.calls("foreword_sections"):
        layers = manager.layers(implementation.provider)
        sections = _checked_sections(caller, implementation)
        for position, section in enumerate(caller.allowed(implementation.provider, sections)):
            gathered.contributions.append(Contribution(section, implementation.provider, layers, position))
    for implementation in manager.calls("foreword_skills"):
        sections = _skill_sections(caller, implementation)
        for position, section in enumerate(caller.allowed(implementation.provider, sections)):
            gathered.contributions.append(
                Contribution(section, implementation.provider, ("extension",), 10_000 + position)
            )
    return gathered


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
    for index, item in enumerate(caller.items(implementation, "foreword_sections", "a list of Section and Edit")):
        if not isinstance(item, Section):
            what = f"returned {type(item).__name__} at index {index} of foreword_sections, not a Section or Edit"
            caller.problem(implementation.provider, "FW034", what)
        elif implementation.provider.first_party:
            yield item
        elif (section := _validated(caller, implementation.provider, index, item)) is not None:
            yield section


def _validated(caller: Caller, provider: Provider, index: int, item: Section) -> Section | None:
    """Return a stranger's section as one of our own kind: it could have been made without any check."""
    kind = Edit if isinstance(item, Edit) else Section
    why: str | None
    try:
        section = kind(**{name: value for name, value in vars(item).items() if name in kind.model_fields})
    except ValidationError as cause:
        why = fields_of(cause)
    except TypeError:
        why = "a field is missing"
    else:
        if (why := _unchecked(section)) is None:
            return section
    what = f"returned a wrong {kind.__name__} at index {index} of foreword_sections: {why}"
    caller.problem(provider, "FW034", what)
    return None


def _unchecked(section: Section) -> str | None:
    """Return what is wrong with the fields that pydantic does not look into."""
    file = cast("object", section.file)
    findings = cast("object", section.findings if isinstance(section, Edit) else ())
    if file is not None and not isinstance(file, MarkdownFile):
        return "file: Input should be a file that foreword read"
    if not isinstance(findings, tuple) or not all(
        isinstance(one, Diagnostic) for one in cast("tuple[object, ...]", findings)
    ):
        return "findings: Input should be a tuple of Diagnostic"
    return None


def _checked_values(caller: Caller, implementation: Implementation) -> Mapping[str, Value]:
    provider = implementation.provider
    result: Any = caller.call(implementation, "foreword_variables")
    if result is None:
        return {}
    if not isinstance(result, Mapping):
        what = f"returned {type(result).__name__} from foreword_variables; it returns a dict"
        caller.problem(provider, "FW034", what)
        return {}
    given = cast("Mapping[object, object]", result)
    taken = caller.guarded(provider, "foreword_variables", lambda: dict(given.items()))
    pairs = cast("dict[object, object]", taken or {})
    prefix = variable_prefix(provider.distribution) + "."
    values: dict[str, Value] = {}
    for name, value in pairs.items():
        if not isinstance(name, str) or not name.startswith(prefix) or not name[len(prefix) :].isidentifier():
            caller.problem(provider, "FW038", f"gave the variable {name!r}; its names begin with {prefix!r}")
        elif not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= LARGEST):
            caller.problem(provider, "FW038", f"gave {name!r} a {type(value).__name__}; a value is text or a number")
        elif isinstance(value, str) and (len(value) > LONGEST_VALUE or len(value.splitlines()) > 1):
            what = f"gave {name!r} a text that is not one line of at most {LONGEST_VALUE} characters"
            caller.problem(provider, "FW038", what)
        elif isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            caller.problem(provider, "FW038", f"gave {name!r} half of a surrogate pair, which is no character")
        elif not isinstance(value, str):
            values[name] = value
        elif _is_shown(caller, provider, name, text := str.__str__(value)):
            values[name] = text
    return values


def _is_shown(caller: Caller, provider: Provider, name: str, value: str) -> bool:
    """Say what a person does not see in the value of a variable, and whether it may be used."""
    for found in caller.screen.scanned("", {"value": value}, trusted=False):
        if found.refuses:
            caller.problem(provider, "FW038", f"gave {name!r} a text that is refused: {found.message}")
            return False
        caller.remark(provider, found.code, found.severity, f"gave {name!r} a text with {found.message}")
    return True


def _skill_sections(caller: Caller, implementation: Implementation) -> Iterator[Section]:
    provider = implementation.provider
    for index, skill in enumerate(caller.items(implementation, "foreword_skills", "a list")):
        section = _skill_section(caller, provider, index, skill)
        if section is not None:
            yield section


def _skill_section(caller: Caller, provider: Provider, index: int, skill: Any) -> Section | None:
    def attributes() -> object:
        return getattr(skill, "render_system_addon", None), getattr(skill, "name", None)

    found: Any = caller.guarded(provider, f"foreword_skills at index {index}", attributes)
    if found is None:
        return None
    render, name = found
    if not callable(render):
        what = f"returned {type(skill).__name__} at index {index} of foreword_skills, without render_system_addon()"
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
    try:
        return Section(id, text, default_priority=710) if text.strip() else None
    except ValidationError as cause:
        caller.problem(provider, "FW034", f"has a skill {name!r} with a wrong text: {fields_of(cause)}")
        return None
