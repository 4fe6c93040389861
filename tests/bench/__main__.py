"""What foreword costs, against what the same work costs at least: ``python -m tests.bench [WORK ...]``."""

from __future__ import annotations

import argparse
import cProfile
import json
import platform
import pstats
import sys
import tempfile
import time
from pathlib import Path

from . import chart, fleet, peers, processes, reading, report, scale
from .contest import FULL, QUICK, Budget
from .trees import Trees
from .work import Contest, Row, Work, measured

WORKS = {work.name: work for work in (*reading.WORKS, *fleet.WORKS, *scale.WORKS, *processes.WORKS)}
"""Every work there is, in the order of the table."""


def main() -> int:
    """Measure what is asked for, and return 1 when a figure is not met."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"default: all of {', '.join(WORKS)}")
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="draw the ratios too")
    parser.add_argument("--profile", metavar="WORK", choices=WORKS, help="say where the time of one work goes")
    parser.add_argument("--peers", action="store_true", help="run the same work with other packages, from PyPI")
    parser.add_argument("--environments", type=Path, help="a directory for theirs, to keep (default: a new one)")
    given = parser.parse_args()
    if unknown := set(given.works) - set(WORKS):
        parser.error(f"no work is called {', '.join(sorted(unknown))}")
    budget = QUICK if given.quick else FULL
    with tempfile.TemporaryDirectory(prefix="foreword-bench-") as base:
        trees = Trees(Path(base))
        if given.profile:
            return _profile(WORKS[given.profile], trees, budget)
        if given.peers:
            return peers.run(trees, budget, given.environments or Path(base, "environments"), as_json=given.json)
        rows = _rows([WORKS[name] for name in given.works or WORKS], trees, budget, quiet=given.json or given.markdown)
    if given.json:
        json.dump({"python": platform.python_version(), "rows": [row.as_json() for row in rows]}, sys.stdout, indent=1)
    if given.markdown:
        print(*report.markdown(rows), sep="\n")
    if given.chart:
        given.chart.write_text(chart.drawn(rows), encoding="utf-8")
    return 0 if all(row.met for row in rows) else 1


def _rows(works: list[Work], trees: Trees, budget: Budget, *, quiet: bool) -> list[Row]:
    rows: list[Row] = []
    if not quiet:
        print(report.heading(), flush=True)
    for work in works:
        rows.append(measured(work, trees, budget))
        if not quiet:
            print(report.line(rows[-1]), flush=True)
    return rows


def _profile(work: Work, trees: Trees, budget: Budget) -> int:
    """Print where the time of one work goes, the functions that take most with what they call first."""
    made = work.make(trees, budget)
    if not isinstance(made, Contest):
        print(f"{work.name} is counted, not timed: there is nothing to profile", file=sys.stderr)
        return 2
    run = made.contenders["foreword"]
    run()
    profile = cProfile.Profile()
    end = time.monotonic() + budget.seconds
    profile.enable()
    while time.monotonic() < end:
        run()
    profile.disable()
    pstats.Stats(profile).sort_stats("cumulative").print_stats(40)
    return 0


if __name__ == "__main__":
    sys.exit(main())
