"""Gathering: every hook of every plugin is called by itself, and what it returns is checked."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic import ValidationError

from ._context import Context
from ._diagnostics import Diagnostic
from ._files import MarkdownFile
from ._manager import Implementation, Manager, first_line
from ._model import Edit, Section
from ._names import NameRefused, check_id, variable_prefix
from ._provider import Provider
from ._template import Value
from ._variables import LARGEST

if TYPE_CHECKING:
    from ._prompt import Prompt

LONGEST_VALUE = 200
BUILDING: ContextVar[bool] = ContextVar("foreword.building", default=False)
"""Whether a hook is being called: a hook cannot build a prompt."""


class Contribution(NamedTuple):
    """One edit as a plugin returned it, and where it came from."""

    edit: Section
    provider: Provider
    layers: tuple[str, ...]
    position: int


@dataclass(slots=True)
class Gathered:
    """Everything that the plugins contribute to one prompt."""

    contributions: list[Contribution] = field(default_factory=list[Contribution])
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    broken: set[Provider] = field(default_factory=set[Provider])


def gather(manager: Manager, context: Context) -> Gathered:
    """Call the hooks of every plugin and return what they contribute.

    A plugin that raises, or returns something that is no section, loses only that; a diagnostic names it.
    """
    gathered = Gathered(diagnostics=list(manager.diagnostics))
    caller = _Caller(gathered, context)
    most = context.settings.limits.extension.sections
    for implementation in manager.calls("foreword_variables"):
        gathered.values.update(_checked_values(caller, implementation))
    for implementation in manager.calls("foreword_sections"):
        layers = manager.layers(implementation.provider)
        for position, section in enumerate(_checked_sections(caller, implementation)):
            if most is not None and position >= most and not implementation.provider.first_party:
                what = f"returned more than {most} sections; the rest is left out ([limits.extension] sections)"
                caller.problem(implementation.provider, "FW029", what)
                break
            gathered.contributions.append(Contribution(section, implementation.provider, layers, position))
    for implementation in manager.calls("foreword_skills"):
        for position, section in enumerate(_skill_sections(caller, implementation)):
            gathered.contributions.append(
                Contribution(section, implementation.provider, ("extension",), 10_000 + position)
            )
    return gathered


def gather_checks(manager: Manager, context: Context, prompt: Prompt) -> list[Diagnostic]:
    """Call the rules of every plugin on a built prompt and return what they find."""
    gathered = Gathered()
    caller = _Caller(gathered, context)
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


class _Caller:
    """Calls one implementation at a time and keeps what goes wrong from the others."""

    def __init__(self, gathered: Gathered, context: Context) -> None:
        self._gathered = gathered
        self._context = context

    def call(self, implementation: Implementation, hook: str) -> object:
        context = self.context(implementation.provider)
        return self.guarded(
            implementation.provider,
            hook,
            lambda: implementation.function(*(context for _ in implementation.arguments)),
        )

    def items(self, implementation: Implementation, hook: str, kind: str) -> list[object]:
        """Call a hook that returns a list, and return what is in it."""
        return self.listed(implementation, hook, kind, partial(self.call, implementation, hook))

    def listed(
        self, implementation: Implementation, hook: str, kind: str, call: Callable[[], object]
    ) -> list[object]:
        """Return what is in the list that a call of the hook returns."""
        result = self.guarded(implementation.provider, hook, call)
        if isinstance(result, list | tuple):
            given = cast("list[object]", result)
            taken = self.guarded(implementation.provider, hook, lambda: list(given))
            return cast("list[object]", taken or [])
        if result is not None:
            what = f"returned {type(result).__name__} from {hook}; it returns {kind}"
            self.problem(implementation.provider, "FW034", what)
        return []

    def context(self, provider: Provider) -> Context:
        return replace(self._context, _provider=provider, _found=self._gathered.diagnostics)

    def guarded(self, provider: Provider, hook: str, function: Callable[[], object]) -> object:
        token = BUILDING.set(True)
        try:
            return function()
        except ValidationError as cause:
            what = f"has a wrong {cause.title} in {hook}: {_fields(cause)}{_origin(cause)}"
            self.problem(provider, "FW034", what, cause)
            return None
        except (Exception, SystemExit) as cause:
            what = f"raised {type(cause).__name__} in {hook}{_said(cause)}{_origin(cause)}"
            self.problem(provider, "FW033", what, cause)
            return None
        finally:
            BUILDING.reset(token)

    def problem(self, provider: Provider, code: str, what: str, cause: BaseException | None = None) -> None:
        self._gathered.broken.add(provider)
        self._gathered.diagnostics.append(
            Diagnostic(
                code,
                "error",
                f"plugin {provider} {what}",
                None,
                f'mend it, or disable it: [plugins] disable = ["{provider.name}"]',
                None,
                str(provider),
                "".join(traceback.format_exception(cause)) if cause is not None else "",
            )
        )


def _said(cause: BaseException) -> str:
    _, colon, first = first_line(cause).partition(": ")
    return f"{colon}{first}"


def _fields(cause: ValidationError) -> str:
    """Return what is wrong with which field, without pydantic's own words about itself."""
    errors = cause.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, error['loc'])) or 'the whole'}: {error['msg']}" for error in errors)


def _origin(cause: BaseException) -> str:
    """Return the file and line at which the plugin was when it raised."""
    where = ""
    trace = cause.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in ("foreword", "pydantic"):
            where = f" ({trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno})"
        trace = trace.tb_next
    return where


def _checked_sections(caller: _Caller, implementation: Implementation) -> Iterator[Section]:
    for index, item in enumerate(caller.items(implementation, "foreword_sections", "a list of Section and Edit")):
        if not isinstance(item, Section):
            what = f"returned {type(item).__name__} at index {index} of foreword_sections, not a Section or Edit"
            caller.problem(implementation.provider, "FW034", what)
        elif implementation.provider.first_party:
            yield item
        elif (section := _validated(caller, implementation.provider, index, item)) is not None:
            yield section


def _validated(caller: _Caller, provider: Provider, index: int, item: Section) -> Section | None:
    """Return a stranger's section as one of our own kind: it could have been made without any check."""
    kind = Edit if isinstance(item, Edit) else Section
    why: str | None
    try:
        section = kind(**{name: value for name, value in vars(item).items() if name in kind.model_fields})
    except ValidationError as cause:
        why = _fields(cause)
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


def _checked_values(caller: _Caller, implementation: Implementation) -> Mapping[str, Value]:
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
        else:
            values[name] = str.__str__(value) if isinstance(value, str) else value
    return values


def _skill_sections(caller: _Caller, implementation: Implementation) -> Iterator[Section]:
    provider = implementation.provider
    for index, skill in enumerate(caller.items(implementation, "foreword_skills", "a list")):
        section = _skill_section(caller, provider, index, skill)
        if section is not None:
            yield section


def _skill_section(caller: _Caller, provider: Provider, index: int, skill: Any) -> Section | None:
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
        caller.problem(provider, "FW034", f"has a skill {name!r} with a wrong text: {_fields(cause)}")
        return None
