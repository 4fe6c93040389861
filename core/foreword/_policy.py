"""The policy: what the operator allows, whichever layer an edit comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ._layers import LAYERS, OPERATOR, UNTRUSTED
from ._names import id_key

if TYPE_CHECKING:
    from foreword.config._limits import LayerLimits, UntrustedLimits
    from foreword.config._settings import Settings


class SectionRule(NamedTuple):
    """What the policy says about one section.

    ``editable_by`` holds the layers that may edit it, None where the operator set none;
    ``others_may`` holds the modes that every other layer may use.
    """

    required: bool = False
    editable_by: frozenset[str] | None = None
    others_may: frozenset[str] = frozenset()


class LayerRule(NamedTuple):
    """What the policy says about one layer: limits in bytes and sections, template modes, variables."""

    file: int | None = None
    section: int | None = None
    layer: int | None = None
    sections: int | None = None
    templates: frozenset[str] = frozenset({"names", "jinja"})
    variables: frozenset[str] | None = None


NO_RULE: Final = SectionRule()
NO_LIMITS: Final = LayerRule()


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's rules: for sections, for the windows of layers, and whom to prefer in a conflict.

    The keys of ``sections`` and ``prefer`` are section ids as `_names.id_key` gives them.
    """

    sections: Mapping[str, SectionRule] = field(default_factory=dict[str, SectionRule])
    windows: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    prefer: Mapping[str, str] = field(default_factory=dict[str, str])
    layers: Mapping[str, LayerRule] = field(default_factory=dict[str, LayerRule])
    prompt: int | None = None
    reserved: tuple[str, ...] = ()
    locks: frozenset[str] = field(init=False, repr=False, compare=False)
    """The keys of the sections that no third party and no agent may edit."""
    limited: frozenset[str] = field(init=False, repr=False, compare=False)
    """The layers whose texts may have only so many bytes together."""
    choosy: frozenset[str] = field(init=False, repr=False, compare=False)
    """The layers in which only some variables may stand."""
    uncounted: frozenset[str] = field(init=False, repr=False, compare=False)
    """The operator's layers whose texts need not be counted."""
    free: frozenset[str] = field(init=False, repr=False, compare=False)
    """Those of them of whose ordinary edits there is nothing to say, whichever section they are of."""
    _required: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = sorted(self.sections.items())
        locks = (id for id, rule in rules if rule.editable_by is not None and rule.editable_by.isdisjoint(UNTRUSTED))
        object.__setattr__(self, "locks", frozenset(locks))
        limited = frozenset(layer for layer, rule in self.layers.items() if rule.layer is not None)
        object.__setattr__(self, "limited", limited)
        choosy = frozenset(layer for layer, rule in self.layers.items() if rule.variables is not None)
        object.__setattr__(self, "choosy", choosy)
        uncounted = OPERATOR - limited if self.prompt is None else frozenset[str]()
        object.__setattr__(self, "uncounted", uncounted)
        closed = [uncounted - rule.editable_by for _, rule in rules if rule.editable_by is not None]
        object.__setattr__(self, "free", uncounted.difference(self.windows, *closed))
        object.__setattr__(self, "_required", tuple(id for id, rule in rules if rule.required))

    @classmethod
    def from_settings(cls, settings: Settings) -> Policy:
        """Return the policy that the settings set down."""
        return cls(
            sections={
                id_key(id): SectionRule(
                    given.required,
                    None if given.editable_by is None else frozenset(given.editable_by),
                    frozenset(given.others_may),
                )
                for id, given in settings.sections.items()
            },
            windows=dict[str, tuple[int, int]](settings.priorities.items()),
            prefer={id_key(id): preferred for id, preferred in settings.prefer.items()},
            layers={layer: _layer_rule(getattr(settings.limits, layer)) for layer in LAYERS if layer != "builtin"},
            prompt=settings.limits.prompt,
            reserved=tuple(id_key(pattern) for pattern in settings.reserved),
        )

    def limits(self, layer: str) -> LayerRule:
        """Return what the policy says about the layer."""
        return self.layers.get(layer, NO_LIMITS)

    def rule(self, id: str) -> SectionRule:
        """Return what the policy says about the section."""
        return self.sections.get(id_key(id), NO_RULE)

    def locked(self, id: str) -> bool:
        """Return whether no third party and no agent is among those who may edit the section."""
        return id_key(id) in self.locks

    def required(self) -> tuple[str, ...]:
        """Return the ids of the required sections, sorted."""
        return self._required

    def preferred(self, id: str) -> str | None:
        """Return the provider or file that the operator prefers in a conflict over the section."""
        return self.prefer.get(id_key(id))

    def _reserving(self, id: str) -> str | None:
        """Return the pattern that reserves the id for operator layers, if any."""
        if not self.reserved:
            return None
        key = id_key(id)
        return next(
            (p for p in self.reserved if key == p or (p.endswith("*") and key.startswith(p[:-1]))),
            None,
        )

    def window(self, layer: str) -> tuple[int, int] | None:
        """Return the lowest and the highest priority that the layer may take."""
        return self.windows.get(layer)

    def allows(self, id: str, layer: str, mode: str, *, own: bool = False, prefix: str = "") -> str | None:
        """Return None when the policy allows the edit, else the reason why not.

        Args:
            id: the section.
            layer: the layer of the edit.
            mode: its mode; ``plain`` is an edit of which it is not known whether it defines or replaces.
            own: whether the section is one that the provider may define in layer ``extension``.
            prefix: what the ids of such sections begin with, for the reason.
        """
        rule = self.rule(id)
        if (rule.editable_by is not None and layer in rule.editable_by) or _others_may(rule, mode):
            return None
        if rule.editable_by is not None:
            return _locked_reason(id, rule.editable_by)
        if layer in UNTRUSTED and mode in ("plain", "define") and (pattern := self._reserving(id)) is not None:
            return f"the operator reserves {id!r} (reserved = [{pattern!r}]), so layer {layer} may not define it"
        if layer != "extension" or (own and mode in ("plain", "define")):
            return None
        if own:
            return f"in layer extension a plugin only defines sections: no {mode} of {id!r}"
        begin = repr(prefix) if prefix else "its distribution's name and a dot"
        return f"in layer extension a plugin defines only ids that begin with {begin}"


