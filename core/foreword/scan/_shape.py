"""The scanner's rules for the shape of a text: what is too long or too far away to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from foreword.scan._findings import Described, Findings

_LONG: Final = 2_000
_VERY_LONG: Final = 10_000
_FAR_RIGHT = re.compile(r"(?<! ) {80,}+(?=\S)")
_FAR_DOWN = re.compile(r"\n(?:[ \t]*+\n){5,}+")
_FAR_SPACES: Final = 80
_FAR_LINES: Final = 20

_RUN_LENGTH: Final = 200
_DISTINCT: Final = 10
_SAMPLE: Final = 4_096
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_MASK = bytes(ord("x") if code in _ALPHABET else ord(" ") for code in range(256))
_NEEDLE = b"x" * _RUN_LENGTH
_MASKED_RUN = re.compile(rb"x+")


def scan_shape(text: str, findings: Findings) -> None:
    """Report long lines, and text pushed off the screen."""
    for begin, end in long_lines(text):
        rule = "very-long-line" if end - begin > _VERY_LONG else "long-line"
        findings.add(rule, begin, partial(Described, f"a line of {end - begin:,} characters"))
    for begin, end in far_away(text):
        down = text[begin] == "\n"
        what = f"{text.count(chr(10), begin, end) - 1} blank lines" if down else f"{end - begin:,} spaces"
        findings.add("push-off", begin, partial(Described, f"text behind {what}"))


def scan_base64(text: str, findings: Findings) -> None:
    """Report long runs that look like base64, and whether they hold text."""
    for begin, end in base64_runs(text):
        findings.add("base64", begin, partial(_describe_base64, text[begin : min(end, begin + _SAMPLE)], end - begin))


def long_lines(text: str) -> Iterator[tuple[int, int]]:
    """Give where each line that is too long begins and ends.

    Jumps by the length that is allowed, so most of a text is not looked at.
    """
    begin = 0
    while len(text) - begin > _LONG:
        newline = text.rfind("\n", begin, begin + _LONG + 1)
        if newline >= 0:
            begin = newline + 1
            continue
        end = text.find("\n", begin + _LONG)
        end = len(text) if end < 0 else end
        yield begin, end
        begin = end + 1


def far_away(text: str) -> Iterator[tuple[int, int]]:
    """Give the spaces or blank lines that push text off the screen."""
    if " " * _FAR_SPACES in text:
        yield from (match.span() for match in _FAR_RIGHT.finditer(text))
    if b"\n" * (_FAR_LINES + 1) not in text.encode("ascii", "replace").translate(None, b" \t"):
        return
    for match in _FAR_DOWN.finditer(text):
        if match.end() < len(text) and text.count("\n", *match.span()) > _FAR_LINES:
            yield match.span()


def base64_runs(text: str) -> Iterator[tuple[int, int]]:
    """Give the long runs of letters and digits that are no word and no ruler."""
    # One byte for each code point, so that a place in the mask is one in the text.
    mask = text.encode("ascii", "replace").translate(_MASK)
    begin = mask.find(_NEEDLE)
    while begin >= 0:
        end = next(_MASKED_RUN.finditer(mask, begin)).end()
        if len(set(text[begin : min(end, begin + _SAMPLE)])) >= _DISTINCT:
            yield begin, end
        begin = mask.find(_NEEDLE, end)


def _describe_base64(sample: str, length: int) -> Described:
    import base64

    whole = sample[: len(sample) // 4 * 4].replace("-", "+").replace("_", "/")
    data = base64.b64decode(whole)
    # The sample may end inside a character.
    text = data.decode("utf-8", "ignore")
    readable = len(text.encode()) >= len(data) - 3 and text.translate({9: None, 10: None, 13: None}).isprintable()
    inside = "text" if readable else "no text"
    return Described(f"a run of {length:,} characters that looks like base64; decoded it holds {inside}")
