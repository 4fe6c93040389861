"""What always holds for the scanner, and for what any text may cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from foreword._diagnostics import printable
from foreword._names import NameRefused, check_id, title_key
from foreword._xml_layout import escape_body
from foreword.markdown._borders import neutralise
from foreword.markdown._front_matter import parse
from foreword.markdown._headings import headings, leading_heading
from foreword.scan._characters import scan_characters
from foreword.scan._code import Code
from foreword.scan._findings import Finding, Findings
from foreword.scan._markup import scan_images, scan_tokens
from foreword.scan._scan import LIMIT, RULES, scan, scan_all, scan_name
from foreword.scan._shape import scan_base64
from foreword.scan._words import scan_confusable, scan_words
from foreword.templates._names import render_names

SIZE = 128 * 1024
MOST_SECONDS = 2.0

SAMPLE = 8 * 1024
"""What is tried first: a cost that grows with the square of the length and is too much shows already."""

SUSPICIOUS_SECONDS = 0.015


def scanner(text: str) -> None:
    """Any text and any name can be scanned; the quick way out finds what the long way finds."""
    findings = Findings(text, {})
    scan_all(text, findings)
    found = scan(text)
    assert found == findings.finish()
    _checked(text, found)
    name = text[:300]
    findings = Findings(name, {})
    scan_characters(name, findings, one_line=True)
    scan_words(name, findings)
    scan_confusable(name, findings)
    code = Code(name)
    scan_images(name, code, findings)
    scan_tokens(name, code, findings)
    scan_base64(name, findings)
    found = scan_name(name)
    assert found == findings.finish()
    _checked(name, found)


def _checked(text: str, found: tuple[Finding, ...]) -> None:
    lines = text.split("\n")
    places = [(one.line, one.column) for one in found]
    assert len(found) <= LIMIT + 1
    assert places[:LIMIT] == sorted(places[:LIMIT])
    for one in found:
        assert one.rule in RULES
        assert one.severity == RULES[one.rule].severity
        assert one.column <= len(lines[one.line])
        assert one.message
        for told in (one.message, one.decoded or ""):
            assert told == printable(told), one
    off = dict.fromkeys(RULES, "off")
    assert scan(text, severities=off) == ()


def _id(text: str) -> None:
    with suppress(NameRefused):
        check_id(text)


WORK: tuple[Callable[[str], object], ...] = (
    scan,
    scan_name,
    lambda text: parse(text, "x.md"),
    lambda text: render_names(text, {"a": "b"}),
    lambda text: neutralise(text.strip(), title="Title"),
    escape_body,
    title_key,
    _id,
    leading_heading,
    headings,
)


def costs(text: str) -> None:
    """A piece of any text, again and again, is dealt with in a time that its length explains."""
    if len(text) < 2:
        return
    work = WORK[ord(text[0]) % len(WORK)]
    if _seconds(work, text[1:], SAMPLE) > SUSPICIOUS_SECONDS:
        # CommonMark's parser is quadratic in places; what strangers write never reaches it at full length.
        size = SIZE // 16 if work in (headings, leading_heading) else SIZE
        assert _seconds(work, text[1:], size) < MOST_SECONDS, "hang"


def _seconds(work: Callable[[str], object], piece: str, size: int) -> float:
    large = (piece * (size // len(piece) + 1))[:size]
    started = time.process_time()
    work(large)
    return time.process_time() - started
