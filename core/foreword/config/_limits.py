"""Settings of limits and of the scanner: how much a layer may give, and what a suspicious text counts for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from foreword.config._types import Listed, Table, Unchangeable, nothing
from foreword.config._variables import VariableName
from foreword.scan._rules import RULES
from foreword.templates._names import nearest


def _scan_rule(name: str) -> str:
    if name not in RULES:
        near = nearest(name, RULES)
        hint = f"; did you mean {near!r}?" if near else ""
        raise PydanticCustomError("rule", "is no rule of the scanner{hint}", {"hint": hint})
    return name


ScanRule = Annotated[str, AfterValidator(_scan_rule)]
Limit = Annotated[int, Field(gt=0)]


class AnyLimits(Table):
    """How much one layer may contribute, in bytes, and which variables its templates may use; None is no limit."""

    file: Limit | None = None
    section: Limit | None = None
    layer: Limit | None = None
    variables: Annotated[tuple[VariableName, ...], Listed] | None = None


class LayerLimits(AnyLimits):
    """The limits of a layer that the operator writes."""

    templates: Annotated[tuple[Literal["names", "jinja"], ...], Listed] = ("names", "jinja")


class UntrustedLimits(AnyLimits):
    """The limits of a layer that a third party or the agent writes; in it there is no mode ``jinja``."""

    layer: Limit | None = 1048576
    templates: Annotated[tuple[Literal["names"], ...], Listed] = ("names",)


class ExtensionLimits(UntrustedLimits):
    """The limits of third parties; ``sections`` counts those of each."""

    sections: Limit | None = 1000


class ScanSettings(Table):
    """What the scanner's rules count for.

    ``severities`` changes that of a rule, or switches it ``off``. In an untrusted layer an error refuses the
    text: also a finding of a rule of ``refuse``, and none of a rule of ``keep``.
    """

    severities: Annotated[
        Mapping[ScanRule, Literal["error", "warning", "info", "off"]], Unchangeable
    ] = Field(default_factory=nothing)
    refuse: Annotated[tuple[ScanRule, ...], Listed] = ()
    keep: Annotated[tuple[ScanRule, ...], Listed] = ()


class LimitSettings(Table):
    """How large the prompt, and what each layer gives to it, may become."""

    prompt: Limit | None = None
    extension: ExtensionLimits = Field(default_factory=ExtensionLimits.model_construct)
    project: LayerLimits = Field(default_factory=LayerLimits.model_construct)
    agent: LayerLimits = Field(default_factory=LayerLimits.model_construct)
    memory: UntrustedLimits = Field(default_factory=UntrustedLimits.model_construct)
    override: UntrustedLimits = Field(default_factory=UntrustedLimits.model_construct)
    session: LayerLimits = Field(default_factory=LayerLimits.model_construct)
