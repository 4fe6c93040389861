"""How the rows are shown: as a table, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .work import Row

WIDTHS = (19, 58, 10, 10, 10, 26, 9, 7)
HEADS = ("work", "what it is", "foreword", "naive", "limit", "other", "ratio", "figure")


def heading() -> str:
    """Return the first line of the table."""
    return f"{_padded(HEADS)} met"


def line(row: Row) -> str:
    """Return the line of one row."""
    said = row.wrong or row.note
    return f"{_padded(_cells(row))} {'yes' if row.met else 'NO'}{f'  ({said})' if said else ''}"


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table as Markdown."""
    yield f"| {' | '.join(HEADS[1:])} |"
    yield f"| --- | --- {'| ---: ' * 6}|".replace("--- | --- |", "--- |", 1)
    for row in rows:
        cells = [*_cells(row)[1:]]
        if not row.met:
            cells[-1] += " (not met)"
        yield f"| {' | '.join(cells)} |"


def _cells(row: Row) -> tuple[str, ...]:
    shown = {name: _amount(value, row) for name, value in row.medians.items()}
    others = [f"{name} {value}" for name, value in shown.items() if name not in ("foreword", "naive", "limit")]
    ratio = "" if row.ratio is None else _amount(row.ratio, row) if row.absolute else f"{row.ratio:.2f} ×"
    return (
        row.name,
        row.title,
        shown.get("foreword", ""),
        shown.get("naive", ""),
        shown.get("limit", ""),
        ", ".join(others),
        ratio,
        _amount(row.figure, row) if row.unit == "bytes" or row.absolute else f"{row.figure:g} ×",
    )


def _amount(value: float, row: Row) -> str:
    if row.unit == "instructions":
        return f"{value / 1000:,.1f} k"
    if row.unit != "seconds":
        return f"{value:,.0f}{' B' if row.unit == 'bytes' else ''}"
    return f"{value * 1000:,.1f} ms" if value >= 0.001 else f"{value * 1e6:,.1f} µs"


def _padded(cells: Sequence[str]) -> str:
    aligned = [
        f"{cell:<{width}}" if number < 2 else f"{cell:>{width}}"
        for number, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    ]
    return " ".join(aligned)
