"""The first look at a text: which groups of rules have something in it to look at.

It may only say that there is nothing: what it suspects, the rules themselves decide. Nearly every text
for people has nothing, so this is what scanning costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

CHARACTERS: Final = 1
"""A character that is looked at, and that its neighbours do not make harmless."""

WORDS: Final = 2
"""A letter that looks like a Latin one, beside a Latin one."""

MARKUP: Final = 4
"""The beginning of a comment, an image or a control token."""

SHAPE: Final = 8
"""A long line, a long row of white space, or a long run of letters and digits."""

EVERYTHING: Final = CHARACTERS | WORDS | MARKUP | SHAPE
"""Every group of rules."""

PLAIN: Final = bytes(range(0x20, 0x7F)) + b"\t\n"
"""The bytes of ASCII that are no control characters."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_RUN: Final = b"x" * 200
_ROW: Final = b" " * 21
_CONTROL: Final = b"\0"
_OTHER: Final = b"."


def _masked(code: int) -> int:
    if code in _ALPHABET:
        return _RUN[0]
    if code in b" \t\n":
        return _ROW[0]
    return (_OTHER if code in PLAIN or code > 0x7F else _CONTROL)[0]


_MASK: Final = bytes(map(_masked, range(256)))
"""What each byte is a case of."""

_LONG: Final = 2_000
# What is repeated jumps to where a line would be too long, and back to the last one that ends before.
_SHORT_LINES: Final = re.compile(rf"(?s:.{{0,{_LONG}}}\n)*+")


def suspected(text: str) -> int:
    """Return the groups of rules that have something to look at in a text, 0 for nearly every text."""
    raw = text.encode("utf-8", "surrogatepass")
    mask = raw.translate(_MASK)
    found = SHAPE if _ROW in mask or _RUN in mask or (len(text) > _LONG and _has_long_line(text)) else 0
    if not text.isascii():
        found |= _other_scripts()(text, raw)
    elif _CONTROL in mask:
        found |= CHARACTERS
    if ("<" in text and _tag().search(text) is not None) or ("]" in text and _has_address(text)):
        found |= MARKUP
    return found


def _has_long_line(text: str) -> bool:
    short = _SHORT_LINES.match(text)
    return short is not None and short.end() < len(text) - _LONG


def _has_address(text: str) -> bool:
    # One character is looked for first, which is many times as fast as two.
    return "INST]" in text or ("!" in text and "![" in text and "](" in text and "//" in text)


@cache
def _tag() -> re.Pattern[str]:
    return re.compile("<(?:!--|[|<\uff5c]|[Ii][Mm][Gg]|(?:start|end)_of_turn>)")


@cache
def _other_scripts() -> Callable[[str, bytes], int]:
    # What its patterns are made of is loaded only where a text needs it.
    from foreword.scan._scripts import suspected_in

    return suspected_in
