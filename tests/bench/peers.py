"""Other packages that can do the same work, each in an environment that is made for it, and what they take."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .contest import Budget
from .counting import ROOT
from .peer import PEERS
from .trees import Trees

HEADS = ("package", "version", "cold", "× naive", "× foreword", "again", "× naive", "× foreword")
WIDTHS = (15, 10, 11, 8, 11, 11, 8, 11)


def run(trees: Trees, budget: Budget, environments: Path, *, as_json: bool) -> int:
    """Run every package, print a table of ratios, and return 1 when one could not be run.

    Args:
        trees: the directories that are read.
        budget: how long each is timed.
        environments: where their environments are made, or lie already.
        as_json: print JSON instead.
    """
    directory = trees("ascii").prompts
    results: dict[str, dict[str, Any]] = {}
    say: Callable[[str], None] = (lambda line: None) if as_json else (lambda line: print(line, flush=True))
    say(_padded(HEADS))
    for name in PEERS:
        try:
            python = sys.executable if name == "foreword" else str(_environment(environments / name, name))
            command = [python, "-m", "tests.bench.peer", name, directory, str(budget.seconds)]
            ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        except subprocess.CalledProcessError as cause:
            results[name] = {"failed": (cause.stderr.strip().splitlines() or [str(cause)])[-1]}
            say(f"{name:15} failed: {results[name]['failed']}")
            continue
        results[name] = json.loads(ended.stdout)
        say(_padded(_cells(name, results[name], results.get("foreword", {}))))
    if as_json:
        json.dump(results, sys.stdout, indent=1)
    return 1 if any("failed" in result for result in results.values()) else 0


def _environment(folder: Path, package: str) -> Path:
    """Return the interpreter of an environment that has the package, and nothing of foreword."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        subprocess.run(command, capture_output=True, text=True, check=True)
    return python


def _cells(name: str, result: dict[str, Any], ours: dict[str, Any]) -> tuple[str, ...]:
    cells: list[str] = [name, result["version"]]
    for work in ("cold", "again"):
        multiple = result[work] / result["naive"]
        # Both stand against the plain script in their own process: that is one machine at one moment.
        own = ours[work] / ours["naive"] if "naive" in ours else None
        compared = "" if own is None else f"{multiple / own:.1f}"
        cells += [f"{result[work] * 1e6:,.0f} µs", f"{multiple:.1f}", compared]
    return tuple(cells)


def _padded(cells: tuple[str, ...]) -> str:
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
