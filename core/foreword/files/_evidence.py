"""Evidence: what shows that a reader would answer as it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from foreword.files._markdown_file import Directory
from foreword.files._names import Readings
from foreword.files._questions import Answer, DirectoryKey, FileKey, Kept, Observation
from foreword.files._reading import Reading
from foreword.files._roots import Root
from foreword.files._stamps import Evidence
from foreword.files._ways import evidence_of_absence

MISSING: Final = Directory((), (), exists=False)
"""A directory that is not there."""


def evidence_of(
    readings: Readings, observations: Sequence[Observation], absent: Sequence[tuple[Root, str]]
) -> Evidence | None:
    """Return what shows that all answers still hold, or None where they have to be asked for again.

    Args:
        readings: what was read.
        observations: what was asked, and answered.
        absent: paths below a root at which nothing is.
    """
    found: list[Evidence] = []
    for root, path in absent:
        gone = evidence_of_absence(root, path)
        if gone is None:
            return None
        found.append(gone)
    for key, answer in observations:
        kept = readings.get(key)
        if answer is MISSING and isinstance(key, DirectoryKey):
            evidence = evidence_of_absence(key.root, key.sub)
        elif answer is None and isinstance(key, FileKey):
            evidence = evidence_of_absence(key.root, key.name)
        else:
            evidence = kept.evidence if kept is not None and _is_of(kept, answer) else None
        if evidence is None:
            return None
        found.append(evidence)
    return Evidence.of_all(found)


def _is_of(kept: Reading | Kept, answer: Answer) -> bool:
    """Say whether what is kept is what was answered: since then another batch may have read something else."""
    return kept.directory is answer if isinstance(kept, Reading) else kept.answer == answer
