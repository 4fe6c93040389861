"""Groups of places: which suspicious characters belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Span = tuple[int, int]


def groups(spots: Sequence[int], gap: int = 0) -> Iterator[list[int]]:
    """Group places, which are in order, with at most ``gap`` characters between one and the next.

    >>> list(groups([1, 2, 5, 9], 2))
    [[1, 2, 5], [9]]
    """
    group: list[int] = []
    for spot in spots:
        if group and spot - group[-1] - 1 > gap:
            yield group
            group = []
        group.append(spot)
    if group:
        yield group


def spans(spots: Sequence[int], gap: int = 0) -> Iterator[Span]:
    """Group places and give of each group where it begins and ends."""
    for group in groups(spots, gap):
        yield group[0], group[-1] + 1


def outside(spots: Sequence[int], taken: Sequence[Span]) -> Iterator[int]:
    """Leave out the places that stand in one of some spans; both are in order.

    >>> list(outside([1, 4, 7], [(3, 5)]))
    [1, 7]
    """
    nth = 0
    for spot in spots:
        while nth < len(taken) and taken[nth][1] <= spot:
            nth += 1
        if nth == len(taken) or spot < taken[nth][0]:
            yield spot


def dense(spots: Sequence[int], count: int, span: int) -> Iterator[list[int]]:
    """Give the longest stretches of places of which every ``count`` in a row stand within ``span`` characters."""
    first = 0
    while first + count <= len(spots):
        last = first + count - 1
        if spots[last] - spots[first] >= span:
            first += 1
            continue
        while last + 1 < len(spots) and spots[last + 1] - spots[last + 2 - count] < span:
            last += 1
        yield list(spots[first : last + 1])
        first = last + 1
