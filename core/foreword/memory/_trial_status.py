"""What became of the overrides in a build."""

from __future__ import annotations

from foreword._builder import Builder
from foreword._memory_record import MemoryRecord
from foreword._plan import Plan
from foreword._resolve import resolve

from ._status import OverrideStatus


def override_statuses(builder: Builder, plan: Plan, namespace: str) -> tuple[OverrideStatus, ...]:
    """Return the state of every override that takes part in a build, sorted by file."""
    resolution = resolve(plan.prepared(), builder.policy)
    folder = f"{namespace}/{MemoryRecord.OVERRIDES}/"
    found: list[OverrideStatus] = []
    for id, steps in resolution.chains.items():
        for step in steps:
            if step.edit.layer == "override":
                file = step.edit.place.path.partition(folder)[2] or step.edit.place.path
                mode = "replace" if step.edit.mode == "plain" else step.edit.mode
                stale = step.outcome == "stale"
                found.append(OverrideStatus(file, id, mode, step.outcome, step.reason, stale))
    return tuple(sorted(found, key=lambda status: status.file))
