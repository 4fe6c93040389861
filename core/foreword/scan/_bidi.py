"""The scanner's rules for text direction: overrides, embeddings, isolates and marks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from foreword.scan._classes import RTL, Kind
from foreword.scan._findings import Described, Findings, code_point, named, shown
from foreword.scan._payloads import PAYLOAD_LIMIT
from foreword.scan._spots import spans

_OVERRIDES = "\u202d\u202e"
_EMBEDDINGS = "\u202a\u202b" + _OVERRIDES
_ISOLATES = "\u2066\u2067\u2068"
_END_EMBEDDING, _END_ISOLATE = "\u202c", "\u2069"


def scan_directions(text: str, places: dict[Kind, list[int]], findings: Findings) -> None:
    """Report direction characters, judged line by line."""
    for begin, end in spans(places.get("override", [])):
        findings.add("bidi-override", begin, partial(_describe_override, text, begin, end))
    spots = sorted(spot for kind in ("override", "bidi", "mark") for spot in places.get(kind, ()))
    first = 0
    while first < len(spots):
        start = text.rfind("\n", 0, spots[first]) + 1
        end = text.find("\n", spots[first])
        end = len(text) if end < 0 else end
        after = first
        while after < len(spots) and spots[after] < end:
            after += 1
        _line(text, spots[first:after], RTL.search(text, start, end) is not None, findings)
        first = after


def _line(text: str, spots: Sequence[int], right_to_left: bool, findings: Findings) -> None:
    unmatched = _unmatched(text, spots)
    for spot in spots:
        char = text[spot]
        if char in "\u061c\u200e\u200f":
            if not right_to_left:
                findings.add("bidi-mark", spot, partial(_describe, text, spot, " in a line read from left to right"))
        elif char in _OVERRIDES:
            continue
        elif spot in unmatched:
            what = " without its beginning" if char in (_END_EMBEDDING, _END_ISOLATE) else " that its line does not end"
            findings.add("bidi-unbalanced", spot, partial(_describe, text, spot, what))
        elif not right_to_left and char not in (_END_EMBEDDING, _END_ISOLATE):
            findings.add("bidi-isolate", spot, partial(_describe, text, spot, " in a line read from left to right"))


def _unmatched(text: str, spots: Sequence[int]) -> set[int]:
    unmatched: set[int] = set()
    opened: list[int] = []
    isolates = 0
    for spot in spots:
        char = text[spot]
        if char in _EMBEDDINGS or char in _ISOLATES:
            opened.append(spot)
            isolates += char in _ISOLATES
        elif char == _END_EMBEDDING:
            if opened and text[opened[-1]] in _EMBEDDINGS:
                opened.pop()
            else:
                unmatched.add(spot)
        elif char == _END_ISOLATE:
            if not isolates:
                unmatched.add(spot)
                continue
            # The end of an isolate ends the embeddings in it too.
            while text[opened[-1]] not in _ISOLATES:
                unmatched.add(opened.pop())
            opened.pop()
            isolates -= 1
    return unmatched.union(opened)


def _describe(text: str, spot: int, what: str) -> Described:
    return Described(f"{named(text[spot])}{what}", code_point(text[spot]))


def _describe_override(text: str, begin: int, end: int) -> Described:
    read = text[end : end + PAYLOAD_LIMIT]
    for stop in (_END_EMBEDDING, "\n", *_OVERRIDES):
        read = read.partition(stop)[0]
    seen = read[::-1] if text[end - 1] == "\u202e" else read
    message = f"{named(text[begin])}: what is read as '{shown(read, 40)}' is shown as '{shown(seen, 40)}'"
    return Described(message, code_point(text[begin]), shown(seen, PAYLOAD_LIMIT))
