"""The subject: whom a prompt is for, and what belongs to that agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from foreword.files._roots import Root
    from foreword.templates._names import Value


class Subject(NamedTuple):
    """The agent asked for, the variables of operator and call, its memory, its skills, and what is approved."""

    agent: str | None
    variables: Mapping[str, Value]
    memory: Root | None = None
    skill_roots: tuple[Root, ...] = ()
    approved: Mapping[str, str] | None = None
