"""What a build takes does not grow: instructions and system calls, which no busy machine disturbs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from .counting import Absent, instructions, system_calls
from .counts import PYTHON, TASKS, NotRecorded, more_instructions, more_system_calls, recorded
from .trees import Trees


@pytest.fixture(scope="module")
def trees() -> Iterator[Trees]:
    """The directories that are read."""
    with tempfile.TemporaryDirectory(prefix="foreword-bench-") as base:
        yield Trees(Path(base))


@pytest.fixture
def before() -> Mapping[str, Any]:
    """What is recorded for this Python."""
    try:
        return recorded()
    except NotRecorded as why:
        pytest.skip(f"{why}: instructions and system calls of a build were not compared")


def test_a_build_takes_no_more_instructions_than_recorded(trees: Trees, before: Mapping[str, Any]) -> None:
    """Reading anew, an unchanged and a changed directory, and a thousand sections take what they took."""
    try:
        now = instructions(trees, TASKS)
    except Absent as why:
        pytest.skip(f"{why}: the instructions of a build were not compared")
    assert not list(more_instructions(before["instructions"], now))


def test_a_build_makes_no_more_system_calls_than_recorded(trees: Trees, before: Mapping[str, Any]) -> None:
    """The same builds ask the kernel about files no more often than they did."""
    try:
        now = system_calls(trees, TASKS)
    except Absent as why:
        pytest.skip(f"{why}: the system calls of a build were not compared")
    assert not list(more_system_calls(before["system_calls"], now))


@pytest.mark.parametrize(("cold", "grown"), [(2_100, False), (2_190, False), (2_210, True), (1_000, False)])
def test_more_instructions_are_told(cold: int, grown: bool) -> None:
    """A tenth more is let pass, and what is beyond it is named with both counts."""
    said = list(more_instructions({"naive": 1_000, "cold": 2_000}, {"naive": 1_000, "cold": cold}))
    assert bool(said) is grown
    assert all("cold: 2,210" in one and "2,000 recorded" in one for one in said)


def test_instructions_are_compared_as_multiples_of_the_plain_script() -> None:
    """A Python that takes more for everything is no regression."""
    before = {"naive": 1_000, "cold": 2_000}
    assert not list(more_instructions(before, {"naive": 1_500, "cold": 3_000}))
    assert list(more_instructions(before, {"naive": 500, "cold": 2_000}))


@pytest.mark.parametrize(("cold", "grown"), [(70, False), (72, False), (73, True), (10, False)])
def test_more_system_calls_are_told(cold: int, grown: bool) -> None:
    """Two more are let pass, and what is beyond them is named with both counts."""
    said = list(more_system_calls({"naive": 60, "cold": 70}, {"naive": 60, "cold": cold}))
    assert said == ([f"cold: {cold} system calls about files, and 70 are recorded"] if grown else [])


def test_nothing_is_compared_with_what_another_version_took(tmp_path: Path) -> None:
    """Counts of another Python or another pydantic say nothing, and it is told why."""
    file = tmp_path / "recorded.json"
    file.write_text(json.dumps({"2.7": {}}))
    with pytest.raises(NotRecorded, match=rf"nothing is recorded for Python {PYTHON}, only for 2\.7"):
        recorded(file)
    file.write_text(json.dumps({PYTHON: {"pydantic": "0.1"}}))
    with pytest.raises(NotRecorded, match=r"recorded with pydantic 0\.1"):
        recorded(file)
