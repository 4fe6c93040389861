"""A section of one edit, of which there is nothing to decide."""

from __future__ import annotations

from ._layers import OPERATOR
from ._policy import Policy
from ._prepared import PreparedEdit
from ._standing import Standing
from ._text import whole


def alone(edit: PreparedEdit, policy: Policy) -> Standing | None:
    """Return what stands where an edit of the operator's is the only one of its section, and defines it.

    None where there is anything to decide: then `Fold` decides it.
    """
    if (
        edit.mode != "plain"
        or edit.verdict is not None
        or not edit.trusted
        or edit.copy_of_below
        or edit.base is not None
        or edit.title is not None
        or edit.exclusive
        or edit.layer not in OPERATOR
        or policy.rule(edit.id).editable_by is not None
    ):
        return None
    priority = edit.priority
    if priority is None:
        priority = edit.default_priority
        window = policy.windows.get(edit.layer)
        if window is not None and not window[0] <= priority <= window[1]:
            return None
    elif edit.layer in policy.windows:
        return None
    return Standing(edit, edit, whole(edit), edit.default_title, False, edit, priority, edit, None)
