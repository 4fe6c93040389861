"""Fault injection: every call of the operating system in an operation fails once, in each of several ways."""

from __future__ import annotations

import errno
import functools
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foreword import AgentMemory, Builder
from foreword.memory import AgentMemoryError
from foreword.store._store import DurabilityError, StoreError
from foreword.store._system import SYSTEM, System

from .invariants import Witness

KINDS = ("ENOSPC", "EIO", "kill")


class Faulty(System):
    """Calls of the operating system of which the ``k``-th fails."""

    def __init__(self, k: int, kind: str) -> None:
        self.count = 0
        self.struck = False
        for name in dir(System):
            if not name.startswith("_"):
                setattr(self, name, self._wrapped(getattr(super(), name), k, kind))

    def _wrapped(self, call: Callable[..., Any], k: int, kind: str) -> Callable[..., Any]:
        @functools.wraps(call)
        def wrapped(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            if self.count == k:
                self.struck = True
                if kind == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise OSError(getattr(errno, kind), os.strerror(getattr(errno, kind)))
            return call(*arguments, **named)

        return wrapped


def operations(prompts: Path) -> dict[str, tuple[Callable[[Path], None], Callable[[Path, System], None]]]:
    """Return each operation: how to set the scene, and what to do."""

    def memory(root: Path, system: System = SYSTEM) -> AgentMemory:
        builder = Builder(prompts_dir=prompts, memory=root, plugins=False, on_diagnostic=lambda _: None)
        return AgentMemory(agent="ada", builder=builder, system=system)

    def created(root: Path) -> None:
        AgentMemory.create(agent="ada", builder=memory(root).builder)

    def unknown(root: Path) -> None:
        copies = root / "souveraine_operations" / "prompts"
        copies.mkdir(parents=True)
        (copies / "AGENTS.md").write_text("I am Ada, of unknown origin.\n")
        (copies / "STYLE.md").write_bytes((prompts / "STYLE.md").read_bytes())

    def overridden(root: Path) -> None:
        created(root)
        memory(root).override("tool_usage", "Ask before you write.", mode="append", reason="first")
        memory(root).override("custom_style", "Short sentences.", reason="second")

    def edited(root: Path) -> None:
        created(root)
        copies = root / "souveraine_operations" / "prompts"
        (copies / "AGENTS.md").write_text("I am Ada, and I have my own words.\n")
        style = copies / "STYLE.md"
        style.write_text(style.read_text().replace("line one", "LINE ONE"))
        memory(root).status()
        (prompts / "STYLE.md").write_text("line one\nline two\nline three\nLINE FOUR\n")
        (prompts / "AGENTS.md").write_text("You are {{ agent_name }} of another house.\n")

    return {
        "create": (
            lambda root: root.mkdir(exist_ok=True),
            lambda root, system: AgentMemory.create(agent="ada", builder=memory(root).builder, system=system) and None,
        ),
        "create over copies": (
            unknown,
            lambda root, system: AgentMemory.create(agent="ada", builder=memory(root).builder, system=system) and None,
        ),
        "override": (
            overridden,
            lambda root, system: memory(root, system).override("custom_style", "Shorter.", reason="x") and None,
        ),
        "upgrade": (edited, lambda root, system: memory(root, system).upgrade() and None),
        "revert": (overridden, lambda root, system: memory(root, system).revert(2) and None),
    }


def run(report: Callable[[str], None], *, stride: int = 1) -> dict[str, int]:
    """Fail every call of every operation, and check after each that nothing is lost.

    Args:
        report: is told a line for each operation.
        stride: every how many calls one fails; 1 is all of them.
    """
    counts: dict[str, int] = {}
    for name in ("create", "create over copies", "override", "upgrade", "revert"):
        for kind in KINDS:
            k, runs = 1, 0
            while _strikes(name, k, kind):
                k += stride
                runs += 1
            counts[f"{name} {kind}"] = runs
        report(f"{name}: " + ", ".join(f"{counts[f'{name} {kind}']} × {kind}" for kind in KINDS))
    return counts


def _strikes(name: str, k: int, kind: str) -> bool:
    """Run one operation with the ``k``-th call failing; return whether there was such a call."""
    work = Path(tempfile.mkdtemp(prefix="foreword-torture-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        prompts, root = work / "prompts", work / "memory"
        prompts.mkdir()
        (prompts / "STYLE.md").write_text("line one\nline two\nline three\nline four\n")
        prepare, act = operations(prompts)[name]
        root.mkdir()
        (root / "notes.md").write_text("what the memory already held\n")
        prepare(root)
        witness = Witness(prompts, root)
        child = os.fork()
        if child == 0:
            faulty = Faulty(k, kind)
            try:
                act(root, faulty)
                os._exit(0 if faulty.struck else 3)
            except (StoreError, DurabilityError, AgentMemoryError):
                os._exit(0)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(9)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 3, -signal.SIGKILL):
            raise AssertionError(f"{name}: call {k} failing with {kind} ended with {code}")
        witness.check(f"{name}, call {k}, {kind}")
        return code != 3
    finally:
        shutil.rmtree(work, ignore_errors=True)
