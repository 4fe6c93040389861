"""Somebody else who writes a file: a process of its own, as an editor is, so that reading begins in peace.

The process, ``python -m tests.bench.writer FILE``, writes the file in place at each byte that it is sent.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from .trees import text

ROOT = Path(__file__).parents[2]


class Writer:
    """Has one file written again, with one of two texts of the same shape in turn.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        command = [sys.executable, "-m", "tests.bench.writer", path]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._ask, self._answer = self._process.stdin, self._process.stdout
        os.set_blocking(self._answer.fileno(), False)
        weakref.finalize(self, _end, self._process)

    def write(self) -> None:
        """Return when the file is written."""
        self._ask.write(b"?")
        # A processor that sleeps meanwhile wakes up slow, for whoever is timed then.
        while self._answer.read(1) is None:
            if self._process.poll() is not None:
                raise RuntimeError("the process that writes has ended")
            os.sched_yield()


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


def write_again(path: str) -> Callable[[], None]:
    """Return what writes a file in place, with one of two texts of the same shape in turn."""
    texts = cycle([text(f"{Path(path).stem} {which}") for which in ("one", "two")])

    def write() -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(next(texts))

    return write


def _serve(path: str) -> None:
    write = write_again(path)
    while os.read(sys.stdin.fileno(), 1):
        write()
        os.write(sys.stdout.fileno(), b"!")


if __name__ == "__main__":
    _serve(sys.argv[1])
