"""A regression check that no busy machine disturbs: ``python -m tests.bench.counts [--record]``.

Instructions and system calls of a few works are compared with those that are recorded. Instructions are compared as
multiples of what the plain script takes, since how Python was compiled moves both alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .counting import Absent, instructions, system_calls
from .trees import Trees

RECORDED = Path(__file__).with_name("recorded.json")
TASKS = ("naive", "cold", "unchanged", "changed", "sections-1000")
TOLERANCE = 0.10
"""By how much more instructions may grow before it counts as a regression."""
SPARE = 2
"""How many system calls more may be made likewise."""
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"

Counts = Mapping[str, int]


class NotRecorded(Exception):
    """There is nothing recorded to compare with."""


def recorded(file: Path = RECORDED) -> Mapping[str, Any]:
    """Return what is recorded for this Python.

    Raises:
        NotRecorded: it was recorded with another Python or another pydantic.
    """
    everything: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if PYTHON not in everything:
        raise NotRecorded(
            f"nothing is recorded for Python {PYTHON}, only for {', '.join(sorted(everything)) or 'none'}"
        )
    found: dict[str, Any] = everything[PYTHON]
    if found["pydantic"] != version("pydantic"):
        raise NotRecorded(f"it was recorded with pydantic {found['pydantic']}, and this is {version('pydantic')}")
    return found


def more_instructions(before: Counts, now: Counts) -> Iterator[str]:
    """Yield what takes more instructions than recorded, as a multiple of the plain script's."""
    for task in before:
        was, is_ = before[task] / before["naive"], now[task] / now["naive"]
        if is_ > was * (1 + TOLERANCE):
            yield f"{task}: {now[task]:,} instructions, {is_ / was - 1:.0%} more than the {before[task]:,} recorded"


def more_system_calls(before: Counts, now: Counts) -> Iterator[str]:
    """Yield what makes more system calls than recorded."""
    for task in before:
        if now[task] > before[task] + SPARE:
            yield f"{task}: {now[task]} system calls about files, and {before[task]} are recorded"


def main() -> int:
    """Compare, or record, and return 1 when something grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.counts", description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name} for this Python")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="foreword-bench-") as base:
        trees = Trees(Path(base))
        try:
            now = {"instructions": instructions(trees, TASKS), "system_calls": system_calls(trees, TASKS)}
            before = {} if given.record else recorded()
        except (Absent, NotRecorded) as why:
            print(f"nothing was compared: {why}", file=sys.stderr)
            return 2
    print(f"{'work':16} {'instructions':>14} {'system calls':>13}")
    for task in TASKS:
        print(f"{task:16} {now['instructions'][task]:>14,} {now['system_calls'][task]:>13}")
    if given.record:
        everything = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
        everything[PYTHON] = {"pydantic": version("pydantic"), **now}
        RECORDED.write_text(json.dumps(everything, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    grown = [
        *more_instructions(before["instructions"], now["instructions"]),
        *more_system_calls(before["system_calls"], now["system_calls"]),
    ]
    print(*grown, sep="\n", end="\n" if grown else "")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
