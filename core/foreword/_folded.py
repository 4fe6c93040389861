"""What the edits of one section come to: the section, the chain of edits, and what there is to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final, Protocol, cast

from ._diagnostics import Diagnostic
from ._prepared import PreparedEdit, Step
from ._standing import Standing

Parts = tuple[tuple[str, ...], str, tuple[str, ...]]
"""A section as a layout writes it: the lines before its text, the text, and the lines after it."""

PlaceKey = tuple[int, int, str]
"""Where a section stands among the sections: priority, layer that defined it, id."""

# No proxy of a mapping can be pickled, and prompts can.
NO_SIZES: Final[Mapping[str, int]] = {}


class ResolvedSection(Protocol):
    """A section that stands, with its text."""

    @property
    def id(self) -> str:
        """What it is called."""
        ...

    @property
    def place_key(self) -> PlaceKey:
        """Where it stands among the sections."""
        ...

    @property
    def priority(self) -> int:
        """Its place, low first."""
        ...

    @property
    def standing(self) -> Standing:
        """What stands, and where it came from."""
        ...

    @property
    def title(self) -> str | None:
        """The title it stands under, or None."""
        ...

    @property
    def own_heading(self) -> bool:
        """Whether the title is the heading with which its text begins."""
        ...

    @property
    def over(self) -> str | None:
        """The title as it is written over the text; None where there is none, and where the text begins with it."""
        ...

    @property
    def text(self) -> str:
        """The text, without the title."""
        ...

    @property
    def is_of_one_edit(self) -> bool:
        """Whether its text is that of the winner, without anything of another edit."""
        ...

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        ...

    @property
    def place_trusted(self) -> bool:
        """Whether the operator decided where it stands."""
        ...

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        ...

    @property
    def winner(self) -> PreparedEdit:
        """The edit whose text stands."""
        ...


class Folded(Protocol):
    """What the edits of one section came to."""

    @property
    def id(self) -> str:
        """What the section is called."""
        ...

    @property
    def section(self) -> ResolvedSection | None:
        """The section that stands; None where none does."""
        ...

    @property
    def edits(self) -> Sequence[PreparedEdit]:
        """Every edit of the section, in any order."""
        ...

    @property
    def steps(self) -> tuple[Step, ...]:
        """The chain: every edit that was tried, low to high, with its outcome."""
        ...

    @property
    def reserves(self) -> frozenset[str]:
        """The keys of the titles that the operator's edits take."""
        ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What there is to say."""
        ...

    @property
    def lost(self) -> tuple[PreparedEdit, ...]:
        """The edits that found nothing below to work on."""
        ...

    @property
    def strange(self) -> bool:
        """Whether any edit is a stranger's: only then do the titles count that all reserve."""
        ...

    @property
    def reserved(self) -> frozenset[str]:
        """Those titles."""
        ...

    @property
    def asked(self) -> Set[str]:
        """Of which titles it was asked whether they are reserved."""
        ...

    @property
    def bytes(self) -> Mapping[str, int]:
        """How many bytes of the text each layer gave that may only give so many."""
        ...

    @property
    def total(self) -> int:
        """How many bytes the text has, where the prompt may only have so many."""
        ...

    @property
    def is_stack(self) -> bool:
        """Whether every edit simply holds, or would if none stood over it."""
        ...


class Placed:
    """What every section has in common: it has a place, and is equal to whichever says the same.

    Attributes:
        place_key: where it stands among the sections.
    """

    __slots__ = ()

    place_key: PlaceKey

    @property
    def id(self) -> str:
        """What it is called."""
        return self.place_key[2]

    @property
    def priority(self) -> int:
        """Its place, low first."""
        return self.place_key[0]

    def said(self) -> tuple[object, ...]:
        """Return all that is said of it."""
        section = cast("ResolvedSection", self)
        return section.id, section.title, section.own_heading, section.standing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placed) and self.said() == other.said()

    def __hash__(self) -> int:
        return hash(self.place_key)
