"""Three-way merging of texts by lines, as diff3 does it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

# Comparing costs time for every pair of equal lines, so text of nothing but equal lines must have a bound.
_MOST_PAIRS: Final = 500_000


class Conflict(NamedTuple):
    """A place where both sides changed the same lines, or lines that touch, in different ways.

    The ranges count lines from 0; an empty range stands before the line that it names.
    """

    base_lines: range
    mine_lines: range
    new_lines: range
    base: str
    mine: str
    new: str


class Merge(NamedTuple):
    """The outcome of a merge: ``text`` is None exactly when there are conflicts."""

    text: str | None
    conflicts: tuple[Conflict, ...]


class _Change(NamedTuple):
    """Lines ``start`` to ``end`` of the one text have become ``other_start`` to ``other_end`` of the other."""

    start: int
    end: int
    other_start: int
    other_end: int


class _Link(NamedTuple):
    """A line in a chain of common lines, and the one before it."""

    place: int
    other: int
    before: _Link | None


def merge3(base: str, mine: str, new: str) -> Merge:
    r"""Merge what two sides made of one text.

    Args:
        base: The text that both sides started from.
        mine: The text as the one side has changed it.
        new: The text as the other side has changed it.

    All three have ``\n`` line ends and no newline at the end; no other character ends a line.

    Returns:
        The merged text, or the conflicts. A change that both sides made is made once.

    >>> merge3("a\nb\nc", "A\nb\nc", "a\nb\nC").text
    'A\nb\nC'
    """
    before, left, right = _lines(base), _lines(mine), _lines(new)
    merged: list[str] = []
    conflicts: list[Conflict] = []
    done = left_shift = right_shift = 0
    for left_changes, right_changes in _regions(_changes(before, left), _changes(before, right)):
        region = [*left_changes, *right_changes]
        start, end = min(change.start for change in region), max(change.end for change in region)
        merged += before[done:start]
        left_start, right_start = start + left_shift, start + right_shift
        left_shift += _growth(left_changes)
        right_shift += _growth(right_changes)
        left_lines, right_lines = left[left_start : end + left_shift], right[right_start : end + right_shift]
        if not right_changes or left_lines == right_lines:
            merged += left_lines
        elif not left_changes:
            merged += right_lines
        else:
            conflicts.append(
                Conflict(
                    range(start, end),
                    range(left_start, end + left_shift),
                    range(right_start, end + right_shift),
                    "\n".join(before[start:end]),
                    "\n".join(left_lines),
                    "\n".join(right_lines),
                )
            )
        done = end
    merged += before[done:]
    return Merge(None if conflicts else "\n".join(merged), tuple(conflicts))


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _growth(changes: Iterable[_Change]) -> int:
    return sum((change.other_end - change.other_start) - (change.end - change.start) for change in changes)


def _regions(left: Sequence[_Change], right: Sequence[_Change]) -> list[tuple[list[_Change], list[_Change]]]:
    """Put changes of both sides together that share lines of the base, or that touch."""
    regions: list[tuple[list[_Change], list[_Change]]] = []
    reached = -1
    in_order = sorted([(change, 0) for change in left] + [(change, 1) for change in right])
    for change, side in in_order:
        if not regions or change.start > reached:
            regions.append(([], []))
        regions[-1][side].append(change)
        reached = max(reached, change.end)
    return regions


def _changes(old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    """Return what differs, in order, with at least one common line between two changes."""
    head = _common(old, new)
    shorter = min(len(old), len(new)) - head
    tail = _common(old[::-1][:shorter], new[::-1][:shorter])
    changes: list[_Change] = []
    pairs = _MOST_PAIRS
    done, other_done = head, head
    for anchor, other_anchor in [
        *_anchors(old, new, head, tail),
        (len(old) - tail, len(new) - tail),
    ]:
        old_gap, new_gap = old[done:anchor], new[other_done:other_anchor]
        pairs -= _pairs(old_gap, new_gap)
        if pairs < 0 and (old_gap or new_gap):
            changes.append(_Change(done, anchor, other_done, other_anchor))
        else:
            changes += [
                _Change(done + start, done + end, other_done + other_start, other_done + other_end)
                for tag, start, end, other_start, other_end in SequenceMatcher(
                    None, old_gap, new_gap, autojunk=False
                ).get_opcodes()
                if tag != "equal"
            ]
        done, other_done = anchor + 1, other_anchor + 1
    return _lowered(changes, old, new)


def _anchors(old: Sequence[str], new: Sequence[str], head: int, tail: int) -> list[tuple[int, int]]:
    """Return the longest chain of lines that occur once in each text, in the same order in both."""
    once = {line for line, count in Counter(old[head : len(old) - tail]).items() if count == 1}
    once &= {line for line, count in Counter(new[head : len(new) - tail]).items() if count == 1}
    places = {old[place]: place for place in range(head, len(old) - tail) if old[place] in once}
    ends: list[int] = []
    links: list[_Link] = []
    for other in range(head, len(new) - tail):
        if new[other] in once:
            place = places[new[other]]
            length = bisect_left(ends, place)
            link = _Link(place, other, links[length - 1] if length else None)
            ends[length:length + 1] = [place]
            links[length:length + 1] = [link]
    chain: list[tuple[int, int]] = []
    last = links[-1] if links else None
    while last is not None:
        chain.append((last.place, last.other))
        last = last.before
    return chain[::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[line] for line in old)


def _lowered(changes: Sequence[_Change], old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    """Move each insertion and each deletion down as far as it can stand, and join those that then touch.

    Among equal lines it is open which of them is new: one rule for both sides, that of git, lets equal changes
    meet.
    """
    lowered: list[_Change] = []
    for change in reversed(changes):
        start, end, other_start, other_end = change
        limit = lowered[-1].start if lowered else len(old)
        if start == end or other_start == other_end:
            line, first, last = (new, other_start, other_end) if start == end else (old, start, end)
            moved = 0
            while end + moved < limit and line[first + moved] == line[last + moved]:
                moved += 1
            start, end, other_start, other_end = (place + moved for place in change)
        if lowered and end == lowered[-1].start:
            following = lowered.pop()
            end, other_end = following.end, following.other_end
        lowered.append(_Change(start, end, other_start, other_end))
    return lowered[::-1]
