"""Short runs of the torture of memories; `python -m tests.torture` is the long one."""

from __future__ import annotations

import pytest
from tests.torture import crashes, faults, races


@pytest.fixture
def told() -> list[str]:
    """The lines that were reported."""
    return []


def test_no_failing_call_loses_anything(told) -> None:
    """Whichever call of the operating system fails or kills, in each operation, texts, record and journal are whole."""
    counts = faults.run(told.append, stride=97)
    assert len(counts) == 3 * len(told)
    assert all(runs > 1 for runs in counts.values()), counts


def test_killed_writers_lose_at_most_the_change_in_flight(told) -> None:
    """No change that was acknowledged is lost, however many writers are killed."""
    counts = crashes.run(told.append, rounds=15)
    assert counts["lost"] == 0
    assert counts["acknowledged"] > 0


def test_many_writers_lose_no_update(told) -> None:
    """The sum of what several processes count in one section is right."""
    counts = races.run(told.append, processes=3, overrides=8)
    assert counts["counted"] == 24
