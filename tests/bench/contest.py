"""How it is timed: contenders run in turn, in an order that is shuffled anew each round; their medians count."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Given = TypeVar("Given")

Contender = Callable[[], float]
"""Does its work once and returns the seconds that one unit of it took."""


class Budget(NamedTuple):
    """How long a contest goes on: so many rounds or seconds, whichever are over first; and for how many agents."""

    least: int = 5
    most: int = 400
    seconds: float = 6.0
    agents: int = 10_000


FULL = Budget()
QUICK = Budget(2, 60, 1.0, 1_000)


def timed(work: Callable[[], object], per: int = 1) -> Contender:
    """Return a contender whose work needs nothing made ready.

    Args:
        work: what is timed. What it returns is dropped after the clock has stopped.
        per: how many units the work consists of.
    """
    return prepared(lambda: None, lambda _: work(), per)


def prepared(ready: Callable[[], Given], work: Callable[[Given], object], per: int = 1) -> Contender:
    """Return a contender for whose work something is made ready, outside the clock.

    Args:
        ready: makes what the work is given.
        work: what is timed.
        per: how many units the work consists of.
    """

    def run() -> float:
        given = ready()
        # What making ready left behind is not the work's to sweep up.
        gc.collect(1)
        start = time.perf_counter()
        kept = work(given)
        end = time.perf_counter()
        del kept
        return (end - start) / per

    return run


def race(contenders: Mapping[str, Contender], budget: Budget) -> dict[str, float]:
    """Return the median seconds of each contender; after one round that does not count."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    order: Sequence[str] = list(contenders)
    shuffled = random.Random(15)
    end = time.monotonic() + budget.seconds
    for name in order:
        contenders[name]()
    for number in range(budget.most):
        if number >= budget.least and time.monotonic() > end:
            break
        for name in shuffled.sample(order, len(order)):
            times[name].append(contenders[name]())
    return {name: statistics.median(taken) for name, taken in times.items()}
