"""Overlay: an agent's own texts are laid over the shared base, where there is nothing to decide about any of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from ._folded import PlaceKey
from ._layers import RANK
from ._named_tuple import new as _new
from ._policy import Policy
from ._prepared import PreparedEdit
from ._remade import Remade
from ._stack import Stacked, holds, is_higher, over

if TYPE_CHECKING:
    from ._shared import Base


def overlaid(base: Base, agent: str, own: Sequence[PreparedEdit], policy: Policy) -> Remade | None:
    """Return an agent's prompt, whose variables are the base's but for its name; None where it takes a resolution.

    Args:
        base: what all agents have in common.
        agent: the agent.
        own: the edits that it has of its own.
        policy: what the operator allows.
    """
    resolution = base.resolution
    if resolution.is_strange or resolution.is_moved or resolution.asked or resolution.diagnostics or resolution.fatal:
        return None
    places, one = resolution.places, resolution.changed.get
    found: list[tuple[int, bool, str, PlaceKey, PreparedEdit, str | None]] = []
    for edit in own:
        key, title, priority = edit.id, edit.title, edit.priority
        if "/" in key or not holds(policy, key, edit):
            return None
        old = one(key)
        if old is None:
            default_title = edit.default_title
            place_key = (edit.default_priority if priority is None else priority, RANK[edit.layer], key)
        elif type(old) is Stacked and priority is None and is_higher(edit, old.edits[-1]):
            default_title, place_key = old.edits[0].default_title, old.place_key
            if title is None:
                title = old.given
        else:
            return None
        title = over(edit.text, default_title) if title is None else title or None
        found.append((bisect_left(places, place_key), old is not None, key, place_key, edit, title))
    if not found:
        return _new(Remade, (base, agent, (), None, (), ()))
    # Of what comes to one place, what stands last is put there first.
    found.sort(key=_place, reverse=True)
    at, are_gone, keys, _, edits, titles = zip(*found, strict=True)
    if len(set(keys)) < len(keys):
        return None
    is_titled = titles.count(None) < len(titles)
    at = tuple(chain.from_iterable(zip(at, are_gone, strict=True)))
    return _new(Remade, (base, agent, edits, None, at, titles if is_titled else ()))


_place: Final = itemgetter(0, 1, 3)
