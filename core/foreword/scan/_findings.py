"""Findings: what the scanner says, and the collector that keeps the worst of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from foreword._diagnostics import Severity, printable
from foreword.scan._rules import OFF, RULES, SEVERITIES

LIMIT: Final = 50
"""How many findings of one text are told."""

BUDGET: Final = 100_000
"""How many suspicious characters of one text are looked at."""

MARKUP_BUDGET: Final = 10_000
"""How many pieces of markup of one kind are looked at."""

_BLANKS: Final = {
    code: f"\\u{{{code:x}}}"
    for code in (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0)
}

_SEVERITIES: Final[Mapping[str, Severity]] = {severity: severity for severity in SEVERITIES}


class Finding(NamedTuple):
    """One thing the scanner found; ``line`` and ``column`` count from 0, the column in code points."""

    rule: str
    severity: Severity
    message: str
    line: int
    column: int
    codepoint: str | None = None
    decoded: str | None = None


class Described(NamedTuple):
    """What a finding says about its place."""

    message: str
    codepoint: str | None = None
    decoded: str | None = None


Describe = Callable[[], Described]

T = TypeVar("T")


class Findings:
    """Collects findings and keeps no more than are told, so that a hostile text cannot make it large."""

    def __init__(self, text: str, severities: Mapping[str, str]) -> None:
        self._text = text
        self._severities = settled(severities)
        self._found: dict[str, list[tuple[int, Describe]]] = {}
        self._counts: dict[str, int] = {}

    def add(self, rule: str, offset: int, describe: Describe) -> None:
        """Take one finding; ``describe`` is asked only when the finding is told."""
        if rule not in self._severities:
            return
        found = self._found.setdefault(rule, [])
        found.append((offset, describe))
        self._counts[rule] = self._counts.get(rule, 0) + 1
        if len(found) > 4 * LIMIT:
            _first(found)

    def limited(self, places: Iterable[tuple[int, T]], what: str) -> Iterator[tuple[int, T]]:
        """Give places until they are too many, and then say so."""
        for nth, place in enumerate(places):
            if nth == MARKUP_BUDGET:
                self.add("too-many", place[0], lambda: Described(f"more than {MARKUP_BUDGET:,} {what}"))
                return
            yield place

    def finish(self) -> tuple[Finding, ...]:
        """The findings in the order of the text; of too many the worst, and one that counts the rest."""
        for found in self._found.values():
            _first(found)
        ranked = sorted(
            (SEVERITIES.index(self._severities[rule]), offset, rule, nth)
            for rule, found in self._found.items()
            for nth, (offset, _) in enumerate(found)
        )
        told = list(self._tell(sorted((offset, rule, nth) for _, offset, rule, nth in ranked[:LIMIT])))
        more = sum(self._counts.values()) - len(told)
        if more:
            _, offset, rule, nth = ranked[LIMIT]
            worst = next(iter(self._tell([(offset, rule, nth)])))
            told.append(worst._replace(message=f"and {more:,} more", codepoint=None, decoded=None))
        return tuple(told)

    def _tell(self, places: list[tuple[int, str, int]]) -> Iterator[Finding]:
        line = seen = 0
        for offset, rule, nth in places:
            line += self._text.count("\n", seen, offset)
            seen = offset
            column = offset - (self._text.rfind("\n", 0, offset) + 1)
            message, codepoint, decoded = self._found[rule][nth][1]()
            yield Finding(rule, self._severities[rule], message, line, column, codepoint, decoded)


def shown(text: str, limit: int = 80) -> str:
    """Return the beginning of text on one line, in which every invisible character is an escape."""
    cut = text[:limit]
    return printable(cut).translate(_BLANKS) + ("…" if len(text) > limit else "")


def code_point(char: str) -> str:
    """Return the notation of one character, as ``U+202E``."""
    return f"U+{ord(char):04X}"


def named(char: str) -> str:
    """Return the notation of one character with its name."""
    import unicodedata

    name = unicodedata.name(char, "")
    return f"{code_point(char)} {name}" if name else code_point(char)


def _first(found: list[tuple[int, Describe]]) -> None:
    # One more than are told, so that the worst of the rest is known.
    found.sort(key=lambda entry: entry[0])
    del found[LIMIT + 1 :]


def settled(severities: Mapping[str, str]) -> Mapping[str, Severity]:
    """Return the severity of each rule that is not switched off.

    Args:
        severities: another severity, or ``off``, for rules by name.

    Raises:
        ValueError: ``severities`` names no rule or no severity.
    """
    return _settled(tuple(severities.items())) if severities else _BY_DEFAULT


@lru_cache(maxsize=100)
def _settled(severities: tuple[tuple[str, str], ...]) -> Mapping[str, Severity]:
    chosen = dict(_BY_DEFAULT)
    for name, wanted in severities:
        if name not in chosen:
            raise ValueError(f"no scanner rule is called {shown(name)!r}")
        if wanted == OFF:
            del chosen[name]
            continue
        if wanted not in _SEVERITIES:
            raise ValueError(f"severity of {name} is one of error, warning, info, off; not {shown(wanted)!r}")
        chosen[name] = _SEVERITIES[wanted]
    return MappingProxyType(chosen)


_BY_DEFAULT: Final[Mapping[str, Severity]] = MappingProxyType({name: rule.severity for name, rule in RULES.items()})
