"""Works that are whole processes: starting, and building once."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .contest import Budget, Contender
from .trees import Trees
from .work import Contest, Counted, Work

FLOOR = """
import pluggy, importlib_metadata, click, pydantic
class Model(pydantic.BaseModel):
    name: str = ""
"""
LATE = ("pydantic", "jinja2", "yaml", "foreword_plugins")
"""What ``import foreword`` does not load."""


def script(*arguments: str) -> list[str]:
    """Return the installed command with arguments."""
    return [str(Path(sys.executable).with_name("foreword")), *arguments]


def code(source: str) -> list[str]:
    """Return the command that runs a piece of Python."""
    return [sys.executable, "-c", source]


def process(command: list[str], folder: str) -> Contender:
    """Return a contender that runs a command in a directory until it ends."""
    silent = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
    # What is installed lies there compiled; the round that does not count compiles what does not.
    left_out = ("FOREWORD_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}

    def run() -> float:
        with contextlib.chdir(folder):
            start = time.perf_counter()
            child = os.posix_spawn(command[0], command, environment, file_actions=silent)
            _, status = os.waitpid(child, 0)
            end = time.perf_counter()
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        return end - start

    return run


def against(other: str, mine: list[str], theirs: list[str]) -> Callable[[Trees, Budget], Contest]:
    """Two commands, in an empty directory."""

    def make(trees: Trees, budget: Budget) -> Contest:
        folder = trees.base / "empty"
        folder.mkdir(exist_ok=True)
        return Contest({"foreword": process(mine, str(folder)), other: process(theirs, str(folder))})

    return make


def loads(trees: Trees, budget: Budget) -> Counted:
    """What ``import foreword`` loads that it should not."""
    source = "import sys, foreword; print(*sorted(sys.modules))"
    ended = subprocess.run(code(source), capture_output=True, text=True, check=True)
    loaded = [name for name in ended.stdout.split() if name in LATE]
    return Counted(len(loaded), 1, "modules", f"it loads {', '.join(loaded)}" if loaded else "")


PASS = code("pass")
ROWS = (
    ("import", "import foreword", "pass", 1.5, against("pass", code("import foreword"), PASS)),
    ("version", "foreword --version", "pass", 2.0, against("pass", script("--version"), PASS)),
    ("help", "foreword --help", "pass", 5.0, against("pass", script("--help"), PASS)),
    ("build", "foreword build, built-in defaults", "imports", 1.3, against("imports", script("build"), code(FLOOR))),
)

WORKS = (
    Work(*ROWS[0]),
    Work("import-loads", "import foreword: of pydantic, jinja2, yaml, plugins", "modules", 0, loads, unit="modules"),
    *(Work(*row) for row in ROWS[1:]),
)
