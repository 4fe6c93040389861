"""The plugin manager: finds plugins, loads each by itself, and calls their hooks one by one."""

from __future__ import annotations

import difflib
import inspect
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pluggy

from foreword.config._settings import PluginSettings

from ._diagnostics import Diagnostic
from ._discovery import GROUP, Discovered, discover
from ._errors import ConfigError
from ._grants import granted_layers
from ._hook_shape import HOOKS, Implemented, unfit
from ._hookspecs import Hooks
from ._implementation import Calls, Implementation
from ._plugin_names import PluginNames
from ._provider import Provider


@dataclass(slots=True)
class Plugin:
    """A plugin as the listing shows it."""

    provider: Provider
    value: str
    layers: tuple[str, ...]
    status: Literal["active", "disabled", "failed"] = "active"
    reason: str = ""
    hooks: tuple[str, ...] = ()
    milliseconds: float = 0.0
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])


class Manager:
    """The plugins of one builder.

    Args:
        settings: which plugins are disabled, required, and which layers they are granted.
        third_party: whether plugins of other distributions are loaded.
        found: the entry points; by default those that are installed.
        pinned: the hash of each trusted distribution; None where plugins are not pinned.

    Raises:
        ConfigError: a name of the configuration fits several plugins, or a required plugin is disabled.
    """

    def __init__(
        self,
        settings: PluginSettings,
        *,
        third_party: bool = True,
        found: Sequence[Discovered] | None = None,
        pinned: Mapping[str, str] | None = None,
    ) -> None:
        everything = sorted(discover() if found is None else found, key=lambda item: item.provider)
        candidates = [item for item in everything if third_party or item.provider.first_party]
        self._settings = settings
        self._names = PluginNames([item.provider for item in candidates])
        self.diagnostics: list[Diagnostic] = []
        self.plugins: list[Plugin] = []
        self._by_provider: dict[Provider, Plugin] = {}
        self._given_up: set[Provider] = set()
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(Hooks)
        disabled = self._named("disable", settings.disable)
        self._required = self._named("require", settings.require)
        grants = self._grants(settings.layers)
        implementations: dict[str, list[Implementation]] = {name: [] for name in HOOKS}
        for provider in sorted(set(disabled) & set(self._required)):
            raise ConfigError(f"plugin {provider.name} is required, so it cannot be disabled as well")
        for item in candidates:
            layers = granted_layers(item.provider, grants.get(item.provider, ()))
            plugin = Plugin(item.provider, item.value, layers)
            self.plugins.append(plugin)
            self._by_provider.setdefault(item.provider, plugin)
            if item.provider in disabled:
                plugin.status = "disabled"
                plugin.reason = "disabled by the configuration"
            elif pinned is None or item.provider.first_party or self._is_trusted(item, plugin, pinned):
                self._load(item, plugin, implementations)
            self.diagnostics += plugin.diagnostics
        self._calls = {hook: Calls(every) for hook, every in implementations.items()}
        self._first_party = {
            hook: Calls(one for one in every if one.provider.first_party) for hook, every in implementations.items()
        }
        self._third_party = {
            hook: Calls(one for one in every if not one.provider.first_party)
            for hook, every in implementations.items()
        }
        hooks = ("foreword_sections", "foreword_variables", "foreword_skills")
        self.first_party_only: Final = not any(self._third_party[hook] for hook in hooks)
        """Whether no plugin of another distribution implements any hook that contributes."""

    def layers(self, provider: Provider) -> tuple[str, ...]:
        """Return the layers that are granted to a provider, low to high."""
        return self._by_provider[provider].layers

    def missing(self, broken: frozenset[Provider] = frozenset()) -> Iterator[Diagnostic]:
        """Yield a finding for every required plugin that is absent, failed, or raised in a hook."""
        for name in self._settings.require:
            matches = self._names.matches(name)
            if not matches or not all(self._is_active(one) and one not in broken for one in matches):
                state = "did not load" if matches else "is not installed"
                if not broken.isdisjoint(matches):
                    state = "did not work"
                yield Diagnostic(
                    "FW036",
                    "error",
                    f"the plugin {name!r} is required and {state}",
                    None,
                    f"install or mend it, or take it out of [plugins] require{self._names.hint(name)}",
                )

    def calls(self, hook: str) -> Calls:
        """Return the implementations of a hook, sorted by provider."""
        return self._calls[hook]

    def third_party_calls(self, hook: str) -> Calls:
        """Return the implementations of a hook by plugins that do not ship with foreword."""
        return self._third_party[hook]

    def first_party_calls(self, hook: str) -> Calls:
        """Return the implementations of a hook by the plugins that ship with foreword."""
        return self._first_party[hook]

    @property
    def timeout(self) -> float | None:
        """How many seconds a call of a third party's plugin is waited for; None is for ever."""
        return self._settings.timeout

    def is_given_up(self, provider: Provider) -> bool:
        """Return whether a plugin is not called any more, as a call of it did not end in time."""
        return provider in self._given_up

    def give_up(self, provider: Provider, what: str) -> Diagnostic:
        """Never call a plugin again, and return what is told of it now and in every later build."""
        plugin = self._by_provider[provider]
        if provider not in self._given_up:
            self._given_up.add(provider)
            self._refuse(plugin, "FW033", f"{what}; it is not called again")
            self.diagnostics.append(plugin.diagnostics[-1])
        return plugin.diagnostics[-1]

    def _is_active(self, provider: Provider) -> bool:
        return self._by_provider[provider].status == "active"

    # -- names of the configuration ----------------------------------------------------------------

    def _named(self, key: str, names: Sequence[str]) -> dict[Provider, str]:
        named: dict[Provider, str] = {}
        for name in names:
            matches = self._names.matches(name)
            if len({match.distribution for match in matches}) > 1:
                fits = ", ".join(sorted(match.name for match in matches))
                raise ConfigError(f"[plugins] {key}: {name!r} fits several plugins: {fits}")
            if not matches and key != "require":
                self.diagnostics.append(
                    Diagnostic(
                        "FW035",
                        "warning",
                        f"[plugins] {key} names {name!r}, and no such plugin is installed",
                        None,
                        f"check the name{self._names.hint(name)}",
                    )
                )
            named.update(dict.fromkeys(matches, name))
        return named

    def _grants(self, layers: Mapping[str, Sequence[str]]) -> dict[Provider, tuple[str, ...]]:
        granted: dict[Provider, tuple[str, ...]] = {}
        for name in sorted(layers):
            for provider in self._named("layers", [name]):
                granted[provider] = (*granted.get(provider, ()), *layers[name])
        return granted

    # -- loading -----------------------------------------------------------------------------------

    def _is_trusted(self, item: Discovered, plugin: Plugin, pinned: Mapping[str, str]) -> bool:
        """Compare a plugin with what the operator trusts, before anything of it is imported."""
        distribution = item.provider.distribution
        trusted = pinned.get(distribution)
        if trusted is not None and trusted == item.content_hash():
            return True
        why = "is not trusted yet" if trusted is None else "has changed since it was trusted"
        self._refuse(plugin, "FW054", f"{why}; plugins are pinned, so it is not loaded")
        return False

    def _load(
        self, item: Discovered, plugin: Plugin, implementations: Mapping[str, list[Implementation]]
    ) -> None:
        start = time.perf_counter()
        try:
            loaded = item.load()
            names = sorted(dir(loaded))
        except (Exception, SystemExit) as cause:
            self._refuse(plugin, "FW030", f"cannot be loaded: {first_line(cause)}", cause)
            return
        finally:
            plugin.milliseconds = (time.perf_counter() - start) * 1000
        if inspect.isclass(loaded):
            self._refuse(plugin, "FW031", f"names the class {loaded.__name__}; name a module or an instance")
            return
        hooks = self._implemented(loaded, names, plugin)
        if plugin.status == "failed":
            return
        if not hooks:
            plugin.status = "failed"
            if not plugin.diagnostics:
                self._problem(plugin, "FW031", "implements no hook; mark its functions with foreword.hookimpl")
            return
        try:
            # Only the hooks are registered: what else the plugin holds is not pluggy's to look at.
            self._manager.register(Implemented(hooks), name=item.provider.name)
        except Exception as cause:
            self._refuse(plugin, "FW031", f"cannot be registered: {first_line(cause)}", cause)
            return
        finally:
            # pluggy says whether a plugin fits; what it keeps makes it slower to say that of the next.
            if self._manager.has_plugin(item.provider.name):
                self._manager.unregister(name=item.provider.name)
        plugin.hooks = tuple(sorted(hooks))
        for hook, (function, arguments) in hooks.items():
            implementations[hook].append(Implementation(item.provider, function, arguments, plugin.layers))

    def _implemented(
        self, loaded: object, names: Sequence[str], plugin: Plugin
    ) -> dict[str, tuple[Callable[..., object], tuple[str, ...]]]:
        hooks: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {}
        for name in names:
            try:
                function: Any = getattr(loaded, name)
                options: dict[str, object] | None = getattr(function, f"{GROUP}_impl", None)
            except (Exception, SystemExit) as cause:
                # A property or a lazy name that raises is the plugin's own affair, unless it is a hook.
                if name in HOOKS:
                    self._refuse(plugin, "FW031", f"has {name}, which raises {first_line(cause)}", cause)
                continue
            if not isinstance(options, dict):
                if name in HOOKS and inspect.isroutine(function):
                    self._problem(plugin, "FW032", f"has {name}, which is not marked with foreword.hookimpl")
                continue
            hook = str(options.get("specname") or name)
            if hook not in HOOKS:
                near = difflib.get_close_matches(hook, sorted(HOOKS), 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self._problem(plugin, "FW032", f"implements the unknown hook {hook!r}{hint}")
                continue
            try:
                parameters = inspect.signature(function).parameters
                reason = unfit(hook, function, parameters, options)
            except (Exception, SystemExit) as cause:
                self._refuse(plugin, "FW031", f"has {name}, which raises {first_line(cause)}", cause)
                continue
            if reason is not None:
                self._refuse(plugin, "FW031", reason)
                continue
            if hook in hooks:
                self._refuse(plugin, "FW031", f"implements {hook} twice; one function implements a hook")
                continue
            hooks[hook] = (function, tuple(parameters))
        return hooks

    def _refuse(self, plugin: Plugin, code: str, what: str, cause: BaseException | None = None) -> None:
        plugin.status = "failed"
        self._problem(plugin, code, what, cause)

    def _problem(self, plugin: Plugin, code: str, what: str, cause: BaseException | None = None) -> None:
        plugin.reason = plugin.reason or what
        mend = f'mend it, or disable it: [plugins] disable = ["{plugin.provider.name}"]'
        plugin.diagnostics.append(
            Diagnostic(
                code,
                "error",
                f"plugin {plugin.provider} ({plugin.value}) {what}",
                None,
                "look at it, then: foreword trust" if code == "FW054" else mend,
                None,
                str(plugin.provider),
                "".join(traceback.format_exception(cause)) if cause is not None else "",
            )
        )


def first_line(cause: BaseException) -> str:
    """Return the kind of an exception and the first line of what it says.

    >>> first_line(ValueError("no such style\\nat all"))
    'ValueError: no such style'
    """
    try:
        lines = str(cause).strip().splitlines()
    except Exception:
        # An exception can be as broken as what raised it.
        lines = []
    return f"{type(cause).__name__}: {lines[0]}" if lines else type(cause).__name__
