"""The calls of hooks: one loop over all plugins, in which each stands for itself."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import Builder, Context, Diagnostic, hookimpl
from foreword import _plugin_calls as plugin_calls
from foreword._context import asked
from foreword._discovery import Discovered
from foreword._manager import Manager
from foreword._names import plugin_prefix
from foreword._plugin_calls import BUILDING, Caller, Gathered
from foreword._plugin_names import PluginNames
from foreword._provider import Provider
from foreword.config._settings import PluginSettings

Function = Callable[[Context], object]
BUILDER = Builder(plugins=False)


class Taking:
    """A plugin whose hook takes the context."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @hookimpl
    def foreword_sections(self, context: Context) -> object:
        """Do what the test says."""
        return self.function(context)


class Bare:
    """A plugin whose hook takes nothing."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @hookimpl
    def foreword_sections(self) -> object:
        """Do what the test says."""
        return self.function(None)  # type: ignore[arg-type]


def called(plugins: Iterable[object]) -> tuple[list[object], list[Diagnostic], Callable[[], list[object]]]:
    """Call the hook of plugins; return what they returned, the list of diagnostics, and how to call again."""
    found = [
        Discovered(Provider(f"acme-{number:03}", "1", "main"), "", lambda plugin=plugin: plugin)
        for number, plugin in enumerate(plugins)
    ]
    gathered = Gathered()
    manager = Manager(PluginSettings(), found=found)
    assert manager.diagnostics == []
    caller = Caller(gathered, asked(BUILDER.plan().context, gathered.diagnostics), manager)
    again = partial(caller.call_all, "foreword_sections")
    return again(), gathered.diagnostics, again


def named(found: Iterable[Diagnostic]) -> list[int]:
    """The numbers of the plugins that diagnostics are about."""
    return [int(str(one.provider).removeprefix("acme-").partition(":")[0]) for one in found]


# -- whose context -----------------------------------------------------------------------------------


class Keeping:
    """Ways of keeping a context."""

    def __init__(self) -> None:
        self.kept: dict[int, Callable[[], Context]] = {}
        self.objects: list[object] = []

    def _by_name(self, number: int, context: Context) -> None:
        self.kept[number] = partial(self._same, context)

    def _by_closure(self, number: int, context: Context) -> None:
        self.kept[number] = lambda: context

    def _by_method(self, number: int, context: Context) -> None:
        report = context.report
        self.kept[number] = lambda: report.__self__  # type: ignore[attr-defined]

    def _by_generator(self, number: int, context: Context) -> None:
        def holding() -> Any:
            mine = context
            yield
            yield mine

        holder = holding()
        next(holder)
        self.kept[number] = lambda: next(holder)

    def _by_frame(self, number: int, context: Context) -> None:
        frame = sys._getframe()
        self.kept[number] = lambda: frame.f_locals["context"]

    def _by_exception(self, number: int, context: Context) -> None:
        try:
            raise ValueError(context)
        except ValueError as error:
            self.objects.append(error)
            self.kept[number] = lambda error=error: error.args[0]  # type: ignore[misc]

    def _by_nothing(self, number: int, context: Context) -> None:
        assert context.agent is None

    @staticmethod
    def _same(context: Context) -> Context:
        return context


WAYS = [name for name in vars(Keeping) if name.startswith("_by_")]


@given(st.lists(st.sampled_from(WAYS) | st.none(), min_size=1, max_size=12))
def test_a_kept_context_stays_its_plugins(ways: list[str | None]) -> None:
    """However a plugin keeps its context, and whoever else does, a report through it names that plugin for good."""
    keeping = Keeping()
    plugins: list[object] = []
    for number, way in enumerate(ways):
        if way is None:
            plugins.append(Bare(lambda _: None))
        else:
            plugins.append(Taking(partial(getattr(keeping, way), number)))
    _, found, again = called(plugins)
    contexts = {number: context() for number, context in keeping.kept.items()}
    assert len(set(map(id, contexts.values()))) == len(contexts)
    again()
    for number, context in contexts.items():
        found.clear()
        context.report("FW001", "info", "late")
        assert named(found) == [number]


def test_a_report_from_a_thread_is_its_plugins() -> None:
    """A thread that reports while other plugins are being called speaks for the plugin that started it."""
    go, done = threading.Event(), threading.Event()

    def start(context: Context) -> None:
        def report() -> None:
            go.wait(10)
            context.report("FW001", "info", "late")
            done.set()

        threading.Thread(target=report, daemon=True).start()

    def let_go(context: Context) -> None:
        go.set()
        assert done.wait(10)

    _, found, _ = called([Taking(lambda context: None), Taking(start), Taking(let_go), Taking(lambda context: None)])
    assert named(found) == [1]


def test_what_a_plugin_does_to_its_context_ends_with_its_call() -> None:
    """Even a plugin that goes around the lock of its context changes nothing for the next."""

    def forge(context: Context) -> None:
        for name in ("_asked", "_provider"):
            object.__setattr__(context, name, None)

    def report(context: Context) -> str:
        context.report("FW001", "info", "mine")
        return str(context.variables["agent_name"])

    returned, found, _ = called([Taking(forge), Taking(report), Taking(forge), Taking(report)])
    assert returned == [None, "assistant", None, "assistant"]
    assert named(found) == [1, 3]


@pytest.mark.parametrize(
    "name", ["agent", "variables", "data", "settings", "memory", "skill_roots", "approved", "trusted_skills"]
)
def test_no_field_of_a_context_can_be_changed(name: str) -> None:
    """Setting or deleting a field raises, also through `object`, and the field stays as it was."""
    context = BUILDER.plan().context
    before = getattr(context, name)
    for change in (
        lambda: setattr(context, name, "other"),
        lambda: delattr(context, name),
        lambda: object.__setattr__(context, name, "other"),
    ):
        with pytest.raises(FrozenInstanceError, match=name):
            change()
    assert getattr(context, name) is before
    with pytest.raises(AttributeError):
        context.more = 1  # type: ignore[attr-defined]


# -- what goes wrong -----------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([None, ValueError, SystemExit, RecursionError]), max_size=12), st.booleans())
def test_whoever_raises_loses_only_its_own(raised: list[type[BaseException] | None], takes: bool) -> None:
    """Every plugin is called once whatever the others do, and each that raises is named once, in order."""
    times = [0] * len(raised)

    def hook(number: int, context: Context) -> int:
        times[number] += 1
        assert BUILDING.get()
        if (kind := raised[number]) is not None:
            raise kind("no")
        return number

    kind = Taking if takes else Bare
    returned, found, _ = called([kind(partial(hook, number)) for number in range(len(raised))])
    assert returned == [number if error is None else None for number, error in enumerate(raised)]
    assert times == [1] * len(raised)
    assert named(found) == [number for number, error in enumerate(raised) if error is not None]
    assert all(one.code == "FW033" and "in foreword_sections: no (" in one.message for one in found)
    assert not BUILDING.get()


def test_an_interrupt_ends_the_calls() -> None:
    """An interrupt in a hook is the operator's; after it a prompt can be built again."""

    def interrupted(context: Context) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        called([Taking(interrupted)])
    assert not BUILDING.get()


