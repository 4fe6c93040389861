"""The chart: for each work how much of its figure foreword takes, drawn as plain SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from .work import Row

LEFT, WIDTH, RIGHT = 470, 300, 190
"""Where the bars begin, how long a bar is that takes all of its figure, and the room after it."""
STEP, TOP = 26, 56
LONGEST = 1.2
"""A bar that takes more than so many times its figure is cut there, and its number says how much it is."""

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .quiet { fill: #57606a }
  .met { fill: #2da44e }
  .missed { fill: #cf222e }
  .rule { stroke: #8c959f; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .met { fill: #3fb950 }
    .missed { fill: #f85149 }
  }
"""


def drawn(rows: Sequence[Row]) -> str:
    """Return the chart of the rows whose figure is a multiple or an amount greater than none."""
    shown = [row for row in rows if row.ratio is not None and row.figure > 0]
    height = TOP + STEP * len(shown) + 12
    width = LEFT + WIDTH + RIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img" aria-labelledby="title">',
            '<title id="title">How much of its figure each work takes</title>',
            f"<style>{STYLE}</style>",
            f'<text x="{LEFT}" y="22" class="quiet">measured, as a part of the figure</text>',
            f'<text x="{LEFT + WIDTH}" y="44" text-anchor="middle" class="quiet">figure</text>',
            *(part for number, row in enumerate(shown) for part in _bar(row, TOP + STEP * number)),
            f'<line x1="{LEFT + WIDTH}" x2="{LEFT + WIDTH}" y1="{TOP - 4}" y2="{height - 8}" class="rule"/>',
            "</svg>\n",
        ]
    )


def _bar(row: Row, y: int) -> Iterator[str]:
    assert row.ratio is not None
    part = row.ratio / row.figure
    length = round(WIDTH * min(part, LONGEST), 1)
    said = f"{row.ratio:,.0f} of {row.figure:,.0f} B" if row.absolute else f"{row.ratio:.2f} of {row.figure:g} ×"
    against = "" if row.absolute else f" / {row.against}"
    yield (
        f'<text x="{LEFT - 10}" y="{y + 14}" text-anchor="end">{escape(row.title)}'
        f'<tspan class="quiet">{escape(against)}</tspan></text>'
    )
    yield f'<rect x="{LEFT}" y="{y + 2}" width="{length}" height="16" rx="3" class="{"met" if row.met else "missed"}"/>'
    yield f'<text x="{LEFT + max(length, 0) + 8}" y="{y + 14}" class="quiet">{escape(said)}</text>'
