"""What became of copies and overrides in a build."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from foreword._memory_record import MemoryRecord
from foreword._prepared import Step
from foreword._resolution import Resolution

from ._memory_files import MemoryFiles
from ._override import overrides
from ._sections import section_of
from ._status import CopyStatus, OverrideStatus


def override_statuses(
    files: MemoryFiles, resolution: Resolution, waiting: Collection[str]
) -> tuple[OverrideStatus, ...]:
    """Return the state of every override, sorted by file; one that took no part in the build has no outcome."""
    found: list[OverrideStatus] = []
    for file, step in _steps(resolution, files.namespace, MemoryRecord.OVERRIDES):
        mode = "replace" if step.edit.mode == "plain" else step.edit.mode
        found.append(OverrideStatus(file, step.edit.id, mode, step.outcome, step.reason, step.outcome == "stale"))
    told = {status.file for status in found}
    edits = overrides(files)
    for path, data in files.documents().items():
        folder, _, file = path.partition("/")
        if folder == MemoryRecord.OVERRIDES and file not in told:
            edit = edits.get(file)
            mode = (edit.mode if edit is not None else None) or "replace"
            reason = "it waits for the operator's approval" if path in waiting else "it says nothing in this build"
            found.append(OverrideStatus(file, section_of(path, data) or "", mode, None, reason, False))
    return tuple(sorted(found, key=lambda status: status.file))


def with_outcomes(
    statuses: tuple[CopyStatus, ...], resolution: Resolution, namespace: str
) -> tuple[CopyStatus, ...]:
    """Return the states of copies with what becomes of each in a build."""
    steps = dict(_steps(resolution, namespace, MemoryRecord.COPIES))
    return tuple(
        status._replace(outcome=steps[status.file].outcome, reason=steps[status.file].reason)
        if status.file in steps
        else status
        for status in statuses
    )


def _steps(resolution: Resolution, namespace: str, kind: str) -> Iterator[tuple[str, Step]]:
    folder = f"{namespace}/{kind}/"
    layer = "memory" if kind == MemoryRecord.COPIES else "override"
    for steps in resolution.chains.values():
        for step in steps:
            path = step.edit.place.path
            if step.edit.layer == layer and folder in path:
                yield path.rpartition(folder)[2], step
