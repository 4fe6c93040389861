"""The scanner: what in a text a person cannot see, or sees as something else.

It finds smuggling, not persuasion: a text without findings may still say anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from foreword.scan._findings import LIMIT, Finding, Findings, settled
from foreword.scan._rules import OFF, RULES, SEVERITIES, Rule
from foreword.scan._suspects import EVERYTHING, suspected

__all__ = ["LIMIT", "OFF", "RULES", "SEVERITIES", "Finding", "Rule", "scan", "scan_name"]

_DEFAULTS: Final[Mapping[str, str]] = MappingProxyType({})
_SHORT: Final = 200


def scan(text: str, *, severities: Mapping[str, str] = _DEFAULTS) -> tuple[Finding, ...]:
    """Scan the text of a section.

    Args:
        text: the text as decoded; a byte order mark at its beginning is no finding.
        severities: another severity, or ``off``, for rules by name.

    Returns:
        The findings in the order of the text. Of more than 50 the worst are told, and a last one counts the rest.

    Raises:
        ValueError: ``severities`` names no rule or no severity.
    """
    settled(severities)
    groups = suspected(text)
    if not groups:
        return ()
    findings = Findings(text, severities)
    _apply(text, groups, findings)
    return findings.finish()


def scan_name(name: str, *, severities: Mapping[str, str] = _DEFAULTS) -> tuple[Finding, ...]:
    """Scan an id, a title, a file name or a value of front matter: one line, in which a newline is a finding too.

    Args:
        name: the name as it is shown.
        severities: another severity, or ``off``, for rules by name.

    Returns:
        The findings, as ``scan`` gives them.

    Raises:
        ValueError: ``severities`` names no rule or no severity.
    """
    if severities:
        settled(severities)
    if name.isascii() and name.isprintable():
        # Shorter than that, only markup can be anything else than a name.
        doubtful = len(name) >= _SHORT or "<" in name or "]" in name
        if not doubtful or not suspected(name):
            return ()
    given = tuple(severities.items())
    return _remembered(name, given) if len(name) < _SHORT else _scan_name(name, given)


def scan_all(text: str, findings: Findings) -> None:
    """Apply every rule for texts, whatever is suspected."""
    _apply(text, EVERYTHING, findings)


def _apply(text: str, groups: int, findings: Findings) -> None:
    # Nearly no text needs the rules, so they are loaded only for one that does.
    from foreword.scan._every_rule import apply_rules

    apply_rules(text, groups, findings)


def _scan_name(name: str, severities: tuple[tuple[str, str], ...]) -> tuple[Finding, ...]:
    from foreword.scan._every_rule import apply_to_name

    findings = Findings(name, dict(severities))
    apply_to_name(name, findings)
    return findings.finish()


# The names of an agent's sections are the same in every build.
_remembered = lru_cache(maxsize=1_000)(_scan_name)
