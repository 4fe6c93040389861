"""A stack: edits of the operator's of which each simply takes the place of the one below, so nothing is to decide."""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from typing import Final

from ._layers import OPERATOR, RANK
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._quarrels import named
from ._standing import Standing
from ._text import whole

Stack = tuple[PreparedEdit, ...]
"""The edits of one section, low to high."""


def stacked(edits: list[PreparedEdit], policy: Policy) -> Stack | None:
    """Return the edits of one section, low to high, where each simply stands in the place of the one below.

    None where there is anything to decide: then `Fold` decides it.

    Args:
        edits: every edit of the section, in any order.
        policy: what the operator allows.
    """
    windows = policy.windows
    for edit in edits:
        layer = edit.layer
        if _simply(edit) != _SIMPLY or layer not in OPERATOR:
            return None
        if layer in windows:
            low, high = windows[layer]
            # Where a priority is given, the window is asked about it more than once.
            if edit.priority is not None or not low <= edit.default_priority <= high:
                return None
    editable_by = policy.rule(edits[0].id).editable_by
    if editable_by is not None and not editable_by.issuperset([edit.layer for edit in edits]):
        return None
    if len(edits) == 1:
        return (edits[0],)
    places = {(RANK[edit.layer], edit.rank): edit for edit in edits}
    return tuple([places[place] for place in sorted(places)]) if len(places) == len(edits) else None


def standing_of(stack: Stack) -> Standing:
    """Return what stands where edits lie over one another."""
    definer, winner = stack[0], stack[-1]
    title, titled_by = _title(stack)
    priority, placed_by = place_of(stack)
    given = title is not None
    stands = title if given else definer.default_title
    return Standing(definer, winner, whole(winner), stands, given, titled_by, priority, placed_by, None)


def _title(stack: Stack) -> tuple[str | None, PreparedEdit]:
    """Return the title that was given last, None where none was, and the edit that decides about it."""
    for edit in reversed(stack):
        if edit.title is not None:
            return edit.title, edit
    return None, stack[0]


def place_of(stack: Stack) -> tuple[int, PreparedEdit]:
    """Return the priority at which they stand, and the edit that gave it."""
    for edit in reversed(stack):
        if edit.priority is not None:
            return edit.priority, edit
    return stack[0].default_priority, stack[0]


def title_of(stack: Stack) -> tuple[str | None, bool]:
    """Return the title under which they stand, None where there is none, and whether the text has it as its heading."""
    title, _ = _title(stack)
    if title is not None:
        return title or None, False
    title = stack[0].default_title or None
    heading = stack[-1].leading_heading if title is not None else None
    return (title, False) if heading is None else (heading, True)


def steps_of(stack: Stack) -> tuple[Step, ...]:
    """Return the chain of the edits with their outcomes: all but the last are shadowed, each by the next."""
    steps = [Step(edit, "shadowed", f"replaced by {named(over)}") for edit, over in pairwise(stack)]
    return (*steps, Step(stack[-1], "applied", ""))


_WHAT: Final = ("mode", "base", "copy_of_below", "exclusive", "trusted", "verdict")
_SIMPLY: Final = ("plain", None, False, False, True, None)
_simply: Final = itemgetter(*map(PreparedEdit._fields.index, _WHAT))