def _layer_rule(given: LayerLimits | UntrustedLimits) -> LayerRule:
    return LayerRule(
        given.file,
        given.section,
        given.layer,
        getattr(given, "sections", None),
        frozenset(given.templates),
        None if given.variables is None else frozenset(given.variables),
    )


def _others_may(rule: SectionRule, mode: str) -> bool:
    return mode in rule.others_may or (mode == "plain" and rule.others_may >= {"define", "replace"})


def _locked_reason(id: str, editable_by: frozenset[str]) -> str:
    layers = ", ".join(layer for layer in LAYERS if layer in editable_by)
    who = f"only {layers}" if layers else "no layer"
    return f"the policy lets {who} edit {id!r} ([{dotted('sections', id)}] editable_by)"


DEFAULT_POLICY: Final = Policy(
    sections={"safety": SectionRule(required=True, editable_by=frozenset({"builtin", "project", "agent", "session"}))},
    windows={"extension": (300, 999), "memory": (500, 999), "override": (500, 999)},
    layers={
        "extension": LayerRule(layer=1048576, sections=1000, templates=frozenset({"names"})),
        "project": NO_LIMITS,
        "agent": NO_LIMITS,
        "memory": LayerRule(layer=1048576, templates=frozenset({"names"})),
        "override": LayerRule(layer=1048576, templates=frozenset({"names"})),
        "session": NO_LIMITS,
    },
)
"""The policy where the operator set nothing."""


class PolicyRow(NamedTuple):
    """One line of what is allowed: the key of the configuration, its value, and who set it."""

    key: str
    value: str
    origin: str


def describe(policy: Policy, settings: Settings) -> list[PolicyRow]:
    """Return everything that the operator allows, one row a key, values as TOML writes them.

    Args:
        policy: the policy in effect.
        settings: where it comes from; it says which keys were set, and holds what limits files and plugins.
    """
    values: dict[str, object] = {}
    for id, rule in sorted(policy.sections.items()):
        editable_by = rule.editable_by if rule.editable_by is not None else set(LAYERS) - {"extension"}
        values[dotted("sections", id, "required")] = rule.required
        values[dotted("sections", id, "editable_by")] = [layer for layer in LAYERS if layer in editable_by]
        values[dotted("sections", id, "others_may")] = sorted(rule.others_may)
    for layer in LAYERS:
        if (window := policy.window(layer)) is not None:
            values[dotted("priorities", layer)] = list(window)
    for id, preferred in sorted(policy.prefer.items()):
        values[dotted("prefer", id)] = preferred
    if policy.reserved:
        values["reserved"] = list(settings.reserved)
    plugins, files, scan = settings.plugins, settings.files, settings.scan
    values["plugins.disable"] = list(plugins.disable)
    values["plugins.require"] = list(plugins.require)
    for name, layers in sorted(plugins.layers.items()):
        values[dotted("plugins", "layers", name)] = list(layers)
    values["plugins.pin"] = plugins.pin
    if plugins.timeout is not None:
        values["plugins.timeout"] = plugins.timeout
    values["skills.pin"] = settings.skills.pin
    values["memory.approval"] = settings.memory.approval
    if policy.prompt is not None:
        values["limits.prompt"] = policy.prompt
    for limited, limits in policy.layers.items():
        for key, value in limits._asdict().items():
            if value is not None and value != getattr(NO_LIMITS, key):
                values[dotted("limits", limited, key)] = _listed(value)
    for rule_name, severity in sorted(scan.severities.items()):
        values[dotted("scan", "severities", rule_name)] = severity
    for key, rules in (("refuse", scan.refuse), ("keep", scan.keep)):
        if rules:
            values[dotted("scan", key)] = list(rules)
    values["files.max_bytes"] = files.max_bytes
    values["files.link_roots"] = [link_root.written for link_root in files.link_roots]
    return [
        PolicyRow(key, json.dumps(value, ensure_ascii=False), str(settings.origin(key) or "default"))
        for key, value in values.items()
    ]


def _listed(value: object) -> object:
    return sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value


def dotted(*parts: str) -> str:
    """Return the key of the configuration as TOML writes it.

    >>> dotted("sections", "acme-citations.style", "required")
    'sections."acme-citations.style".required'
    """
    return ".".join(
        part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(part, ensure_ascii=False) for part in parts
    )
