"""The characters that the scanner looks at, by kind, and the neighbours that make one harmless."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

Kind = Literal[
    "tag",
    "selector",
    "free-selector",
    "plane-14",
    "override",
    "bidi",
    "mark",
    "zero-width",
    "joiner",
    "invisible",
    "soft-hyphen",
    "line-separator",
    "private-use",
    "replacement",
    "nul",
    "escape",
    "control",
]

KINDS: Final[tuple[tuple[int, int, Kind], ...]] = (
    (0x00, 0x00, "nul"),
    (0x01, 0x08, "control"),
    (0x0B, 0x1A, "control"),
    (0x1B, 0x1B, "escape"),
    (0x1C, 0x1F, "control"),
    (0x7F, 0x9F, "control"),
    (0xAD, 0xAD, "soft-hyphen"),
    (0x034F, 0x034F, "invisible"),
    (0x061C, 0x061C, "mark"),
    (0x115F, 0x1160, "invisible"),
    (0x17B4, 0x17B5, "invisible"),
    (0x180B, 0x180D, "free-selector"),
    (0x180E, 0x180E, "zero-width"),
    (0x180F, 0x180F, "free-selector"),
    (0x200B, 0x200B, "zero-width"),
    (0x200C, 0x200D, "joiner"),
    (0x200E, 0x200F, "mark"),
    (0x2028, 0x2029, "line-separator"),
    (0x202A, 0x202C, "bidi"),
    (0x202D, 0x202E, "override"),
    (0x2060, 0x2064, "zero-width"),
    (0x2065, 0x2065, "invisible"),
    (0x2066, 0x2069, "bidi"),
    (0x206A, 0x206F, "invisible"),
    (0x2800, 0x2800, "invisible"),
    (0x3164, 0x3164, "invisible"),
    (0xD800, 0xDFFF, "control"),
    (0xE000, 0xF8FF, "private-use"),
    (0xFE00, 0xFE0F, "selector"),
    (0xFEFF, 0xFEFF, "zero-width"),
    (0xFFA0, 0xFFA0, "invisible"),
    (0xFFF0, 0xFFFB, "invisible"),
    (0xFFFD, 0xFFFD, "replacement"),
    (0x1BCA0, 0x1BCA3, "invisible"),
    (0x1D173, 0x1D17A, "invisible"),
    (0xE0000, 0xE007F, "tag"),
    (0xE0080, 0xE00FF, "plane-14"),
    (0xE0100, 0xE01EF, "selector"),
    (0xE01F0, 0xEFFFF, "plane-14"),
    (0xF0000, 0x10FFFF, "private-use"),
)
"""First, last and kind of each range, in order."""

FLAGS: Final = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The three flags that tag characters are for."""

RTL: Final = re.compile(
    r"[\u0590-\u061B\u061D-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\U00010800-\U00010FFF\U0001E800-\U0001EFFF]"
)

BRAILLE: Final = re.compile(r"[\u2801-\u28FF]")

JAMO: Final = re.compile(r"[\u1100-\u115E\u1161-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]")

# None of the neighbours may be a character that is looked at, or two of them would vouch for each other.
# Scripts whose letters join or stack, from Arabic over the Indic ones to Mongolian and Adlam.
_JOINING = (
    r"\u0600-\u061B\u061D-\u0DFF\u0F00-\u109F\u1700-\u17B3\u17B6-\u180A\u1810-\u18AF\u1900-\u1C7F\u1CD0-\u1CFF"
    r"\uA800-\uAAFF\uABC0-\uABFF\uFB50-\uFDFF\uFE70-\uFEFC\U00010A00-\U00011FFF\U0001E900-\U0001E95F"
)
# Scripts without spaces between words, where a zero-width space allows a line break.
_SPACELESS = r"\u0E00-\u0EFF\u1000-\u109F\u1780-\u17B3\u17B6-\u17FF\u1950-\u19FF\u1A20-\u1AAF\uA9E0-\uA9FF\uAA00-\uAADF"
_MONGOLIAN = r"\u1807\u1810-\u18AF"
_IDEOGRAPHS = r"\u3005\u3007\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF"
_PICTOGRAPHS = (
    r"\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u2460-\u24FF\u25A0-\u27BF\u2900-\u297F"
    r"\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF"
)
_EMOJI_BASES = _PICTOGRAPHS + r"#*0-9\u00B1\u20A0-\u27FF\u2900-\u2BFF\u3200-\u32FF"
# Mathematical symbols, the slashed zero, ideographs, and scripts with standardised variants.
_VARIED = (
    r"0\u1000-\u109F\u2190-\u27BF\u2900-\u2BFF\u3000-\u303F\uA840-\uA87F\uFF00-\uFF65\U00010AC0-\U00010AFF"
    r"\U00013000-\U000143FF\U0001F000-\U0001FAFF" + _IDEOGRAPHS
)


