"""Fuzz what reads strangers' texts: ``python -m tests.fuzz [--seconds N] [TARGET ...]``; needs ``foreword[fuzz]``."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from .targets import LARGEST, SEEDS, TARGETS

HANG = 15
"""Seconds that one input may take; what an input of its length should cost is the targets' own to say."""


class Figures(NamedTuple):
    """What the run of one target gave."""

    target: str
    executions: int
    per_second: int
    crashes: int
    hangs: int


def main() -> int:
    """Run the targets one after another, print a table, and return 1 when anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=90, help="for all targets together (default: 90)")
    parser.add_argument("--keep", type=Path, help="a directory for the inputs that were found (default: a new one)")
    given = parser.parse_args()
    targets = given.targets or list(TARGETS)
    if unknown := set(targets) - set(TARGETS):
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    keep = given.keep or Path(tempfile.mkdtemp(prefix="foreword-fuzz-"))
    print(f"{'target':16} {'executions':>10} {'exec/s':>7} {'crashes':>7} {'hangs':>5}", flush=True)
    found = 0
    for target in targets:
        figures = _run(target, max(given.seconds // len(targets), 1), keep)
        name, executions, per_second, crashes, hangs = figures
        print(f"{name:16} {executions:>10,} {per_second:>7,} {crashes:>7} {hangs:>5}", flush=True)
        found += crashes + hangs
    if found:
        print(f"what was found: {keep}")
    return 1 if found else 0


def _run(target: str, seconds: int, keep: Path) -> Figures:
    corpus = keep / target / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    words = keep / target / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in TARGETS[target].words))
    command = [sys.executable, "-m", "tests.fuzz.child", target, str(corpus), str(SEEDS / target)]
    options = {
        "max_total_time": seconds,
        "max_len": LARGEST,
        "timeout": HANG,
        "rss_limit_mb": 2048,
        "dict": words,
        "artifact_prefix": f"{keep / target}/",
        "print_final_stats": 1,
        "seed": 1,
    }
    ended = subprocess.run(
        [*command, *(f"-{name}={value}" for name, value in options.items())],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    log = ended.stdout + ended.stderr
    (keep / target / "log").write_text(log)
    executions = max((int(number) for number in re.findall(r"^#(\d+)\t", log, re.MULTILINE)), default=0)
    stat = re.search(r"number_of_executed_units: (\d+)", log)
    executions = int(stat[1]) if stat else executions
    hangs = len(list((keep / target).glob("timeout-*"))) + log.count("AssertionError: hang")
    crashes = 0 if ended.returncode == 0 or hangs else 1
    if ended.returncode:
        print("\n".join(log.splitlines()[-40:]), file=sys.stderr)
    return Figures(target, executions, executions // seconds, crashes, hangs)


def _escaped(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    plain = {ord(char) for char in map(chr, range(0x20, 0x7F))} - {ord('"'), ord("\\")}
    return "".join(chr(code) if code in plain else f"\\x{code:02X}" for code in word.encode())


if __name__ == "__main__":
    sys.exit(main())
