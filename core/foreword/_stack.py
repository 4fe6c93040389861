"""A stack: edits of the operator's of which each simply takes the place of the one below, so nothing is to decide."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise
from operator import itemgetter
from typing import Final

from foreword.markdown._headings import leading_heading

from ._layers import OPERATOR, RANK
from ._names import title_key
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._quarrels import named
from ._standing import Standing
from ._text import whole

Stack = tuple[PreparedEdit, ...]
"""The edits of one section, low to high."""


def stacked(key: str, edits: list[PreparedEdit], policy: Policy) -> Stack | None:
    """Return the edits of one section, low to high, where each simply stands in the place of the one below.

    None where there is anything to decide, or to count: then `Fold` decides it.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
    """
    windows, limited = policy.windows, policy.limited
    rule = policy.sections.get(key)
    editable_by = rule.editable_by if rule is not None else None
    for edit in edits:
        if _simply(edit) != _SIMPLY:
            return None
        layer, priority, default_priority = _placed(edit)
        if layer not in OPERATOR or layer in limited or (editable_by is not None and layer not in editable_by):
            return None
        if layer in windows:
            low, high = windows[layer]
            # Where a priority is given, the window is asked about it more than once.
            if priority is not None or not low <= default_priority <= high:
                return None
    if policy.prompt is not None:
        return None
    if len(edits) == 1:
        return (edits[0],)
    places = {(RANK[edit.layer], edit.rank): edit for edit in edits}
    return tuple([places[place] for place in sorted(places)]) if len(places) == len(edits) else None


def is_lone_memory(key: str, edit: PreparedEdit, policy: Policy, reserved: Container[str]) -> bool:
    """Say whether an edit of layer memory, the only one of its section, simply defines it under its default title.

    Args:
        key: the section's id as it is compared.
        edit: the edit.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
    """
    if _wholly(edit) != _A_MEMORY or policy.reserved or policy.prompt is not None:
        return False
    rule = policy.sections.get(key)
    if rule is not None and rule.editable_by is not None:
        return False
    title, priority = edit.default_title, edit.default_priority
    if not title:
        return False
    low, high = policy.windows.get("memory", (priority, priority))
    return low <= priority <= high and title_key(title) not in reserved


def standing_of(stack: Stack) -> Standing:
    """Return what stands where edits lie over one another."""
    definer, winner = stack[0], stack[-1]
    titled = [edit for edit in stack if edit.title is not None]
    placed = [edit for edit in stack if edit.priority is not None]
    titled_by = titled[-1] if titled else definer
    placed_by = placed[-1] if placed else definer
    title = titled_by.title if titled else definer.default_title
    priority = definer.default_priority if placed_by.priority is None else placed_by.priority
    return Standing(definer, winner, whole(winner), title, bool(titled), titled_by, priority, placed_by, None)


def place_of(stack: Stack) -> tuple[int, str | None, bool]:
    """Return where edits that lie over one another stand, under which title, and whether the text begins with that.

    Of what is said twice, the higher edit's word holds.
    """
    title = priority = None
    for edit in reversed(stack):
        if title is None:
            title = edit.title
        if priority is None:
            priority = edit.priority
    definer = stack[0]
    if priority is None:
        priority = definer.default_priority
    if title is not None:
        return priority, title or None, False
    title = definer.default_title or None
    heading = leading_heading(stack[-1].text) if title is not None else None
    return (priority, title, False) if heading is None else (priority, heading, True)


def steps_of(stack: Stack) -> tuple[Step, ...]:
    """Return the chain of the edits with their outcomes: all but the last are shadowed, each by the next."""
    steps = [Step(edit, "shadowed", f"replaced by {named(over)}") for edit, over in pairwise(stack)]
    return (*steps, Step(stack[-1], "applied", ""))


_WHAT: Final = ("mode", "base", "copy_of_below", "exclusive", "trusted", "verdict")
_SIMPLY: Final = ("plain", None, False, False, True, None)
_simply: Final = itemgetter(*map(PreparedEdit._fields.index, _WHAT))
_A_MEMORY: Final = (*_SIMPLY[:4], False, None, "memory", None, None)
_wholly: Final = itemgetter(*map(PreparedEdit._fields.index, (*_WHAT, "layer", "title", "priority")))
_placed: Final = itemgetter(*map(PreparedEdit._fields.index, ("layer", "priority", "default_priority")))
