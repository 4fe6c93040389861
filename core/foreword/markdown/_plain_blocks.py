"""Plain blocks: the block structure of a text in which every line can be read in one way.

Most texts have nothing but paragraphs, flat lists, headings and code fences, and of these the borders of a
section need only where the headings stand. It is seen without reading the text line by line.
"""

from __future__ import annotations

import re
from typing import Final

from foreword.markdown._blocks import BlockHeading, Blocks

# Letters and blank lines come first, for nearly every line is seen to be plain by its first sign.
_USUAL: Final = r"[A-Za-z\n]|- [A-Za-z]"
_TEXT: Final = r" {0,3}+(?:(?:[-+*]|[0-9]{1,9}[.)]) )?(?:(?:\*\*)?[^\s>#`~<=*_+0-9-]|`[^`])|[ \t]*+(?:\n|\Z)"
"""A line that is blank or text, perhaps of a list item, whose first sign can begin nothing else."""

# A heading, or a line that is not plain. The patterns begin with a literal, which the regular expression
# engine searches for.
_NOTABLE: Final = re.compile(rf"\n(?!{_USUAL})(?:(#{{1,6}})(?=[ \n]|\Z)|(?!{_TEXT}))")
_SHALLOW: Final = re.compile(rf"\n(?!{_USUAL}|#{{3,6}}(?:[ \n]|\Z)|{_TEXT})")
_FENCE: Final = re.compile(r"\n(?:(`{3,})[^`\n]*+|(~{3,})[^\n]*+)(?=\n)")


def plain_blocks(text: str) -> Blocks | None:
    r"""Return what `read_blocks` returns for the lines of a text, or None where that has to be read.

    >>> [heading.text for heading in plain_blocks("- a\n## B\n```\n# no\n```\n").headings]
    ['## B']
    """
    if _is_odd(text):
        return None
    # Every line stands behind a newline; line numbers count those before it.
    text = "\n" + text
    headings: list[BlockHeading] = []
    position = counted = line = 0
    while notable := _NOTABLE.search(text, position):
        start = notable.start()
        if notable[1] is None:
            end = _fence_end(text, start)
            if end < 0:
                return None
            position = end
            continue
        line += text.count("\n", counted, start)
        counted = start
        position = text.find("\n", start + 1)
        position = len(text) if position < 0 else position
        level = len(notable[1])
        headings.append(BlockHeading(level, line, line + 1, 0, text[start + 1 : position], False, True))
    return Blocks(headings, [], None)


def is_deep(text: str) -> bool:
    r"""Return whether a text has plain blocks, no code fence, and no heading of level 1 or 2; in doubt it is not.

    >>> is_deep("### A\n- b"), is_deep("- b\n## A")
    (True, False)
    """
    return _SHALLOW.search("\n" + text) is None and not _is_odd(text)


def _is_odd(text: str) -> bool:
    return "\r" in text or ("]" in text and "]:" in text)


def _fence_end(text: str, start: int) -> int:
    fence = _FENCE.match(text, start)
    if fence is None:
        return -1
    opening = fence[1] or fence[2]
    closing = re.compile(rf"\n {{0,3}}{opening}{opening[0]}*+[ \t]*+(?=\n|\Z)").search(text, fence.end())
    return -1 if closing is None else closing.end()
