"""Calls of plugins: each hook of each plugin is called by itself, and what goes wrong stays with it."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from foreword.templates._names import Value

from ._context import Asked, Context
from ._diagnostics import Diagnostic, Severity
from ._hook_time import SLOW, TimedOut, within
from ._implementation import Calls, Implementation
from ._manager import Manager, first_line
from ._model import Section
from ._provider import Provider
from ._screen import Screen

if TYPE_CHECKING:
    from pydantic import ValidationError

    from ._sources import Given

blank = object.__new__

BUILDING: ContextVar[bool] = ContextVar("foreword.building", default=False)
"""Whether a hook is being called: a hook cannot build a prompt."""


class Contribution(NamedTuple):
    """One edit as a plugin returned it, and where it came from."""

    edit: Section
    provider: Provider
    layers: tuple[str, ...]
    position: int


class Strangers(NamedTuple):
    """What the plugins of other distributions contribute, and what there is to say of all plugins."""

    contributions: tuple[Contribution, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


NO_STRANGERS: Final = Strangers()


class Gathered:
    """Everything that the plugins contribute to one prompt.

    Attributes:
        given: what each of our own sources gave.
        strangers: what the plugins of other distributions contribute.
        values: the variables that plugins give.
        diagnostics: what was said while they were called.
        broken: the plugins that did not work.
    """

    __slots__ = ("broken", "diagnostics", "given", "strangers", "values")

    def __init__(self) -> None:
        self.given: list[Given] = []
        self.strangers = NO_STRANGERS
        self.values: dict[str, Value] = {}
        self.diagnostics: list[Diagnostic] = []
        self.broken: set[Provider] = set()

    @property
    def contributions(self) -> list[Contribution]:
        """The edits of all plugins."""
        return [*self.strangers.contributions, *(one for given in self.given for one in given.contributions)]

    @property
    def said(self) -> list[Diagnostic]:
        """What there is to say of all plugins, whether they were called or what they gave before was taken."""
        said = list(self.strangers.diagnostics)
        for given in self.given:
            said += given.diagnostics
        return said


class Caller:
    """Calls one implementation at a time and keeps what goes wrong from the others.

    Args:
        gathered: where what is said goes, and which plugins did not work.
        asked: what the plugins are told; their reports go to the diagnostics of ``gathered``.
        manager: the plugins.
    """

    def __init__(self, gathered: Gathered, asked: Asked, manager: Manager) -> None:
        self._gathered = gathered
        self._asked = asked
        self._manager = manager
        self._most = asked.settings.limits.extension.sections
        self.screen: Screen = asked.screen
        self._taken: dict[Provider, int] = {}

    def allowed(self, provider: Provider, sections: Iterable[Section]) -> Iterator[Section]:
        """Yield the sections of one provider, of a third party's no more than the policy allows."""
        return takewhile(lambda _: self.allows(provider), sections)

    def allows(self, provider: Provider, more: int = 1) -> bool:
        """Count more sections of a provider, and return whether the policy allows so many of it."""
        if self._most is None or provider.first_party:
            return True
        taken = self._taken[provider] = self._taken.get(provider, 0) + more
        if taken > self._most:
            what = f"returned more than {self._most} sections; the rest is left out ([limits.extension] sections)"
            self.problem(provider, "FW029", what)
        return taken <= self._most

    def call_all(self, hook: str, calls: Calls | None = None) -> list[object]:
        """Call a hook whose only argument is the context, and return what each implementation returned.

        Args:
            hook: the hook.
            calls: the implementations; by default all that there are.

        Returns:
            One item for each implementation, in their order; None for one that went wrong.
        """
        calls = self._manager.calls(hook) if calls is None else calls
        if self._manager.timeout is not None:
            return [self.call(implementation, hook) for implementation in calls]
        told, clock, references = self._asked, time.perf_counter, sys.getrefcount
        returned: list[object] = []
        append = returned.append
        context = blank(Context)
        alone = min(references(context), 2)
        token = BUILDING.set(True)
        start = clock()
        try:
            for function, takes_context, provider in calls.table:
                try:
                    if takes_context:
                        if references(context) != alone:
                            # Somebody keeps it, and may still report: it stays theirs.
                            context = blank(Context)
                        context._asked = told  # pyright: ignore[reportPrivateUsage]
                        context._provider = provider  # pyright: ignore[reportPrivateUsage]
                        append(function(context))
                    else:
                        append(function())
                except (Exception, SystemExit) as cause:
                    append(None)
                    self.failed(provider, hook, cause)
                end = clock()
                if end - start > SLOW:
                    self._slow(provider, hook, end - start)
                start = end
        finally:
            BUILDING.reset(token)
        return returned

    def call(self, implementation: Implementation, hook: str) -> object:
        """Call one implementation of a hook whose only argument is the context."""
        provider, function, arguments, _ = implementation
        given = (self._asked.context(provider),) if arguments else ()
        return self.guarded(provider, hook, function, *given)

    def items(self, implementation: Implementation, hook: str, kind: str) -> list[object]:
        """Call a hook that returns a list, and return what is in it."""
        return self.listed(implementation, hook, kind, partial(self.call, implementation, hook))

    def listed(
        self, implementation: Implementation, hook: str, kind: str, call: Callable[[], object]
    ) -> list[object]:
        """Return what is in the list that a call of the hook returns."""
        return self.taken(implementation.provider, hook, kind, self.guarded(implementation.provider, hook, call))

    def taken(self, provider: Provider, hook: str, kind: str, result: object) -> list[object]:
        """Return what is in a list that a hook returned."""
        if type(result) is list or type(result) is tuple:
            return list(cast("list[object] | tuple[object, ...]", result))
        if result is None:
            return []
        # A list of a stranger's own kind can raise when it is only looked at.
        taken: list[object] = []

        def take() -> object:
            if not isinstance(result, list | tuple):
                return False
            taken.extend(cast("list[object]", result))
            return True

        is_list = self.guarded(provider, hook, take)
        if is_list is False:
            self.problem(provider, "FW034", f"returned {type(result).__name__} from {hook}; it returns {kind}")
        return taken if is_list else []

    def context(self, provider: Provider) -> Context:
        """Return the context as one plugin is given it."""
        return self._asked.context(provider)

    def guarded(self, provider: Provider, hook: str, function: Callable[..., object], *given: object) -> object:
        """Call a function of a plugin with what it is given, and return None where it goes wrong."""
        if self._manager.is_given_up(provider):
            return None
        timeout = self._manager.timeout if not provider.first_party else None
        token = BUILDING.set(True)
        start = time.perf_counter()
        try:
            return function(*given) if timeout is None else within(timeout, partial(function, *given))
        except TimedOut:
            self._gathered.broken.add(provider)
            what = f"did not end {hook} within {timeout:g} seconds ([plugins] timeout)"
            self._gathered.diagnostics.append(self._manager.give_up(provider, what))
            return None
        except (Exception, SystemExit) as cause:
            self.failed(provider, hook, cause)
            return None
        finally:
            BUILDING.reset(token)
            if (seconds := time.perf_counter() - start) > SLOW:
                self._slow(provider, hook, seconds)

    def failed(self, provider: Provider, hook: str, cause: BaseException) -> None:
        """Say that a plugin raised in a hook."""
        from pydantic import ValidationError

        if isinstance(cause, ValidationError):
            what = f"has a wrong {cause.title} in {hook}: {fields_of(cause)}{_origin(cause)}"
            self.problem(provider, "FW034", what, cause)
        else:
            what = f"raised {type(cause).__name__} in {hook}{_said(cause)}{_origin(cause)}"
            self.problem(provider, "FW033", what, cause)

    def _slow(self, provider: Provider, hook: str, seconds: float) -> None:
        if not provider.first_party and not self._manager.is_given_up(provider):
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
