"""Counting instead of timing: instructions with callgrind, system calls with strace, in a process of its own.

The process, ``python -m tests.bench.counting BASE TASK ...``, marks where each task begins and ends with a call
that nothing else makes; both programs count from mark to mark.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from .trees import Trees

ROOT = Path(__file__).parents[2]
MARK = "getpriority"
"""The function of the C library that marks; its name is known to callgrind and to strace alike."""
NOT_FILES = {"mmap", "munmap", "mremap", "mprotect", "brk", MARK}
"""System calls among those of descriptors that are about memory, which the allocator makes as it likes."""


class Absent(Exception):
    """The program that counts is not installed, or cannot work here."""


def instructions(trees: Trees, tasks: Sequence[str]) -> dict[str, int]:
    """Return the instructions of each task, counted by callgrind, with hash seed 0.

    Raises:
        Absent: valgrind is not there, or does not work here.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--callgrind-out-file={folder}/out", f"--dump-before={MARK}"]
        done = _counted("valgrind", ["--tool=callgrind", *options], trees, tasks)
        totals: list[int] = []
        for number in range(1, 2 * len(done) + 1):
            found = re.search(r"^totals: (\d+)", Path(f"{folder}/out.{number}").read_text(), re.MULTILINE)
            assert found is not None
            totals.append(int(found[1]))
    return _least(done, totals[1::2])


def system_calls(trees: Trees, tasks: Sequence[str]) -> dict[str, int]:
    """Return how many system calls about files each task makes, counted by strace.

    Raises:
        Absent: strace is not there, or may not trace here.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        done = _counted("strace", ["-f", "-e", f"trace=%file,%desc,{MARK}", "-o", str(log)], trees, tasks)
        called = re.findall(r"^\d+ +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE)
    between: list[int] = []
    for name in called:
        if name == MARK:
            between.append(0)
        elif between and name not in NOT_FILES:
            between[-1] += 1
    return _least(done, between[0::2])


def seconds(trees: Trees, tasks: Sequence[str]) -> dict[str, float]:
    """Return the seconds of each task, for want of something that counts."""
    from .tasks import TASKS

    taken: dict[str, list[float]] = {}
    for name in tasks:
        for step in TASKS[name](trees):
            gc.collect()
            start = time.perf_counter()
            step()
            taken.setdefault(name, []).append(time.perf_counter() - start)
    return {name: min(times) for name, times in taken.items()}


def _counted(program: str, options: Sequence[str], trees: Trees, tasks: Sequence[str]) -> list[str]:
    """Run the tasks under a program and return their names in the order in which they were done."""
    if shutil.which(program) is None:
        raise Absent(f"{program} is not installed")
    trees("ascii")
    ended = subprocess.run(
        [program, *options, sys.executable, "-m", "tests.bench.counting", str(trees.base), *tasks],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise Absent(f"{program} ended with {ended.returncode}: {ended.stderr.strip().splitlines()[-1:]}")
    return ended.stdout.split()


def _least(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    least: dict[str, int] = {}
    for name, count in zip(names, counts, strict=True):
        least[name] = min(count, least.get(name, count))
    return least


def _mark() -> None:
    os.getpriority(os.PRIO_PROCESS, 0)


def _do(trees: Trees, tasks: Sequence[str]) -> Iterator[str]:
    """Do each task between marks, and yield its name each time."""
    from .tasks import TASKS

    for name in tasks:
        for step in TASKS[name](trees):
            gc.collect()
            _mark()
            step()
            _mark()
            yield name


if __name__ == "__main__":
    print(*_do(Trees(Path(sys.argv[1])), sys.argv[2:]), sep="\n")
