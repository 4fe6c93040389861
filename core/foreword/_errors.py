"""The exceptions that foreword raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._diagnostics import Diagnostic, Place
    from ._prompt import Prompt


class ForewordError(Exception):
    """The base of every exception that foreword raises itself."""


class ConfigError(ForewordError):
    """Something that the operator or the caller gave cannot be used as it stands.

    The message is one sentence; ``place`` says in which file and line, where there is one.
    """

    code = "FW001"

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place is not None else self.message


class BuildError(ForewordError):
    """A prompt could not be built because the policy requires something that is not in order.

    ``prompt`` is what there is of the prompt, to be explained and not to be used; ``diagnostics`` are the
    findings for which it was raised.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], prompt: Prompt | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        self.prompt = prompt
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))


class ForewordWarning(UserWarning):
    """An error of a build, warned about because nobody asked for diagnostics."""


class UnknownSection(ForewordError, KeyError):
    """A section was asked for that neither is in the prompt nor was tried."""

    def __str__(self) -> str:
        return str(self.args[0])
