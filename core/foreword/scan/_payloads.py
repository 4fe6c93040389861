"""Payloads: the text that invisible characters spell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from foreword.scan._findings import shown

PAYLOAD_LIMIT: Final = 2_000
"""How many characters of a payload are told."""

CARRIER_LIMIT: Final = 9 * PAYLOAD_LIMIT
"""How many characters that carry a payload are read."""

_CODE_POINT_BITS: Final = 21
_LANGUAGE_TAG, _CANCEL_TAG = "\x01", "\x7f"


def tags(chars: str) -> str:
    r"""Return what tag characters spell.

    >>> tags("\U000E0068\U000E0069")
    'hi'
    """
    spelt = "".join(chr(ord(char) - 0xE0000) for char in chars)
    return shown(spelt.removeprefix(_LANGUAGE_TAG).removesuffix(_CANCEL_TAG), PAYLOAD_LIMIT)


def selectors(chars: str) -> str:
    r"""Return what variation selectors spell, one byte each.

    >>> selectors("\U000E0158\U000E0159")
    'hi'
    """
    data = bytes(_selector_byte(ord(char)) for char in chars)
    try:
        return shown(data.decode("utf-8"), PAYLOAD_LIMIT)
    except UnicodeDecodeError:
        return shown(data.decode("latin-1"), PAYLOAD_LIMIT)


def bits(*readings: str) -> str | None:
    r"""Return what zero-width characters spell in binary, or None when they spell nothing known.

    Args:
        readings: the characters, and what else they may be, likelier first.

    >>> bits("".join("\u200c" if bit == "1" else "\u200b" for bit in f"{ord('h'):08b}{ord('i'):08b}"))
    'hi'
    """
    # A character too many, before or after, does not hide the rest.
    cut = [part for chars in readings for part in (chars[: len(chars) // 8 * 8], chars[len(chars) % 8 :])]
    best, worst = None, 4
    for guess in _all_guesses(readings, cut):
        # Two readings may both be text; ASCII is likelier than an accident in UTF-8.
        badness = 2 * (not guess.translate({9: None, 10: None}).isprintable()) + (not guess.isascii())
        if badness < worst:
            best, worst = guess, badness
        if not badness:
            break
    return None if best is None else shown(best, PAYLOAD_LIMIT)


def _selector_byte(code: int) -> int:
    return code - 0xFE00 if code <= 0xFE0F else code - 0xE0100 + 16


def _all_guesses(readings: Sequence[str], cut: Sequence[str]) -> Iterator[str]:
    # Eight bits first: the top bit of ASCII is always 0, so that only one reading of the symbols fits.
    for width in (8, 7):
        for chars in readings:
            yield from _guesses(chars, width)
    for chars in cut:
        yield from filter(str.isprintable, _guesses(chars, 8))


def _guesses(chars: str, width: int) -> Iterator[str]:
    symbols = sorted(set(chars))
    if len(symbols) == 2:
        yield from _binary(chars, symbols, width)
    if len(symbols) == 3:
        for mark in symbols:
            rest = [symbol for symbol in symbols if symbol != mark]
            yield from _binary(chars.strip(mark), rest, width)
            yield from _separated(chars, mark, rest)
    if len(symbols) == 4:
        yield from _digits(chars, symbols, 4, 4)


def _binary(chars: str, symbols: list[str], width: int) -> Iterator[str]:
    for zero_and_one in (symbols, symbols[::-1]):
        yield from _digits(chars, zero_and_one, 2, width)


def _digits(chars: str, symbols: list[str], base: int, width: int) -> Iterator[str]:
    digits = chars.translate({ord(symbol): str(value) for value, symbol in enumerate(symbols)})
    if not digits or len(digits) % width or not digits.isascii():
        return
    groups = [int(digits[start : start + width], base) for start in range(0, len(digits), width)]
    try:
        yield bytes(groups).decode("utf-8")
    except UnicodeDecodeError:
        return


def _separated(chars: str, mark: str, symbols: list[str]) -> Iterator[str]:
    parts = [part for part in chars.split(mark) if part]
    if max(map(len, parts), default=_CODE_POINT_BITS + 1) > _CODE_POINT_BITS:
        return
    for zero_and_one in (symbols, symbols[::-1]):
        table = {ord(symbol): str(value) for value, symbol in enumerate(zero_and_one)}
        codes = [int(part.translate(table), 2) for part in parts]
        if all(code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF for code in codes):
            yield "".join(map(chr, codes))
