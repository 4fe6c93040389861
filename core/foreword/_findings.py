"""Findings: the order in which diagnostics are told, and which of them make a strict build raise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ._diagnostics import Diagnostic
from ._errors import BuildError

STRICT = frozenset({"FW012", "FW051"})
"""Warnings that ``strict`` raises as well: unregistered variables, and what makes a skill no proper skill."""
_SEVERITIES = {"error": 0, "warning": 1, "info": 2}


def in_order(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    def key(diagnostic: Diagnostic) -> tuple[int, str, int, str, str, str, str, str]:
        place = diagnostic.place
        return (
            _SEVERITIES[diagnostic.severity],
            place.path if place is not None else "",
            (place.line or 0) if place is not None else 0,
            diagnostic.code,
            diagnostic.message,
            diagnostic.provider or "",
            diagnostic.section or "",
            diagnostic.remedy,
        )

    return tuple(sorted(found, key=key))


def raise_strictly(found: Sequence[Diagnostic]) -> None:
    raised = [item for item in found if item.severity == "error" or item.code in STRICT]
    if raised:
        raise ExceptionGroup("the prompt has errors", [_failure(item) for item in raised])


def _failure(item: Diagnostic) -> BuildError:
    failure = BuildError([item])
    if item.traceback:
        failure.add_note(item.traceback)
    return failure
