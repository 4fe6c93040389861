"""Quarrels: edits of one layer that cannot all hold, and how the operator's preference settles them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._prepared import Outcome, PreparedEdit


class Quarrel(NamedTuple):
    """Who lost, with which outcome and why; and what to do about it."""

    lost: tuple[PreparedEdit, ...]
    outcome: Outcome
    reason: str
    remedy: str = ""


def settled(rivals: Sequence[PreparedEdit], what: str, choice: str | None) -> Quarrel | None:
    """Return who loses where several edits of one layer say the same thing; None where there is no quarrel.

    Args:
        rivals: the edits of one layer and section that cannot all hold.
        what: what they quarrel about, in a word.
        choice: the provider or file that the operator prefers.
    """
    if len(rivals) < 2:
        return None
    chosen = [edit for edit in rivals if choice is not None and _is_named(edit, choice)]
    if len(chosen) == 1:
        lost = tuple(edit for edit in rivals if edit is not chosen[0])
        return Quarrel(lost, "shadowed", f"the policy prefers {choice}")
    first = rivals[0]
    names = " and ".join(named(edit) for edit in rivals)
    reason = f"{names} each give the {what} of {first.id!r} in layer {first.layer}; none applies"
    remedy = f'keep one, or set [prefer] "{first.id}"'
    if choice is not None:
        remedy = f"keep one; [prefer] names {choice!r}, which is {'none' if not chosen else 'more than one'}"
    return Quarrel(tuple(rivals), "conflict", reason, remedy)


def named(edit: PreparedEdit) -> str:
    """Return what a message calls an edit: its file and line, and a stranger with its version."""
    if edit.place.path == "code":
        return str(edit.provider)
    return str(edit.place) if edit.provider.first_party else f"{edit.place} ({edit.provider})"


def _is_named(edit: PreparedEdit, choice: str) -> bool:
    provider = edit.provider
    path = edit.place.path
    return choice in (provider.name, provider.distribution, provider.entry_point, path) or path.endswith("/" + choice)
