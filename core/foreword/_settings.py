"""Settings: what the operator set down, as typed values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    Secret,
    SecretBytes,
    SecretStr,
    WrapSerializer,
)
from pydantic_core import PydanticCustomError

from ._diagnostics import Place
from ._errors import ConfigError
from ._layers import Layer
from ._model import Mode
from ._names import agent_name, check_id
from ._scan_rules import RULES
from ._setting_types import (
    AgentName,
    Listed,
    Namespace,
    NotBlank,
    PluginName,
    RootPath,
    SectionId,
    Window,
    is_table,
    kind_of,
    spelled,
)
from ._template import Value, nearest

_VARIABLE: Final = re.compile(r"(?:\w+\.)?[^\W\d]\w*", re.ASCII)


LARGEST: Final = 10**100
"""Whole numbers from here on cost too much to be written out."""


def check_variables(values: Mapping[str, object], whose: str) -> dict[str, Value]:
    """Return the variables that are given, each as plain text, number or boolean.

    Args:
        values: variables by name; None means "not given", and is left out.
        whose: who gave them, as a message names it: ``variables=``, ``--var``.

    Raises:
        ConfigError: a name or a value is none that a variable can have.

    >>> check_variables({"agent_name": "Ada", "channel": None}, "variables=")
    {'agent_name': 'Ada'}
    """
    checked: dict[str, Value] = {}
    for name, value in values.items():
        try:
            _variable_name(name)
            if value is not None:
                checked[str.__str__(name)] = _variable_value(value)
        except ValueError as error:
            raise ConfigError(f"{whose}: variable {name!r} {error}") from None
    return checked


def _variable_name(name: object) -> str:
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
        raise PydanticCustomError(
            "name",
            "is no name of a variable: letters, digits and '_', no digit first; a plugin's has one dot",
        )
    return name


def _variable_value(value: object) -> Value:
    # A subclass could give other characters later on; the plain value cannot.
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise PydanticCustomError("value", "holds half of a character (a lone surrogate)")
        return str.__str__(value)
    if isinstance(value, int):
        if abs(value) >= LARGEST:
            raise PydanticCustomError("value", "must be a number of at most 100 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PydanticCustomError("value", "must be a number that is finite")
        return float(value)
    if isinstance(value, (Secret, SecretStr, SecretBytes)):
        raise PydanticCustomError("value", "is a secret: a prompt must hold none")
    raise PydanticCustomError("value", "must be text, a number or true/false, not {kind}", {"kind": kind_of(value)})


def _scan_rule(name: str) -> str:
    if name not in RULES:
        near = nearest(name, RULES)
        hint = f"; did you mean {near!r}?" if near else ""
        raise PydanticCustomError("rule", "is no rule of the scanner{hint}", {"hint": hint})
    return name


def _flat(table: object) -> object:
    """Return the variables with those of a plugin's own table under their dotted names."""
    if not is_table(table):
        return table
    flat: dict[str, object] = {}
    for name, value in table.items():
        inner = {name: value}
        if is_table(value):
            inner = {f"{name}.{last}": one for last, one in value.items()}
        for full, one in inner.items():
            if full in flat:
                raise PydanticCustomError("twice", "is given twice", {"key": full})
            flat[full] = one
    return flat


# Settings are handed to plugins, and none may change them for the others.
Unchangeable = AfterValidator(MappingProxyType)
AsDict = WrapSerializer(lambda value, handler: handler(dict(value)))
ScanRule = Annotated[str, AfterValidator(_scan_rule)]
VariableName = Annotated[str, PlainValidator(_variable_name)]
VariableValue = Annotated[Value, PlainValidator(_variable_value)]
Variables = Annotated[Mapping[VariableName, VariableValue], BeforeValidator(_flat), Unchangeable, AsDict]
Roots = Annotated[tuple[RootPath, ...], Listed]
Layers = Annotated[tuple[Layer, ...], Listed]
PluginNames = Annotated[tuple[PluginName, ...], Listed]


