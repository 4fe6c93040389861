"""Three-way merging of texts by lines, as diff3 does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from foreword.memory._line_changes import Change, changes_between


class Conflict(NamedTuple):
    """A place where both sides changed the same lines, or lines that touch, in different ways.

    The ranges count lines from 0; an empty one stands before the line that it names. The texts are those lines.
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


class _Region(NamedTuple):
    """Lines of the base that changes of one or both sides cover without a gap."""

    mine: list[Change]
    new: list[Change]


def merge3(base: str, mine: str, new: str) -> Merge:
    r"""Merge what two sides made of one text.

    A change that both sides made is made once. Changes that touch are a conflict, and so is an outcome that depends
    on which of several lines counts as moved. The texts have ``\n`` line ends and no newline at the end; no other
    character ends a line.

    Args:
        base: The text that both sides started from.
        mine: The text as the one side has changed it.
        new: The text as the other side has changed it.

    Returns:
        The merged text, or every conflict in the order of the lines.

    >>> merge3("a\nb\nc", "A\nb\nc", "a\nb\nC").text
    'A\nb\nC'
    """
    texts = _lines(base), _lines(mine), _lines(new)
    first = _merged(*texts, from_end=False)
    if first.text is None:
        return first
    # Which lines have moved can often be read in two ways; a merge holds only when it is the same in both.
    second = _merged(*texts, from_end=True)
    if second.text is None or second.text == first.text:
        return second
    before, left, right = texts
    whole = Conflict(range(len(before)), range(len(left)), range(len(right)), base, mine, new)
    return Merge(None, (whole,))


def _merged(before: Sequence[str], left: Sequence[str], right: Sequence[str], *, from_end: bool) -> Merge:
    merged: list[str] = []
    conflicts: list[Conflict] = []
    done = left_shift = right_shift = 0
    left_changes = changes_between(before, left, from_end=from_end)
    for region in _regions(left_changes, changes_between(before, right, from_end=from_end)):
        changes = [*region.mine, *region.new]
        start, end = min(change.start for change in changes), max(change.end for change in changes)
        merged += before[done:start]
        left_start, right_start = start + left_shift, start + right_shift
        left_shift += _growth(region.mine)
        right_shift += _growth(region.new)
        base_range = range(start, end)
        left_range, right_range = range(left_start, end + left_shift), range(right_start, end + right_shift)
        left_lines, right_lines = _at(left_range, left), _at(right_range, right)
        if not region.new or left_lines == right_lines:
            merged += left_lines
        elif not region.mine:
            merged += right_lines
        else:
            texts = ("\n".join(lines) for lines in (_at(base_range, before), left_lines, right_lines))
            conflicts.append(Conflict(base_range, left_range, right_range, *texts))
        done = end
    merged += before[done:]
    return Merge(None if conflicts else "\n".join(merged), tuple(conflicts))


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _at(lines: range, text: Sequence[str]) -> Sequence[str]:
    return text[lines.start : lines.stop]


def _growth(changes: Iterable[Change]) -> int:
    return sum((change.new_end - change.new_start) - (change.end - change.start) for change in changes)


def _regions(mine: Iterable[Change], new: Iterable[Change]) -> list[_Region]:
    regions: list[_Region] = []
    reached = -1
    for change, side in sorted([(change, 0) for change in mine] + [(change, 1) for change in new]):
        if not regions or change.start > reached:
            regions.append(_Region([], []))
        regions[-1][side].append(change)
        reached = max(reached, change.end)
    return regions
