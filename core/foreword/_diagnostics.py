"""Diagnostics: what foreword has to say about a build, as data."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, NamedTuple

Severity = Literal["error", "warning", "info"]


class Place(NamedTuple):
    """Where something stands: a path as its owner wrote it, or a name such as ``code``, and a line.

    >>> str(Place("prompts/SAFETY.md", 3))
    'prompts/SAFETY.md:3'
    """

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


CODES: Final[dict[str, str]] = {
    "FW001": "configuration error",
    "FW002": "file cannot be read",
    "FW003": "not a regular file",
    "FW004": "not UTF-8 text",
    "FW005": "file too large",
    "FW006": "link refused",
    "FW007": "file name refused",
    "FW008": "entry not read",
    "FW009": "known name in another case",
    "FW010": "empty text",
    "FW011": "unknown front matter key",
    "FW012": "unregistered variable",
    "FW013": "front matter taken as text",
    "FW014": "front matter broken",
    "FW015": "front matter repaired",
    "FW016": "front matter key without effect",
    "FW017": "template failed",
    "FW018": "template mode refused",
    "FW019": "file reached twice",
    "FW020": "edit refused by policy",
    "FW021": "edits in conflict",
    "FW022": "edit without target",
    "FW023": "nothing to remove",
    "FW024": "moved into its window",
    "FW025": "title refused",
    "FW026": "stale: the text below has changed",
    "FW027": "orphan: nothing below",
    "FW028": "required section not in order",
    "FW029": "over a limit",
    "FW030": "plugin cannot be loaded",
    "FW031": "plugin refused",
    "FW032": "misspelt or unmarked hook",
    "FW033": "hook raised",
    "FW034": "hook returned something wrong",
    "FW035": "unknown plugin named",
    "FW036": "required plugin missing",
    "FW038": "variable refused",
    "FW039": "hook slow",
    "FW040": "no memory yet",
    "FW041": "memory of another agent",
    "FW042": "memory record damaged",
    "FW043": "waiting for approval",
    "FW050": "skill left out",
    "FW051": "skill taken leniently",
    "FW052": "skill shadowed",
    "FW053": "skill reached twice",
    "FW054": "plugin not trusted",
    "FW055": "skill not trusted",
    "FW060": "suspicious text",
    "FW061": "text neutralised",
}
"""Every code and what it stands for; a code never changes its meaning."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a stable code, a severity, one sentence, a place and a remedy.

    ``section`` and ``provider`` say what it concerns; ``traceback`` is that of a plugin that raised.

    >>> print(Diagnostic("FW012", "warning", "no variable 'agnt_name'", Place("prompts/SAFETY.md", 3)))
    FW012 warning prompts/SAFETY.md:3: no variable 'agnt_name'
    """

    code: str
    severity: Severity
    message: str
    place: Place | None = None
    remedy: str = ""
    section: str | None = None
    provider: str | None = None
    traceback: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        where = f" {self.place}" if self.place is not None else ""
        if self.place is not None and self.place.path == "code" and self.provider:
            where += f" ({self.provider})"
        remedy = f" ({self.remedy})" if self.remedy else ""
        return printable(f"{self.code} {self.severity}{where}: {self.message}{remedy}")


def is_sound(given: object) -> bool:
    """Return whether something is a diagnostic whose parts are what they should be; a stranger could make any."""
    if not isinstance(given, Diagnostic):
        return False
    part: Callable[[str], object] = partial(getattr, given)
    place = part("place")
    path, line = ("", None) if place is None else (getattr(place, "path", None), getattr(place, "line", None))
    return (
        part("severity") in ("error", "warning", "info")
        and all(isinstance(part(name), str) for name in ("code", "message", "remedy", "traceback"))
        and all(part(name) is None or isinstance(part(name), str) for name in ("section", "provider"))
        and (place is None or isinstance(place, Place))
        and isinstance(path, str)
        and (line is None or type(line) is int)
    )


def printable(text: str) -> str:
    r"""Return text on one line in which nothing that is not seen is raw: no control or format character, no odd space.

    >>> printable("a\x1b[31mb")
    'a\\u{1b}[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{{{ord(char):x}}}" if _is_hidden(char) else char for char in text
    )


def _is_hidden(char: str) -> bool:
    if char == "\u200d" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return True
    return char != " " and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
