"""Screening: each edit is scanned, and an untrusted one is kept inside its section, before resolution."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from foreword.markdown._borders import neutralise
from foreword.scan._scan import Finding, scan, scan_name

from ._diagnostics import Severity

if TYPE_CHECKING:
    from foreword.config._settings import Settings

_ONE_LOWER: Mapping[str, Severity | None] = {"error": "warning", "warning": "info", "info": None}


class Screened(NamedTuple):
    """One thing that the screen found: what to say, in which line of the text, and whether it refuses the edit."""

    code: Literal["FW060", "FW061"]
    severity: Severity
    message: str
    line: int | None
    refuses: bool = False


class Screen(NamedTuple):
    """How texts are scanned and neutralised: what the operator set, and the layout of the prompt."""

    layout: Literal["default", "xml"] = "default"
    severities: Mapping[str, str] = MappingProxyType({})
    refuse: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()

    @classmethod
    def from_settings(cls, settings: Settings) -> Screen:
        """Return the screen that the settings ask for."""
        scan = settings.scan
        return cls(settings.layout, scan.severities, frozenset(scan.refuse), frozenset(scan.keep))

    def scanned(self, text: str, names: Mapping[str, str], *, trusted: bool) -> list[Screened]:
        """Return what a text and the names that come with it hold that a person does not see.

        Args:
            text: the text before rendering.
            names: what else counts as text, by what it is called: id, title, heading, file name, description.
            trusted: whether the operator answers for the text; then nothing is refused, and all counts less.
        """
        told: list[Screened] = []
        for finding in scan(text, severities=self.severities) if text else ():
            self._tell(told, finding, "", finding.line, trusted)
        seen: set[str] = set()
        for what, name in names.items():
            if name not in seen:
                seen.add(name)
                for finding in scan_name(name, severities=self.severities):
                    self._tell(told, finding, f" in its {what}", None, trusted)
        return told

    def neutralised(
        self, text: str, title: str | None
    ) -> tuple[str, tuple[int, ...] | None, list[Screened]]:
        """Return an untrusted text that stays inside its section, the origin of its lines, and what was done.

        Args:
            text: the rendered text.
            title: the title that the edit gives, which its first heading may repeat.
        """
        if self.layout == "xml":
            from ._xml_layout import escape_body

            _, count = escape_body(text)
            done = [Screened("FW061", "info", f"{count} tags of the layout are escaped", None)] if count else []
            return text, None, done
        result = neutralise(text, title=title)
        done = [Screened("FW061", "info", note.message, note.line) for note in result.notes]
        return result.text, result.lines, done

    def _tell(self, told: list[Screened], finding: Finding, where: str, line: int | None, trusted: bool) -> None:
        severity = _ONE_LOWER[finding.severity] if trusted and finding.rule != "nul" else finding.severity
        if severity is None:
            return
        refuses = not trusted and finding.rule not in self.keep
        refuses = refuses and (finding.severity == "error" or finding.rule in self.refuse)
        at = "" if line is None else f" at column {finding.column + 1}"
        message = f"{finding.message}{where}{at} [{finding.rule}]"
        refused = refuses or finding.rule == "nul"
        told.append(Screened("FW060", "error" if refuses else severity, message, line, refused))
