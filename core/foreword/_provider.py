"""Who contributes: a distribution's entry point, or an argument of the call."""

from __future__ import annotations

from typing import Final, NamedTuple


class Provider(NamedTuple):
    """A plugin, known as ``distribution:entry-point``, or an argument such as ``edits=``.

    >>> Provider("acme-citations", "1.2", "acme").name
    'acme-citations:acme'
    >>> EDITS.name
    'edits='
    """

    distribution: str
    version: str
    entry_point: str

    @property
    def name(self) -> str:
        """What policy, messages and listings call it."""
        return f"{self.distribution}:{self.entry_point}" if self.distribution else self.entry_point

    @property
    def first_party(self) -> bool:
        """Whether it ships with foreword."""
        return self.distribution == "foreword"

    def __str__(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name


DEFAULTS: Final = Provider("", "", "defaults=")
EDITS: Final = Provider("", "", "edits=")
UNTRUSTED_ARGUMENT: Final = Provider("", "", "untrusted=")
