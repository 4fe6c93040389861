"""The command line as its users have it: in a directory of their own, in a pipe or on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from foreword.commands import main


class Ran(NamedTuple):
    """What a command left: its exit status, and what it wrote where."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, with nothing of foreword above it or in the environment."""
    directory = tmp_path / "work"
    (directory / ".git").mkdir(parents=True)
    monkeypatch.chdir(directory)
    for name in list(os.environ):
        if name.startswith("FOREWORD_"):
            monkeypatch.delenv(name)
    return directory


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the script ``foreword`` in this process."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["foreword", *arguments])
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return Ran(int(str(code or 0)), said.out, said.err)

    return run


@pytest.fixture
def process(work: Path) -> Callable[..., Ran]:
    """Runs ``python -m foreword`` in a process of its own, its output in pipes."""

    def process(*arguments: str, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "foreword", *arguments],
            capture_output=True,
            cwd=work,
            env={**os.environ, **environment},
            timeout=60,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return process


@pytest.fixture
def terminal(work: Path) -> Callable[..., Ran]:
    """Runs ``python -m foreword`` with its standard output on a terminal."""

    def terminal(*arguments: str) -> Ran:
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-m", "foreword", *arguments],
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=work,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "400"},
        )
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        assert child.stderr is not None
        said = child.stderr.read().decode()
        child.stderr.close()
        os.close(ours)
        return Ran(child.wait(timeout=60), shown.decode().replace("\r\n", "\n"), said)

    return terminal
