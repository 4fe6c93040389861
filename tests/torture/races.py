"""Many writers of one memory: no update is lost, and no reader sees half a file."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from foreword import AgentMemory, Builder
from foreword.memory import MemoryConflict
from foreword.store._lock import LockTimeout


def run(report: Callable[[str], None], *, processes: int = 8, overrides: int = 250) -> dict[str, int]:
    """Let many processes count in one section, each by reading and writing it, and see that the sum is right.

    Args:
        report: is told a line at the end.
        processes: how many processes write.
        overrides: how many overrides each of them makes.
    """
    work = Path(tempfile.mkdtemp(prefix="foreword-race-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        root = work / "memory"
        AgentMemory.create(root, "ada")
        _memory(root).override("custom_count", "0")
        children: list[int] = []
        for _ in range(processes):
            child = os.fork()
            if child == 0:
                try:
                    for _ in range(overrides):
                        _increment(root)
                    os._exit(0)
                except BaseException:
                    traceback.print_exc()
                    os._exit(9)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        total = int(_memory(root).builder.build("ada").section("custom_count").text)
        assert codes == [0] * processes, codes
        assert total == processes * overrides, f"{processes * overrides - total} updates are lost"
        report(f"{processes} processes × {overrides} overrides: {total} counted, 0 lost")
        return {"processes": processes, "overrides": overrides, "counted": total}
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _memory(root: Path) -> AgentMemory:
    return AgentMemory(agent="ada", builder=Builder(memory=root, plugins=False, on_diagnostic=lambda _: None))


def _increment(root: Path) -> None:
    memory = _memory(root)
    while True:
        seen = memory.section("custom_count")
        assert seen.effective is not None
        try:
            memory.override("custom_count", str(int(seen.effective) + 1), if_match=seen.match)
        except (MemoryConflict, LockTimeout):
            continue
        return
