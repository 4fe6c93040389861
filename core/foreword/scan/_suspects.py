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

# Every third byte shows whatever is long: of 200 characters in a row it has 66, and of 21 blanks 7.
_STEP: Final = 3
_IN_RUN: Final = 200 // _STEP
_RUN: Final = b"x" * _IN_RUN
_ROW: Final = b" " * (21 // _STEP)
# What is repeated jumps to where a run would be long enough, and back to the last blank before.
_NO_RUNS: Final = re.compile(rb"(?s:.{0,%d} )*+" % (_IN_RUN - 1))
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_SHAPES: Final = bytes(ord("x") if code in _ALPHABET else ord(".") for code in range(256))
_LONG: Final = 2_000
# What is repeated jumps to where a line would be too long, and back to the last one that ends before.
_SHORT_LINES: Final = re.compile(rf"(?s:.{{0,{_LONG}}}\n)*+")
PLAIN: Final = bytes(range(0x20, 0x7F)) + b"\t\n"
"""The bytes of ASCII that are no control characters."""
_CONTROLS: Final = tuple(chr(code) for code in range(0x80) if code not in PLAIN)
_LARGE: Final = 4_096


def suspected(text: str) -> int:
    """Return the groups of rules that have something to look at in a text, 0 for nearly every text."""
    raw = text.encode("utf-8", "surrogatepass")
    sample = raw[::_STEP].replace(b"\n", b" ").replace(b"\t", b" ")
    found = SHAPE if _ROW in sample or _has_run(sample) or _has_long_line(text) else 0
    if not text.isascii():
        found |= _other_scripts()(text, raw)
    elif _has_control(text, raw):
        found |= CHARACTERS
    if ("<" in text and _tag().search(text) is not None) or ("]" in text and _has_address(text)):
        found |= MARKUP
    return found


def _has_run(sample: bytes) -> bool:
    last = len(sample) - _IN_RUN
    seen = _NO_RUNS.match(sample) if last >= 0 else None
    # Nearly every text has a blank sooner than that.
    return seen is not None and seen.end() <= last and _RUN in sample.translate(_SHAPES)


def _has_control(text: str, raw: bytes) -> bool:
    if len(text) < _LARGE:
        return raw.translate(None, PLAIN) != b""
    # A search for one character looks at many bytes at once, so of a large text all of them take less.
    return any(map(text.__contains__, _CONTROLS))


def _has_long_line(text: str) -> bool:
    last = len(text) - _LONG
    short = _SHORT_LINES.match(text) if last > 0 else None
    return short is not None and short.end() < last


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
