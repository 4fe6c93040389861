"""Calls of plugins: each hook of each plugin is called by itself, and what goes wrong stays with it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, cast

from pydantic import ValidationError

from foreword.templates._names import Value

from ._context import Context
from ._diagnostics import Diagnostic, Severity
from ._hook_time import SLOW, TimedOut, within
from ._manager import Implementation, Manager, first_line
from ._model import Section
from ._provider import Provider
from ._screen import Screen

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


class Caller:
    """Calls one implementation at a time and keeps what goes wrong from the others."""

    def __init__(self, gathered: Gathered, context: Context, manager: Manager) -> None:
        self._gathered = gathered
        self._context = context
        self._manager = manager
        self.screen = Screen.from_settings(context.settings)
        self._taken: dict[Provider, int] = {}

    def allowed(self, provider: Provider, sections: Iterator[Section]) -> Iterator[Section]:
        """Yield the sections of one provider, of a third party's no more than the policy allows."""
        most = self._context.settings.limits.extension.sections
        for section in sections:
            taken = self._taken[provider] = self._taken.get(provider, 0) + 1
            if most is not None and taken > most and not provider.first_party:
                what = f"returned more than {most} sections; the rest is left out ([limits.extension] sections)"
                self.problem(provider, "FW029", what)
                return
            yield section

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
        if self._manager.is_given_up(provider):
            return None
        timeout = self._manager.timeout if not provider.first_party else None
        token = BUILDING.set(True)
        start = time.perf_counter()
        try:
            return function() if timeout is None else within(timeout, function)
        except TimedOut:
            self._gathered.broken.add(provider)
            what = f"did not end {hook} within {timeout:g} seconds ([plugins] timeout)"
            self._gathered.diagnostics.append(self._manager.give_up(provider, what))
            return None
        except ValidationError as cause:
            what = f"has a wrong {cause.title} in {hook}: {fields_of(cause)}{_origin(cause)}"
            self.problem(provider, "FW034", what, cause)
            return None
        except (Exception, SystemExit) as cause:
            what = f"raised {type(cause).__name__} in {hook}{_said(cause)}{_origin(cause)}"
            self.problem(provider, "FW033", what, cause)
            return None
        finally:
            BUILDING.reset(token)
            self._time(provider, hook, time.perf_counter() - start)

    def _time(self, provider: Provider, hook: str, seconds: float) -> None:
        if seconds > SLOW and not provider.first_party and not self._manager.is_given_up(provider):
            remedy = "let it do less, or keep what it has found out"
            self.remark(provider, "FW039", "warning", f"took {seconds:.1f} seconds in {hook}", remedy)

    def remark(self, provider: Provider, code: str, severity: Severity, what: str, remedy: str = "") -> None:
        """Say something about a plugin that is no problem."""
        message = f"plugin {provider} {what}"
        self._gathered.diagnostics.append(Diagnostic(code, severity, message, None, remedy, None, str(provider)))

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


def fields_of(cause: ValidationError) -> str:
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
