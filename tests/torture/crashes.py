"""Killing writers: whatever the moment, at most the change in flight is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from foreword import AgentMemory, Builder

from .invariants import Witness


def run(report: Callable[[str], None], *, rounds: int = 500, seed: int = 1) -> dict[str, int]:
    """Kill a writer at a random moment, again and again, in one memory.

    Args:
        report: is told a line at the end.
        rounds: how many writers are killed.
        seed: of the random moments.
    """
    work = Path(tempfile.mkdtemp(prefix="foreword-crash-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    chance = random.Random(seed)
    acknowledged = lost = 0
    try:
        root = work / "memory"
        AgentMemory.create(root, "ada")
        for number in range(rounds):
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reading)
                _write(root, writing, number)
                os._exit(0)
            os.close(writing)
            # Every other writer is given the time for one change, however slow the machine.
            begun = os.read(reading, 1) if number % 2 else b""
            time.sleep(chance.uniform(0.0, 0.06))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            with os.fdopen(reading, "rb") as pipe:
                lines = (begun + pipe.read()).decode().splitlines(keepends=True)
            told = [line.strip() for line in lines if line.endswith("\n")]
            builder = Builder(memory=root, plugins=False, on_diagnostic=lambda _: None)
            memory = AgentMemory(agent="ada", builder=builder)
            reasons = {entry.why for entry in memory.history()}
            acknowledged += len(told)
            lost += sum(reason not in reasons for reason in told)
            if number % 50 == 49:
                Witness(None, root).check(f"round {number}")
        assert lost == 0, f"{lost} acknowledged changes are lost"
        report(f"{rounds} writers killed, {acknowledged} acknowledged changes, {lost} lost")
        return {"rounds": rounds, "acknowledged": acknowledged, "lost": lost}
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write(root: Path, told: int, number: int) -> None:
    builder = Builder(memory=root, plugins=False, on_diagnostic=lambda _: None)
    memory = AgentMemory(agent="ada", builder=builder)
    for step in range(1000):
        reason = f"{number}.{step}"
        memory.override(f"custom_{step % 5}", f"text {reason} " * 200, reason=reason)
        os.write(told, f"{reason}\n".encode())
