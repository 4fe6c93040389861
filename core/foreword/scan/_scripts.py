"""The first look at a text that is not ASCII: whether a character or a word in it may be what it does not seem."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from foreword.scan._classes import FOREIGN, LATIN, MARKS, OFTEN_HARMLESS, char_class
from foreword.scan._suspects import CHARACTERS, PLAIN, WORDS

# In a regular expression over characters, ranges beyond the first plane would make every other character
# dear. In UTF-8 what is looked at there begins with F3 or F4, or in plane 1 with one of these pairs.
_IN_PLANE_1: Final = re.compile(rb"\xf0[\x9b\x9d]")

_LOOKED_AT: Final = char_class(without="".join(OFTEN_HARMLESS), end=0x10000)
_HIDDEN: Final = re.compile(f"[{_LOOKED_AT}]")
_NOTABLE: Final = re.compile(f"[{_LOOKED_AT}{FOREIGN}]")


def suspected_in(text: str, raw: bytes) -> int:
    """Return whether characters and words of a text have to be looked at.

    Args:
        text: the text.
        raw: its bytes in UTF-8.
    """
    # Where plain characters are not most of a text, taking them away costs more than looking at them.
    is_mixed = 2 * len(raw) < 3 * len(text)
    odd = raw.translate(None, PLAIN) if is_mixed else raw
    if 0xF3 in odd or 0xF4 in odd or (0xF0 in odd and _IN_PLANE_1.search(odd) is not None):
        return CHARACTERS | WORDS
    left = odd.decode("utf-8", "surrogatepass") if is_mixed else text
    found = 0
    if _NOTABLE.search(left) is not None:
        found = CHARACTERS if _HIDDEN.search(left) is not None else 0
        # Fewer places are tried where the rarer kind of letter comes first.
        if _beside(foreign_first=2 * len(left) < len(text)).search(text) is not None:
            found |= WORDS
    for char in OFTEN_HARMLESS:
        if char in left and _harmful(char).search(text) is not None:
            found |= CHARACTERS
    return found


@cache
def _beside(*, foreign_first: bool) -> re.Pattern[str]:
    first, second = f"[{FOREIGN}]", f"[{LATIN}{MARKS}]"
    if not foreign_first:
        first, second = second, first
    return re.compile(f"{first}(?:(?={second})|(?<={second}{first}))")


@cache
def _harmful(char: str) -> re.Pattern[str]:
    return re.compile(char + OFTEN_HARMLESS[char])