LATIN: Final = r"A-Za-z\u00AA\u00BA\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u1E00-\u1EFF"
"""Latin letters."""

# Cyrillic, Armenian, Cherokee and fullwidth letters; not Greek ones, which units mix with Latin.
FOREIGN: Final = (
    r"\u0400-\u0482\u048A-\u052F\u1C80-\u1C8F\uA640-\uA66E\uA680-\uA69D\u0531-\u0556\u0560-\u0588\u13A0-\u13FD"
    r"\uAB70-\uABBF\uFF21-\uFF3A\uFF41-\uFF5A"
)
"""Letters that look like Latin ones, but for the mathematical ones."""

MATHEMATICAL: Final = r"\U0001D400-\U0001D7CB"
"""Mathematical letters, which look like Latin ones too."""

MARKS: Final = r"\u0300-\u036F"
"""Marks that stand upon the letter before them."""


def char_class(*kinds: Kind, without: str = "", end: int = 0x110000) -> str:
    """Return the inside of a character class that holds these kinds, or all of them.

    Args:
        kinds: the kinds, by default all.
        without: characters of these kinds that are left out.
        end: the first code point beyond those that are taken.
    """
    ranges: list[str] = []
    for low, high, kind in KINDS:
        if low >= end or (kinds and kind not in kinds):
            continue
        for code in (*sorted(ord(char) for char in without if low <= ord(char) <= high), high + 1):
            if low < code:
                ranges.append(f"{_escape(low)}-{_escape(code - 1)}")
            low = code + 1
    return "".join(ranges)


def kind_of(char: str) -> Kind:
    """Return the kind of a character that has one."""
    return KINDS[bisect_right(_STARTS, ord(char)) - 1][2]


def _escape(code: int) -> str:
    return f"\\U{code:08X}"


_STARTS = [low for low, _, _ in KINDS]

# All contexts are assertions behind the character itself.
_JOINED = rf"(?<![{_JOINING}][\u200C\u200D])(?!(?<=[\u200C\u200D])[{_JOINING}])"
_IN_EMOJI = rf"(?!(?<=[{_PICTOGRAPHS}\uFE0F]\u200D)[{_PICTOGRAPHS}])"
_STYLED = rf"(?<![{_EMOJI_BASES}][\uFE0E\uFE0F])"

OFTEN_HARMLESS: Final[Mapping[str, str]] = MappingProxyType(
    {"\u200c": _JOINED, "\u200d": _JOINED + _IN_EMOJI, "\ufe0f": _STYLED}
)
"""Characters that many texts are full of, each with a pattern that matches behind one that nothing makes harmless."""


@cache
def candidate() -> re.Pattern[str]:
    """Return what matches a character that is looked at: it is of some kind, its neighbours do not make it harmless."""
    # The class comes first, for there the engine is fastest.
    return re.compile(
        f"[{char_class()}]{_JOINED}{_IN_EMOJI}"
        rf"(?<![{_SPACELESS}]\u200B)(?!(?<=\u200B)[{_SPACELESS}])"
        rf"(?<![{RTL.pattern[1:-1]}][\u061C\u200E\u200F])(?!(?<=[\u061C\u200E\u200F]){RTL.pattern})"
        rf"{_STYLED}"
        rf"(?<![{_VARIED}][\uFE00-\uFE0D])"
        rf"(?<![{_IDEOGRAPHS}][\U000E0100-\U000E01EF])"
        rf"(?<![{_MONGOLIAN}][\u180B-\u180F])"
    )


@cache
def run() -> re.Pattern[str]:
    """Return what matches more invisible characters in a row than any script needs, whatever stands around them."""
    return re.compile(
        f"[{char_class('zero-width', 'joiner', 'mark', 'soft-hyphen', 'free-selector')}"
        r"\u034F\u115F\u1160\u2065\u206A-\u206F\u3164\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A]{8,}"
    )
