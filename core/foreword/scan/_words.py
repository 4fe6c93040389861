"""The scanner's rules for words: letters that look like others."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import Final

from foreword.scan._classes import FOREIGN, LATIN, MARKS, MATHEMATICAL
from foreword.scan._findings import BUDGET, Described, Findings, code_point, named, shown

_FOREIGN = FOREIGN + MATHEMATICAL
_MARK_LIMIT = 8
_WORD_LIMIT: Final = 64

# The class comes first, for there the engine is fastest.
_MIXED = re.compile(
    f"[{_FOREIGN}]"
    f"(?:(?<=[{LATIN}][{_FOREIGN}])|(?<=[{LATIN}][{MARKS}][{_FOREIGN}])|(?=[{MARKS}]{{0,{_MARK_LIMIT}}}[{LATIN}]))"
)
_WORD = re.compile(rf"(?:[^\W\d_]|[{MARKS}])*+")
_IS_FOREIGN = re.compile(f"[{_FOREIGN}]")

_TWINS: Final = str.maketrans(
    # Cyrillic small and capital letters, then Greek ones.
    "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u043e\u0440\u051b\u0455\u051d\u0445\u0443"
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u051a\u0405\u0422\u051c\u0425\u04ae"
    "\u03bf\u03bd\u03c1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "acdehijopqswxyABCEHIJKMOPQSTWXYovpiABEZHIKMNOPTYX",
)


def scan_words(text: str, findings: Findings) -> None:
    """Report words in which Latin letters stand among letters that look like them."""
    position = 0
    for _ in range(BUDGET):
        match = _MIXED.search(text, position)
        if match is None:
            return
        begin, position = _word_around(text, match.start())
        findings.add("mixed-script", begin, partial(_describe, text[begin : min(position, begin + 2 * _WORD_LIMIT)]))
    findings.add("too-many", position, partial(Described, f"more than {BUDGET:,} words of mixed scripts"))


def scan_confusable(name: str, findings: Findings) -> None:
    """Report a name that has letters, none of them Latin, and would pass for a Latin one."""
    letters = [char for char in name if char.isalpha()]
    twin = unicodedata.normalize("NFKC", name).translate(_TWINS)
    if len(letters) < 3 or not twin.isascii() or any(char.isascii() for char in letters):
        return
    first = next(offset for offset, char in enumerate(name) if char.isalpha())
    message = f"the name looks like '{shown(twin)}' and has no Latin letter"
    findings.add("confusable", first, partial(Described, message, code_point(name[first]), shown(twin)))


def _word_around(text: str, spot: int) -> tuple[int, int]:
    before = next(_WORD.finditer(text[max(0, spot - _WORD_LIMIT) : spot][::-1])).end()
    # Among the letters that look like Latin ones stand a few signs that are none.
    return spot - before, max(next(_WORD.finditer(text, spot)).end(), spot + 1)


def _describe(word: str) -> Described:
    foreign = next((char for char in word if _IS_FOREIGN.match(char)), word[0])
    plain = unicodedata.normalize("NFKC", word).translate(_TWINS)
    spelt = "".join(f"\\u{{{ord(char):x}}}" if _IS_FOREIGN.match(char) else char for char in word[:_WORD_LIMIT])
    return Described(
        f"the word '{shown(spelt)}' mixes Latin letters with {named(foreign)}",
        code_point(foreign),
        shown(plain) if plain.isascii() else None,
    )
