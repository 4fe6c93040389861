"""The scanner's rules for characters that carry hidden text: tags, variation selectors, zero-width ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice, pairwise
from typing import Final

from foreword.scan import _payloads as payloads
from foreword.scan._classes import Kind, run
from foreword.scan._findings import BUDGET, Described, Findings, code_point, named, shown
from foreword.scan._spots import Span, dense, groups, outside

_IN_RUNS: Final[tuple[Kind, ...]] = ("zero-width", "joiner", "mark", "soft-hyphen", "free-selector", "invisible")
_ZERO_WIDTH: Final = "\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
# Neighbours may make the first and the last character of a run harmless.
_RUN_LEAST: Final = 6
_DENSE_COUNT: Final = 16
_DENSE_SPAN: Final = 1_000
_TAG_GAP: Final = 4
_SELECTOR_GAP: Final = 16
_SPELLING: Final = 4
_ESCAPED: Final = "\\u{"


def _join(text: str, spots: Sequence[int]) -> str:
    return "".join(text[spot] for spot in spots[: payloads.CARRIER_LIMIT])


def scan_tags(text: str, spots: Sequence[int], findings: Findings) -> None:
    """Report tag characters, those of one text together."""
    for group in groups(spots, _TAG_GAP):
        findings.add("tag-characters", group[0], partial(_describe_tags, text, group))


def _describe_tags(text: str, group: Sequence[int]) -> Described:
    hidden = payloads.tags(_join(text, group))
    return Described(f"{len(group):,} tag characters spell '{shown(hidden)}'", code_point(text[group[0]]), hidden)


def scan_selectors(text: str, spots: Sequence[int], findings: Findings) -> None:
    """Report variation selectors: in a row, dense or spelling something an error, else a warning each."""
    for group in groups(spots, _SELECTOR_GAP):
        members = _with_first(text, group)
        in_a_row = any(here + 1 == after for here, after in pairwise(members))
        if in_a_row or len(members) >= _DENSE_COUNT or _spells(text, members):
            findings.add("variation-selectors", members[0], partial(_describe_selectors, text, members))
            continue
        for spot in members:
            findings.add("stray-selector", spot, partial(_describe_after, text, spot))


def _with_first(text: str, group: Sequence[int]) -> list[int]:
    # The first selector of a run is no candidate where the character before it has variants.
    members: list[int] = []
    for spot in group:
        if spot and _is_selector(text[spot - 1]) and (not members or members[-1] != spot - 1):
            members.append(spot - 1)
        members.append(spot)
    return members


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _spells(text: str, members: Sequence[int]) -> bool:
    return len(members) >= _SPELLING and _ESCAPED not in payloads.selectors(_join(text, members))


def _describe_selectors(text: str, members: Sequence[int]) -> Described:
    hidden = payloads.selectors(_join(text, members))
    return Described(
        f"{len(members):,} variation selectors spell '{shown(hidden)}'", code_point(text[members[0]]), hidden
    )


def _describe_after(text: str, spot: int) -> Described:
    before = f" after {named(text[spot - 1])}, which has no such variant" if spot else " at the beginning"
    return Described(f"{named(text[spot])}{before}", code_point(text[spot]))


def drop_runs(text: str, places: dict[Kind, list[int]], findings: Findings) -> None:
    """Report long runs of invisible characters, and take what stands in them out of ``places``."""
    spots = [spot for kind in _IN_RUNS for spot in places.get(kind, ())]
    if len(spots) < _RUN_LEAST:
        return
    # A byte order mark is no part of a run, and the last of a run may be harmless to what follows.
    start, end = int(text[0] == "\ufeff"), max(spots) + 2
    runs = [match.span() for match in islice(run().finditer(text, start, end), BUDGET)]
    for begin, end in runs:
        what = f"{end - begin:,} invisible characters in a row"
        findings.add("zero-width-run", begin, partial(_describe_bits, text, range(begin, end), what))
    for kind in _IN_RUNS:
        if runs and kind in places:
            places[kind] = list(outside(places[kind], runs))


def scan_zero_width(text: str, places: dict[Kind, list[int]], findings: Findings) -> None:
    """Report zero-width characters: many close together an error, else a warning each."""
    spots = sorted([*places.get("zero-width", ()), *places.get("joiner", ())])
    taken: list[Span] = []
    for stretch in dense(spots, _DENSE_COUNT, _DENSE_SPAN):
        what = f"{len(stretch):,} zero-width characters close together"
        findings.add("zero-width-run", stretch[0], partial(_describe_bits, text, stretch, what))
        taken.append((stretch[0], stretch[-1] + 1))
    for spot in outside(spots, taken):
        rule = "joiner" if text[spot] in "\u200c\u200d" else "zero-width"
        findings.add(rule, spot, partial(_describe_zero_width, text, spot))


def _describe_bits(text: str, spots: Sequence[int], what: str) -> Described:
    hidden = payloads.bits(_join(text, spots), _join(text, _with_neighbours(text, spots)))
    spelt = "" if hidden is None else f" spell '{shown(hidden)}'"
    return Described(f"{what}{spelt}", code_point(text[spots[0]]), hidden)


def _with_neighbours(text: str, spots: Sequence[int]) -> list[int]:
    # Also those that the characters around them make harmless one by one.
    begin, end = max(0, spots[0] - 2), min(spots[-1] + 3, spots[0] + 4 * payloads.CARRIER_LIMIT)
    harmless = (spot for spot in range(begin, min(end, len(text))) if text[spot] in _ZERO_WIDTH)
    return sorted({*spots[: payloads.CARRIER_LIMIT], *harmless})


def _describe_zero_width(text: str, spot: int) -> Described:
    around = text[max(0, spot - 1) : spot] + text[spot + 1 : spot + 2]
    where = " inside a word" if len(around) == 2 and around.isalnum() else ""
    return Described(f"{named(text[spot])}{where}", code_point(text[spot]))
