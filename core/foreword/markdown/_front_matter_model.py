"""The model of front matter: its keys, and what their values may be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from foreword._errors import ConfigError
from foreword._names import agent_name, check_id, clean_title

TRUE: Final = frozenset({"true", "yes", "on", "1"})
"""The words that mean true, in any case."""

FALSE: Final = frozenset({"false", "no", "off", "0"})
"""The words that mean false, in any case."""

Mode = Literal["define", "replace", "remove", "patch", "prepend", "append", "move"]
Template = Literal["names", "jinja"]

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,9}")
_FARTHEST: Final = 9999


def whole_number(value: object) -> int:
    """Return the whole number that a value stands for.

    Raises:
        ValueError: it stands for none, or for one that is out of reach.
    """
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _FARTHEST:
        return value
    raise ValueError("no whole number within reach")


def truth(value: object) -> bool:
    """Return whether a value means true.

    Raises:
        ValueError: it means neither true nor false.
    """
    word = str(value).lower()
    if word in TRUE or word in FALSE:
        return word in TRUE
    raise ValueError("neither true nor false")


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _agent(name: str) -> str:
    try:
        return agent_name(name)
    except ConfigError as error:
        raise ValueError(str(error)) from error


# Memories and skills give these keys to their own programs: a strange value of theirs is no error here.
def _loose_items(value: object) -> tuple[str, ...]:
    items = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    return tuple(str(item) for item in items if isinstance(item, str | int | float))


def _loose_text(value: object) -> str:
    return ", ".join(_loose_items(value))


def _loose_words(value: object) -> str:
    return " ".join(_loose_items(value))


def loose_number(value: object) -> int | None:
    """Return the whole number that a value stands for, None where it stands for none."""
    return int(str(value)) if _WHOLE.fullmatch(str(value)) else None


def _loose_mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


_Agents = Annotated[tuple[Annotated[str, AfterValidator(_agent)], ...], BeforeValidator(_one_or_more)]
_LooseText = Annotated[str, BeforeValidator(_loose_text)]
_LooseWords = Annotated[str, BeforeValidator(_loose_words)]
_Line = Annotated[str, AfterValidator(clean_title)]


class When(BaseModel):
    """The condition of an edit: the agents and the values of variables that it is for."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    agents: _Agents = ()
    variables: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)

    def holds(self, agent: str | None, variables: Mapping[str, str | int | float | bool]) -> bool:
        """Return whether the edit counts for this agent and these variables.

        Args:
            agent: The agent that is asked for, if any.
            variables: The registered variables; one that is missing equals nothing.
        """
        if "agents" in self.model_fields_set and agent not in self.agents:
            return False
        return all(
            name in variables and any(_equals(text, variables[name]) for text in _texts(wanted))
            for name, wanted in self.variables.items()
        )


class FrontMatter(BaseModel):
    """What a file says about itself; ``model_fields_set`` tells what it really says."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: Annotated[str, AfterValidator(check_id)] | None = None
    title: _Line | None = None
    priority: Annotated[int, BeforeValidator(whole_number)] | None = None
    mode: Mode | None = None
    heading: _Line | None = None
    template: Template | None = None
    when: When | None = None
    description: str | None = None
    read_only: Annotated[bool, BeforeValidator(truth)] = False

    name: str | None = None
    tags: Annotated[tuple[str, ...], BeforeValidator(_loose_items)] = ()
    limit: Annotated[int | None, BeforeValidator(loose_number)] = None
    metadata: Annotated[dict[str, Any], BeforeValidator(_loose_mapping)] = Field(default_factory=dict)

    license: _LooseText = ""
    compatibility: _LooseText = ""
    when_to_use: _LooseText = ""
    tools: _LooseWords = ""
    allowed_tools: Annotated[_LooseWords, Field(alias="allowed-tools")] = ""

    @property
    def given(self) -> frozenset[str]:
        """The keys that the file gives a value, by the names of the attributes."""
        return frozenset(self.model_fields_set)


EMPTY: Final = FrontMatter.model_construct()
"""The front matter of a file that has none."""

KEYS: Final = frozenset(field.alias or name for name, field in FrontMatter.model_fields.items())
"""Every known key, as it is written."""

WHEN_KEYS: Final = frozenset(When.model_fields)
"""Every key that a condition may have."""

EXPECTED: Final[dict[str, tuple[str, str]]] = {
    "id": ("an id", "write it like 'safety' or 'acme-citations.style'"),
    "title": ("text", "write one line of text"),
    "priority": (f"a whole number from -{_FARTHEST} to {_FARTHEST}", "write it like 300"),
    "mode": (
        "one of define, replace, remove, patch, prepend, append, move",
        "write one of these, or leave the key out",
    ),
    "heading": ("text", "write the text of the heading"),
    "template": ("one of names, jinja", "write one of these, or leave the key out"),
    "when": ("a condition", "write it like {agents: [operator], variables: {channel: slack}}"),
    "when.agents": ("a list of agents", "write it like [operator, planner]"),
    "when.variables": ("a mapping of variables to texts", "write it like {channel: [slack, mail]}"),
    "description": ("text", "put it in quotes"),
    "name": ("text", "put it in quotes"),
    "read_only": ("true or false", "write true or false"),
}
"""What the value of a key has to be, and how to put it right."""


def _texts(wanted: str | tuple[str, ...]) -> tuple[str, ...]:
    return (wanted,) if isinstance(wanted, str) else wanted


def _equals(text: str, value: str | float | bool) -> bool:
    if isinstance(value, bool):
        return text.lower() in (TRUE if value else FALSE)
    return text == str(value)
