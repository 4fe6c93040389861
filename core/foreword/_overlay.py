"""Overlay: an agent's own texts are laid over the shared base, where there is nothing to decide about any of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
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
    met: set[str] = set()
    found: list[tuple[int, bool, PlaceKey, PreparedEdit, str | None]] = []
    for edit in own:
        key, layer, title, priority = edit.id, edit.layer, edit.title, edit.priority
        if key in met or "/" in key or not holds(policy, key, edit):
            return None
        met.add(key)
        old = one(key)
        if old is None:
            default_title = edit.default_title
            place_key = (edit.default_priority if priority is None else priority, RANK[layer], key)
        elif type(old) is Stacked and priority is None and is_higher(edit, old.edits[-1]):
            default_title, place_key = old.edits[0].default_title, old.place_key
            if title is None:
                title = old.given
        else:
            return None
        title = over(edit.text, default_title) if title is None else title or None
        found.append((bisect_left(places, place_key), old is not None, place_key, edit, title))
    # Of what comes to one place, what stands last is put there first.
    found.sort(key=_place, reverse=True)
    at: list[int] = []
    for place, is_gone, _, _, _ in found:
        at += (place, is_gone)
    edits, titles = tuple([one[3] for one in found]), tuple([one[4] for one in found])
    is_titled = titles.count(None) < len(titles)
    return _new(Remade, (base, agent, edits, None, tuple(at), titles if is_titled else ()))


_place: Final = itemgetter(0, 1, 2)
