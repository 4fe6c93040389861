"""Torture the agent's memory: ``python -m tests.torture`` prints how often, and that nothing was lost."""

from __future__ import annotations

import argparse
import json
import sys
import time

from . import crashes, faults, races


def main() -> None:
    """Run everything and print the counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--rounds", type=int, default=500, help="writers to kill (default: 500)")
    parser.add_argument("--processes", type=int, default=8, help="processes that write at once (default: 8)")
    parser.add_argument("--overrides", type=int, default=250, help="overrides of each process (default: 250)")
    parser.add_argument("--stride", type=int, default=1, help="fail every n-th call only (default: every one)")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    given = parser.parse_args()

    def report(line: str) -> None:
        if not given.json:
            print(line, flush=True)

    start = time.monotonic()
    counts = {
        "faults": faults.run(report, stride=given.stride),
        "crashes": crashes.run(report, rounds=given.rounds),
        "races": races.run(report, processes=given.processes, overrides=given.overrides),
    }
    if given.json:
        json.dump(counts, sys.stdout, indent=2)
    else:
        print(f"nothing lost, in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
