"""Settings: what the operator set down, as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
)

from foreword._diagnostics import Place
from foreword._layers import Layer
from foreword._model import Mode
from foreword._names import agent_name, check_id
from foreword.config._limits import LimitSettings, ScanSettings
from foreword.config._types import (
    AgentName,
    Listed,
    Namespace,
    NotBlank,
    PluginName,
    ReservedId,
    RootPath,
    SectionId,
    Table,
    Unchangeable,
    Window,
    nothing,
    spelled,
)
from foreword.config._variables import Variables

Roots = Annotated[tuple[RootPath, ...], Listed]
Layers = Annotated[tuple[Layer, ...], Listed]
PluginNames = Annotated[tuple[PluginName, ...], Listed]


class MemorySettings(Table):
    """Where an agent's memory lies, and how its copies of the templates are treated.

    ``path`` may hold ``{agent}``, which stands for the agent that is asked for.
    """

    path: RootPath | None = None
    namespace: Namespace = "souveraine_operations"
    untouched: Literal["follow", "keep"] = "follow"
    approval: bool = False


class SkillSettings(Table):
    """Where skills lie, low to high, and how much of them the prompt holds."""

    roots: Roots = ()
    mode: Literal["list", "full"] = "list"
    pin: bool = False


class AgentSettings(Table):
    """What holds for one agent only; what is None is as it is for every agent."""

    variables: Variables = Field(default_factory=nothing)
    memory: RootPath | None = None
    skills: Roots | None = None


class SectionPolicy(Table):
    """Whether a section must be there, and who may do what to it."""

    required: bool = False
    editable_by: Layers | None = None
    others_may: Annotated[tuple[Mode, ...], Listed] = ()


class PluginSettings(Table):
    """Which plugins are left out, which must be there, and the layers they are granted beside their own.

    ``timeout`` is how many seconds a call of a third party's plugin is waited for; None is for ever.
    """

    disable: PluginNames = ()
    require: PluginNames = ()
    pin: bool = False
    timeout: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] | None = None
    layers: Annotated[Mapping[PluginName, Layers], Unchangeable] = Field(default_factory=nothing)


class FileSettings(Table):
    """How large a file may be, how a change of it is noticed, and where links may lead to."""

    max_bytes: int = Field(default=262144, gt=0)
    validate_: Literal["stat", "content"] = Field(default="stat", alias="validate")
    link_roots: Roots = ()


SAFETY: Final = SectionPolicy.model_construct(required=True, editable_by=("builtin", "project", "agent", "session"))
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


class Settings(Table):
    """The configuration in force: a ``foreword.toml``, the environment and the arguments of a call.

    Keys of ``sections`` and ``prefer`` are section ids in their one spelling. A part of the policy that
    the operator did not set has its default. ``reserved`` holds ids, and with a final ``*`` beginnings of ids,
    that no untrusted layer may define.
    """

    prompts_dir: RootPath | None = None
    layout: Literal["default", "xml"] = "default"
    memory: MemorySettings = Field(default_factory=MemorySettings.model_construct)
    skills: SkillSettings = Field(default_factory=SkillSettings.model_construct)
    variables: Variables = Field(default_factory=nothing)
    agents: Annotated[Mapping[AgentName, AgentSettings], AfterValidator(_by_agent), Unchangeable] = Field(
        default_factory=nothing
    )
    sections: Annotated[Mapping[SectionId, SectionPolicy], AfterValidator(_sections), Unchangeable] = Field(
        default_factory=lambda: MappingProxyType({"safety": SAFETY})
    )
    priorities: Annotated[Mapping[Layer, Window], AfterValidator(_windows), Unchangeable] = Field(
        default_factory=lambda: MappingProxyType({**WINDOWS})
    )
    prefer: Annotated[Mapping[SectionId, NotBlank], AfterValidator(_by_section), Unchangeable] = Field(
        default_factory=nothing
    )
    reserved: Annotated[tuple[ReservedId, ...], Listed] = ()
    plugins: PluginSettings = Field(default_factory=PluginSettings.model_construct)
    files: FileSettings = Field(default_factory=FileSettings.model_construct)
    limits: LimitSettings = Field(default_factory=LimitSettings.model_construct)
    scan: ScanSettings = Field(default_factory=ScanSettings.model_construct)

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
