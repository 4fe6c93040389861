"""The ways to what is read: the directories above it, and what shows that they are where they were."""

from __future__ import annotations

import os
import stat

from foreword.files._roots import Root
from foreword.files._stamps import Evidence, Identity, identity, place_of
from foreword.files._walk import below


def places_around(root: Root, sub: str, skip: frozenset[str]) -> Evidence | None:
    """Return what shows that the way to a directory below a root, and what is left out, are where they are.

    None where that is a link, which another can take the place of without a trace.
    """
    parts = sub.split("/") if sub else []
    ways = ["/".join(parts[:count]) for count in range(1, len(parts))]
    places: list[tuple[str, Identity | None]] = []
    try:
        top = identity(os.stat(root.path))
        for way in (*ways, *sorted(skip)):
            found = place_of(below(root.path, way))
            if found is not None and stat.S_ISLNK(found[2]):
                return None
            places.append((below(root.path, way), found))
    except (OSError, ValueError):
        return None
    return Evidence(((root.path, top),), tuple(places))


def evidence_of_absence(root: Root, sub: str) -> Evidence | None:
    """Return what shows that nothing is there, or None where now something is, or a link is on the way."""
    around = places_around(root, f"{sub}/-", frozenset())
    if around is None:
        return None
    missing = next((nth for nth, (_, place) in enumerate(around.places) if place is None), None)
    return None if missing is None else around._replace(places=around.places[: missing + 1])
