"""The scanner: what in a text a person cannot see, or sees as something else.

It finds smuggling, not persuasion: a text without findings may still say anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from foreword.scan._characters import has_controls, scan_characters
from foreword.scan._code import Code
from foreword.scan._findings import LIMIT, Finding, Findings
from foreword.scan._markup import has_markup, scan_comments, scan_images, scan_tokens
from foreword.scan._rules import OFF, RULES, SEVERITIES, Rule
from foreword.scan._shape import base64_runs, far_away, long_lines, scan_base64, scan_shape
from foreword.scan._words import scan_confusable, scan_words

__all__ = ["LIMIT", "OFF", "RULES", "SEVERITIES", "Finding", "Rule", "scan", "scan_name"]

_DEFAULTS: Final[Mapping[str, str]] = MappingProxyType({})


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
    findings = Findings(text, severities)
    if not is_plain(text):
        scan_all(text, findings)
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
    findings = Findings(name, severities)
    if not is_plain(name) or "\n" in name or "\t" in name:
        scan_characters(name, findings, one_line=True)
        scan_words(name, findings)
        scan_confusable(name, findings)
        code = Code(name)
        scan_images(name, code, findings)
        scan_tokens(name, code, findings)
        scan_base64(name, findings)
    return findings.finish()


def is_plain(text: str) -> bool:
    """Whether there is nothing in a text that a rule looks at; in doubt there is."""
    return (
        text.isascii()
        and not has_controls(text)
        and not has_markup(text)
        and not any(True for _ in long_lines(text))
        and not any(True for _ in far_away(text))
        and not any(True for _ in base64_runs(text))
    )


def scan_all(text: str, findings: Findings) -> None:
    """Apply every rule for texts."""
    scan_characters(text, findings)
    scan_words(text, findings)
    code = Code(text)
    scan_comments(text, code, findings)
    scan_images(text, code, findings)
    scan_tokens(text, code, findings)
    scan_shape(text, findings)
    scan_base64(text, findings)
