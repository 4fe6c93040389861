"""The scanner's rules for single characters: those that are not seen, or change what is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from foreword import _scan_payloads as payloads
from foreword._scan_bidi import scan_directions
from foreword._scan_classes import BRAILLE, CANDIDATE, FLAGS, JAMO, RUN, Kind, kind_of
from foreword._scan_findings import BUDGET, Described, Findings, code_point, named, shown

DENSE_COUNT: Final = 16
DENSE_SPAN: Final = 1_000

_TAG_GAP = 4
_SELECTOR_GAP = 16
_SPELLING = 4
_STRING_TERMINATOR = re.compile(r"\x07|\x1b|\n")
_CONCEAL = re.compile(r"\x1b\[(?:[0-9:]*;)*0?8(?:;[0-9:;]*)?m")

Span = tuple[int, int]

_SIMPLE: Final[dict[Kind, tuple[str, str]]] = {
    "plane-14": ("plane-14", "an unassigned, invisible character"),
    "soft-hyphen": ("soft-hyphen", "a soft hyphen"),
    "line-separator": ("line-separator", "a line or paragraph separator"),
    "private-use": ("private-use", "a private use character"),
    "replacement": ("replacement-character", "a replacement character: the text was once decoded wrongly"),
    "nul": ("nul", "a NUL character"),
    "control": ("control", "a control character"),
}


def scan_characters(text: str, findings: Findings, *, one_line: bool = False) -> None:
    """Look at every character of a suspicious kind that its neighbours do not explain."""
    for flag in FLAGS:
        text = text.replace(flag, flag[0] * len(flag))
    start = 1 if text.startswith("\ufeff") and not one_line else 0
    spots = [match.start() for match in islice(CANDIDATE.finditer(text, start), BUDGET + 1)]
    if one_line:
        spots = sorted({*spots, *(match.start() for match in re.finditer(r"[\t\n\r]", text))})
    if not spots:
        return
    if len(spots) > BUDGET:
        findings.add("too-many", spots.pop(), partial(_too_many, BUDGET))
    places: dict[Kind, list[int]] = {}
    kinds: dict[str, Kind] = {"\t": "control", "\n": "control"}
    for spot in spots:
        char = text[spot]
        kind = kinds.get(char) or kinds.setdefault(char, kind_of(char))
        places.setdefault(kind, []).append(spot)
    if not places.keys().isdisjoint({"zero-width", "joiner", "mark", "soft-hyphen", "free-selector", "invisible"}):
        _runs(text, places, findings, spots[-1] + 1)
    for kind, (rule, what) in _SIMPLE.items():
        for begin, end in _spans(places.get(kind, [])):
            findings.add(rule, begin, partial(_describe, text, begin, end, what))
    _tags(text, places.get("tag", []), findings)
    _selectors(text, places.get("selector", []), findings)
    _zero_width(text, places, findings)
    _invisible(text, places.get("invisible", []), findings)
    _escapes(text, places.get("escape", []), findings)
    scan_directions(text, places, findings)


def _spans(spots: list[int], gap: int = 0) -> Iterator[Span]:
    # The places are in order; those with at most `gap` characters between them are one span.
    begin = end = -1
    for spot in spots:
        if end >= 0 and spot - end <= gap:
            end = spot + 1
            continue
        if end >= 0:
            yield begin, end
        begin, end = spot, spot + 1
    if end >= 0:
        yield begin, end


def _runs(text: str, places: dict[Kind, list[int]], findings: Findings, limit: int) -> None:
    runs = [match.span() for match in islice(RUN.finditer(text, 0, limit), BUDGET)]
    for begin, end in runs:
        findings.add("zero-width-run", begin, partial(_describe_bits, text[begin:end], end - begin))
    if not runs:
        return
    for kind, spots in places.items():
        if kind in ("zero-width", "joiner", "mark", "soft-hyphen", "free-selector", "invisible"):
            places[kind] = list(_outside(spots, runs))


def _outside(spots: list[int], spans: list[Span]) -> Iterator[int]:
    rest = iter(spans)
    begin, end = next(rest, (len(spots), -1))
    for spot in spots:
        while 0 <= end <= spot:
            begin, end = next(rest, (spot + 1, -1))
        if not begin <= spot < end:
            yield spot


def _tags(text: str, spots: list[int], findings: Findings) -> None:
    for begin, end in _spans(spots, _TAG_GAP):
        findings.add("tag-characters", begin, partial(_describe_tags, text, begin, end))


def _describe_tags(text: str, begin: int, end: int) -> Described:
    hidden = payloads.tags("".join(char for char in text[begin:end] if "\U000e0000" <= char <= "\U000e007f"))
    return Described(f"tag characters spell '{shown(hidden)}'", code_point(text[begin]), hidden)


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _selectors(text: str, spots: list[int], findings: Findings) -> None:
    for begin, end in _spans(spots, _SELECTOR_GAP):
        # The first selector of a run belongs to the character before it, if that has variants.
        while begin and _is_selector(text[begin - 1]):
            begin -= 1
        hidden = "".join(filter(_is_selector, text[begin:end]))
        spelt = payloads.selectors(hidden)
        in_a_row = any(map(_is_selector, text[begin + 1 : end])) and _touching(text, begin, end)
        if in_a_row or len(hidden) >= DENSE_COUNT or (len(hidden) >= _SPELLING and spelt.isprintable()):
            findings.add("variation-selectors", begin, partial(_describe_selectors, text[begin], hidden))
            continue
        for spot in range(begin, end):
            if _is_selector(text[spot]):
                what = f"a variation selector after {named(text[spot - 1])}" if spot else "a variation selector"
                findings.add("stray-selector", spot, partial(_describe, text, spot, spot + 1, what))
