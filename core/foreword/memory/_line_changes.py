"""What has changed between two texts, by lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

# The comparison takes time for every pair of equal lines, many times over when the text is nothing else: this many
# take about a second at worst.
_MOST_PAIRS: Final = 200_000


class Change(NamedTuple):
    """Lines ``start`` to ``end`` of one text stand as lines ``new_start`` to ``new_end`` in another."""

    start: int
    end: int
    new_start: int
    new_end: int


class _Pair(NamedTuple):
    """Where one line stands in both texts, and the pair before it in a chain of pairs."""

    place: int
    new_place: int
    before: _Pair | None


def changes_between(old: Sequence[str], new: Sequence[str], *, from_end: bool = False) -> list[Change]:
    """Return the changes that lead from one text to another, in order, with a common line between any two.

    The time that it takes is bounded: of texts that consist of many equal lines a larger part is called changed
    than has to be. Compared from the end, another line may count as the one that has moved.

    >>> changes_between(["a", "b", "c"], ["a", "B", "c"])
    [Change(start=1, end=2, new_start=1, new_end=2)]
    """
    head = _common(old, new)
    shorter = min(len(old), len(new)) - head
    tail = _common(old[::-1][:shorter], new[::-1][:shorter])
    old_part, new_part = old[head : len(old) - tail], new[head : len(new) - tail]
    dear = _pairs(old_part, new_part) > _MOST_PAIRS
    found = _between_unique_lines(old_part, new_part) if dear else _compared(old_part, new_part, from_end)
    return _lowered([Change(*(place + head for place in change)) for change in found], old, new)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for line, other_line in zip(one, other, strict=False):
        if line != other_line:
            break
        count += 1
    return count


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[line] for line in old)


def _compared(old: Sequence[str], new: Sequence[str], from_end: bool = False) -> list[Change]:
    if from_end:
        high, new_high = len(old), len(new)
        upside_down = _compared(old[::-1], new[::-1])
        return [Change(high - b, high - a, new_high - d, new_high - c) for a, b, c, d in reversed(upside_down)]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Change(*places) for tag, *places in codes if tag != "equal"]


def _between_unique_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Compare what stands between the lines that are unique in both texts, as far as the bound allows."""
    found: list[Change] = []
    left = _MOST_PAIRS
    start = new_start = 0
    for end, new_end in [*_unique_lines(old, new), (len(old), len(new))]:
        old_part, new_part = old[start:end], new[new_start:new_end]
        pairs = _pairs(old_part, new_part)
        if pairs <= left:
            left -= pairs
            shift = (start, start, new_start, new_start)
            found += [Change(*map(sum, zip(change, shift, strict=True))) for change in _compared(old_part, new_part)]
        else:
            found.append(Change(start, end, new_start, new_end))
        start, new_start = end + 1, new_end + 1
    return found


def _unique_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the lines stand that are unique in both texts: the longest chain that is in order in both."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(old) if old_counts[line] == new_counts[line] == 1}
    ends: list[int] = []
    chains: list[_Pair] = []
    for new_place, line in enumerate(new):
        if line in places:
            length = bisect_left(ends, places[line])
            pair = _Pair(places[line], new_place, chains[length - 1] if length else None)
            ends[length : length + 1] = [pair.place]
            chains[length : length + 1] = [pair]
    found: list[tuple[int, int]] = []
    last = chains[-1] if chains else None
    while last is not None:
        found.append((last.place, last.new_place))
        last = last.before
    return found[::-1]


def _lowered(changes: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Move each insertion and each deletion down as far as it can stand, and join those that then touch.

    Among equal lines it is open which one is the new one: with one rule for both sides, that of git, equal changes
    meet.
    """
    lowered: list[Change] = []
    for start, end, new_start, new_end in reversed(changes):
        limit = lowered[-1].start if lowered else len(old)
        moved = 0
        if start == end or new_start == new_end:
            lines, first, last = (new, new_start, new_end) if start == end else (old, start, end)
            while end + moved < limit and lines[first + moved] == lines[last + moved]:
                moved += 1
        change = Change(start + moved, end + moved, new_start + moved, new_end + moved)
        if lowered and change.end == lowered[-1].start:
            below = lowered.pop()
            change = Change(change.start, below.end, change.new_start, below.new_end)
        lowered.append(change)
    return lowered[::-1]