def test_only_a_slow_plugin_is_named_as_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of each call is its own: no call beside it is blamed, and raising excuses no one."""
    monkeypatch.setattr(plugin_calls, "SLOW", 0.2)

    def slow(context: Context) -> None:
        time.sleep(0.25)

    def slow_and_wrong(context: Context) -> None:
        time.sleep(0.25)
        raise ValueError("no")

    quick = [Taking(lambda context: None), Bare(lambda context: None)]
    _, found, _ = called([*quick, Taking(slow), *quick, Bare(slow_and_wrong), *quick])
    assert [(one.code, number) for one, number in zip(found, named(found), strict=True)] == [
        ("FW039", 2),
        ("FW033", 5),
        ("FW039", 5),
    ]


# -- names ---------------------------------------------------------------------------------------------

PARTS = st.sampled_from(["acme", "bolt", "main", "a", "Acme", "a-b", "a_b", ""])


@given(st.lists(st.tuples(PARTS, PARTS), max_size=8), PARTS, PARTS, st.booleans())
def test_a_name_means_what_a_look_at_every_plugin_finds(
    pairs: list[tuple[str, str]], first: str, second: str, both: bool
) -> None:
    """Looking names up in an index finds the plugins that fit one by one, in their order."""
    every = sorted({Provider(plugin_prefix(distribution), "1", entry) for distribution, entry in pairs})
    if both:
        name = f"{first}:{second}"
        fits = [p for p in every if p.distribution == plugin_prefix(first) and p.entry_point == second]
    else:
        name = first
        fits = [p for p in every if plugin_prefix(first) == p.distribution or p.entry_point == first]
    assert PluginNames(every).matches(name) == fits
