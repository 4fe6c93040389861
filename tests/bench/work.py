"""What one row is: the work, what it is held against, and what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from .contest import Budget, Contender, race
from .trees import Trees

Unit = Literal["seconds", "instructions", "bytes", "modules"]


@dataclass(frozen=True, slots=True)
class Contest:
    """Contenders that are run in turn.

    Attributes:
        contenders: ``foreword`` and those that it is held against, by name.
        checks: what must hold besides the time; each returns what is wrong, or an empty text.
    """

    contenders: Mapping[str, Contender]
    checks: Sequence[Callable[[], str]] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted instead of timed, for foreword and what it is held against."""

    foreword: float
    against: float
    unit: Unit
    wrong: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """One row of the table.

    Attributes:
        name: what it is called on the command line.
        title: what it is.
        against: the contender that the figure is a multiple of.
        figure: the figure: foreword costs at most so many times what the other does.
        make: makes the contest, or counts.
        unit: what ``figure`` itself is, where it is no multiple.
    """

    name: str
    title: str
    against: str
    figure: float
    make: Callable[[Trees, Budget], Contest | Counted]
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What one work came to."""

    name: str
    title: str
    figure: float
    against: str
    foreword: float | None = None
    ratio: float | None = None
    medians: Mapping[str, float] = field(default_factory=dict[str, float])
    unit: Unit = "seconds"
    absolute: bool = False
    wrong: str = ""
    note: str = ""
    took: float = 0.0

    @property
    def met(self) -> bool:
        """Whether the figure is met, and everything else about the work holds."""
        return self.ratio is not None and self.ratio <= self.figure and not self.wrong

    def as_json(self) -> dict[str, Any]:
        """Return the row for ``--json``."""
        return {**asdict(self), "met": self.met}


def measured(work: Work, trees: Trees, budget: Budget) -> Row:
    """Measure one work; what goes wrong with it is said in its row, and the others go on."""
    start = time.monotonic()
    row = Row(work.name, work.title, work.figure, work.against)
    try:
        made = work.make(trees, budget)
        if isinstance(made, Counted):
            return replace(_counted(row, work, made), took=time.monotonic() - start)
        medians = race(made.contenders, budget)
        wrong = "; ".join(filter(None, (check() for check in made.checks)))
    except Exception as cause:
        first = (str(cause).splitlines() or [""])[0]
        return replace(row, wrong=f"{type(cause).__name__}: {first}", took=time.monotonic() - start)
    foreword = medians["foreword"]
    ratio = foreword / medians[work.against]
    return replace(row, foreword=foreword, ratio=ratio, medians=medians, wrong=wrong, took=time.monotonic() - start)


def _counted(row: Row, work: Work, made: Counted) -> Row:
    absolute = work.unit is not None
    return replace(
        row,
        foreword=made.foreword,
        ratio=made.foreword if absolute else made.foreword / made.against,
        medians={"foreword": made.foreword, **({} if absolute else {work.against: made.against})},
        unit=made.unit,
        absolute=absolute,
        wrong=made.wrong,
        note=made.note,
    )
