"""The scanner's rules for single characters: those that are not seen, or change what is."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import Final

from foreword.scan._bidi import scan_directions
from foreword.scan._classes import BRAILLE, FLAGS, JAMO, Kind, candidate, kind_of
from foreword.scan._findings import BUDGET, Described, Findings, code_point, named, shown
from foreword.scan._hidden import drop_runs, scan_selectors, scan_tags, scan_zero_width
from foreword.scan._payloads import PAYLOAD_LIMIT
from foreword.scan._spots import spans

_SIMPLE: Final[dict[Kind, tuple[str, str]]] = {
    "plane-14": ("plane-14", "an unassigned, invisible character"),
    "soft-hyphen": ("soft-hyphen", "a soft hyphen"),
    "line-separator": ("line-separator", "a line or paragraph separator"),
    "private-use": ("private-use", "a private use character"),
    "replacement": ("replacement-character", "the text was once decoded wrongly"),
    "nul": ("nul", "a NUL character"),
    "control": ("control", "a control character"),
}
_ESCAPE_END = re.compile(r"[\x07\x1b\n]")
_CONCEAL = re.compile(r"\x1b\[(?:[0-9:]{0,9};){0,9}0?8(?:;[0-9:;]{0,20})?m")


def scan_characters(text: str, findings: Findings, *, one_line: bool = False) -> None:
    """Look at every character of a suspicious kind that its neighbours do not explain."""
    if "\U000e007f" in text:
        for flag in FLAGS:
            text = text.replace(flag, flag[0] * len(flag))
    if "\r\n" in text:
        text = text.replace("\r\n", " \n")
    start = 1 if text.startswith("\ufeff") and not one_line else 0
    spots = [match.start() for match in islice(candidate().finditer(text, start), BUDGET + 1)]
    if len(spots) > BUDGET:
        findings.add("too-many", spots.pop(), partial(Described, f"more than {BUDGET:,} suspicious characters"))
    if one_line:
        spots = sorted([*spots, *(match.start() for match in re.finditer(r"[\t\n]", text))])
    places = _by_kind(text, spots)
    drop_runs(text, places, findings)
    for kind, (rule, what) in _SIMPLE.items():
        for begin, end in spans(places.get(kind, [])):
            findings.add(rule, begin, partial(_describe, text[begin], end - begin, what))
    scan_tags(text, places.get("tag", []), findings)
    scan_selectors(text, places.get("selector", []), findings)
    for spot in places.get("free-selector", []):
        findings.add("stray-selector", spot, partial(_describe, text[spot], 1, "a Mongolian variation selector"))
    scan_zero_width(text, places, findings)
    _invisible(text, places.get("invisible", []), findings)
    for spot in places.get("escape", []):
        _escape(text, spot, findings)
    scan_directions(text, places, findings)


def _by_kind(text: str, spots: list[int]) -> dict[Kind, list[int]]:
    places: dict[Kind, list[int]] = {}
    kinds: dict[str, Kind] = {"\t": "control", "\n": "control"}
    for spot in spots:
        char = text[spot]
        kind = kinds.get(char) or kinds.setdefault(char, kind_of(char))
        places.setdefault(kind, []).append(spot)
    return places


def _describe(char: str, count: int, what: str) -> Described:
    times = f", {count:,} in a row" if count > 1 else ""
    return Described(f"{named(char)}{times}: {what}", code_point(char))


def _invisible(text: str, spots: list[int], findings: Findings) -> None:
    for begin, end in spans(spots):
        around = text[max(0, begin - 1) : begin] + text[end : end + 1]
        if text[begin] == "\u2800" and BRAILLE.search(around):
            continue
        if text[begin] in "\u115f\u1160" and JAMO.search(around):
            continue
        what = "a character that shows as nothing"
        findings.add("invisible", begin, partial(_describe, text[begin], end - begin, what))


def _escape(text: str, spot: int, findings: Findings) -> None:
    introducer = text[spot + 1 : spot + 2]
    if introducer and introducer in "[]PX^_":
        findings.add("ansi-escape", spot, partial(_describe_escape, text, spot))
    else:
        findings.add("control", spot, partial(_describe, text[spot], 1, "a control character"))


def _describe_escape(text: str, spot: int) -> Described:
    decoded = None
    conceal = _CONCEAL.match(text, spot)
    if conceal is not None or text[spot + 1] != "[":
        begin = spot + 2 if conceal is None else conceal.end()
        end = _ESCAPE_END.search(text, begin)
        decoded = shown(text[begin : len(text) if end is None else end.start()], PAYLOAD_LIMIT)
    sequence = shown(text[spot : spot + 20].partition("\n")[0], 20)
    hidden = f" that hides '{shown(decoded)}'" if decoded else ""
    return Described(f"a terminal escape sequence, {sequence}{hidden}", code_point(text[spot]), decoded or None)