class _Table(BaseModel):
    """One table of the configuration: nothing in it is guessed, converted or passed over."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True)


class MemorySettings(_Table):
    """Where an agent's memory lies, and how its copies of the templates are treated.

    ``path`` may hold ``{agent}``, which stands for the agent that is asked for.
    """

    path: RootPath | None = None
    namespace: Namespace = "souveraine_operations"
    untouched: Literal["follow", "keep"] = "follow"
    approval: bool = False


class SkillSettings(_Table):
    """Where skills lie, low to high, and how much of them the prompt holds."""

    roots: Roots = ()
    mode: Literal["list", "full"] = "list"
    pin: bool = False


class AgentSettings(_Table):
    """What holds for one agent only; what is None is as it is for every agent."""

    variables: Variables = Field(default_factory=dict[str, Value])
    memory: RootPath | None = None
    skills: Roots | None = None


class SectionPolicy(_Table):
    """Whether a section must be there, and who may do what to it."""

    required: bool = False
    editable_by: Layers | None = None
    others_may: Annotated[tuple[Mode, ...], Listed] = ()


class PluginSettings(_Table):
    """Which plugins are left out, which must be there, and the layers they are granted beside their own."""

    disable: PluginNames = ()
    require: PluginNames = ()
    pin: bool = False
    layers: Annotated[Mapping[PluginName, Layers], Unchangeable, AsDict] = Field(
        default_factory=dict[str, tuple[Layer, ...]]
    )


class FileSettings(_Table):
    """How large a file may be, how a change of it is noticed, and where links may lead to."""

    max_bytes: int = Field(default=262144, gt=0)
    validate_: Literal["stat", "content"] = Field(default="stat", alias="validate")
    link_roots: Roots = ()


Limit = Annotated[int, Field(gt=0)]
UntrustedTemplates = Annotated[tuple[Literal["names"], ...], Listed]


class LayerLimits(_Table):
    """How much one layer may contribute, in bytes and sections, and what its templates may do; None is no limit.

    ``sections`` counts those of each third party. A template uses only the ``variables`` that are named.
    """

    file: Limit | None = None
    section: Limit | None = None
    layer: Limit | None = None
    sections: Limit | None = None
    templates: Annotated[tuple[Literal["names", "jinja"], ...], Listed] = ("names", "jinja")
    variables: Annotated[tuple[VariableName, ...], Listed] | None = None


class UntrustedLimits(LayerLimits):
    """The limits of a layer that a third party or the agent writes; in it there is no mode ``jinja``."""

    layer: Limit | None = 1048576
    templates: UntrustedTemplates = ("names",)


class ExtensionLimits(UntrustedLimits):
    """The limits of third parties."""

    sections: Limit | None = 1000


class ScanSettings(_Table):
    """What the scanner's rules count for.

    ``severities`` changes that of a rule, or switches it ``off``. In an untrusted layer an error refuses the
    text: also a finding of a rule of ``refuse``, and none of a rule of ``keep``.
    """

    severities: Annotated[
        Mapping[ScanRule, Literal["error", "warning", "info", "off"]], Unchangeable, AsDict
    ] = Field(default_factory=dict[str, Literal["error", "warning", "info", "off"]])
    refuse: Annotated[tuple[ScanRule, ...], Listed] = ()
    keep: Annotated[tuple[ScanRule, ...], Listed] = ()


class LimitSettings(_Table):
    """How large the prompt, and what each layer gives to it, may become."""

    prompt: Limit | None = None
    extension: ExtensionLimits = Field(default_factory=ExtensionLimits)
    project: LayerLimits = Field(default_factory=LayerLimits)
    agent: LayerLimits = Field(default_factory=LayerLimits)
    memory: UntrustedLimits = Field(default_factory=UntrustedLimits)
    override: UntrustedLimits = Field(default_factory=UntrustedLimits)
    session: LayerLimits = Field(default_factory=LayerLimits)


SAFETY: Final = SectionPolicy(required=True, editable_by=("builtin", "project", "agent", "session"))
WINDOWS: Final[dict[Layer, tuple[int, int]]] = {
    "extension": (300, 999),
    "memory": (500, 999),
    "override": (500, 999),
}


def _sections(given: Mapping[str, SectionPolicy]) -> dict[str, SectionPolicy]:
    sections = spelled(check_id, given)
    safety = sections.get("safety", SAFETY)
    kept = {key: getattr(safety, key) for key in safety.model_fields_set}
    return {**sections, "safety": SAFETY.model_copy(update=kept)}


def _windows(given: Mapping[Layer, tuple[int, int]]) -> dict[Layer, tuple[int, int]]:
    return {**WINDOWS, **given}


def _by_agent(given: Mapping[str, AgentSettings]) -> dict[str, AgentSettings]:
    return spelled(agent_name, given)


def _by_section(given: Mapping[str, str]) -> dict[str, str]:
    return spelled(check_id, given)


class Settings(_Table):
    """The configuration in force: a ``foreword.toml``, the environment and the arguments of a call.

    Keys of ``sections`` and ``prefer`` are section ids in their one spelling. A part of the policy that
    the operator did not set has its default.
    """

    prompts_dir: RootPath | None = None
    layout: Literal["default", "xml"] = "default"
    memory: MemorySettings = Field(default_factory=MemorySettings)
    skills: SkillSettings = Field(default_factory=SkillSettings)
    variables: Variables = Field(default_factory=dict[str, Value])
    agents: Annotated[Mapping[AgentName, AgentSettings], AfterValidator(_by_agent), Unchangeable, AsDict] = Field(
        default_factory=dict[str, AgentSettings]
    )
    sections: Annotated[Mapping[SectionId, SectionPolicy], AfterValidator(_sections), Unchangeable, AsDict] = Field(
        default_factory=lambda: {"safety": SAFETY}
    )
    priorities: Annotated[Mapping[Layer, Window], AfterValidator(_windows), Unchangeable, AsDict] = Field(
        default_factory=lambda: dict(WINDOWS)
    )
    prefer: Annotated[Mapping[SectionId, NotBlank], AfterValidator(_by_section), Unchangeable, AsDict] = Field(
        default_factory=dict[str, str]
    )
    plugins: PluginSettings = Field(default_factory=PluginSettings)
    files: FileSettings = Field(default_factory=FileSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)
    scan: ScanSettings = Field(default_factory=ScanSettings)

    _source: str | None = PrivateAttr(default=None)
    _folder: str | None = PrivateAttr(default=None)
    _origins: dict[str, Place | str] = PrivateAttr(default_factory=dict[str, Place | str])

    @property
    def source(self) -> str | None:
        """The file that the settings come from, as its owner wrote it; None where there is none."""
        return self._source

    @property
    def folder(self) -> str | None:
        """The absolute path of the directory that the file lies in; None where there is none."""
        return self._folder

    def origin(self, key: str) -> Place | str | None:
        """Return where a key was set: a file and line, an argument or a variable of the environment.

        Args:
            key: the key as TOML writes it: ``memory.path``, ``sections."acme-citations.style".required``.
        """
        return self._origins.get(key)

    def with_origins(
        self, origins: Mapping[str, Place | str], source: str | None = None, folder: str | None = None
    ) -> Settings:
        """Return the same settings, knowing of these keys where they were set."""
        known = self.model_copy()
        known._origins = {**self._origins, **origins}
        known._source = source if source is not None else self._source
        known._folder = folder if folder is not None else self._folder
        return known
