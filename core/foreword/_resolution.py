"""The resolution: the sections that stand, in their order, and everything that was tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from ._diagnostics import Diagnostic
from ._folded import Folded, PlaceKey, ResolvedSection
from ._prepared import Step
from ._titles import NOTHING_RESERVED, RESERVED

if TYPE_CHECKING:
    from ._layout import Layout

Change = tuple[int, bool, ResolvedSection | None]
"""A place among the sections of a resolution, whether the one there is gone, and which comes there, or none."""

# No proxy of a mapping can be pickled, and prompts can.
_NO_SIZES: Final[Mapping[str | None, int]] = {}


class Resolution:
    """What `resolve` finds: the sections in their final order, the tool prose, all that was tried.

    Args:
        sections: the sections in their order; None where they are said by ``of``.
        folded: what the edits of each id came to, by its key; with ``of``, of those that changed.
        fatal: the findings for which the build must raise.
        of: the resolution that this one is but for some changes, and those.
        like: one of which all holds that there is to say beside its sections.

    Attributes:
        fatal: the findings for which the build must raise.
        of: the resolution that this one is but for some changes, and those from the end; for thousands of agents it
            takes much less room than all sections would.
        tools: the prose for tools.
        is_strange: whether any edit is a stranger's.
        asked: of which titles it was asked whether they are reserved.
        is_moved: whether any section stands elsewhere than at its place.
        diagnostics: what there is to say.
        sizes: how many bytes each limited layer gave together; under None, how many all have, where that is limited.
        written: the sections as a layout writes them, once they were asked for.
    """

    __slots__ = (
        "_folded", "_places", "_reserved", "_sections", "asked", "diagnostics", "fatal", "is_moved", "is_strange", "of",
        "sizes", "tools", "written",
    )  # fmt: skip

    _reserved: frozenset[str] | None
    _places: tuple[PlaceKey, ...] | None
    written: tuple[Layout, tuple[str, ...]] | None
    tools: tuple[ResolvedSection, ...]
    is_strange: bool
    asked: Set[str]
    is_moved: bool
    diagnostics: tuple[Diagnostic, ...]
    sizes: Mapping[str | None, int]

    def __init__(
        self,
        sections: tuple[ResolvedSection, ...] | None,
        folded: Mapping[str, Folded],
        fatal: tuple[Diagnostic, ...],
        of: tuple[Resolution, tuple[Change, ...]] | None = None,
        like: Resolution | None = None,
    ) -> None:
        self._sections = sections
        self._folded = folded
        self._reserved = self._places = self.written = None
        self.fatal = fatal
        self.of = of
        if like is None:
            self.tools = self.diagnostics = ()
            self.is_strange = self.is_moved = False
            self.asked = NOTHING_RESERVED
            self.sizes = _NO_SIZES
        else:
            self.tools = like.tools
            self.is_strange = like.is_strange
            self.asked = like.asked
            self.is_moved = like.is_moved
            self.diagnostics = like.diagnostics
            self.sizes = like.sizes

    @property
    def sections(self) -> tuple[ResolvedSection, ...]:
        """The sections, in their order."""
        if self._sections is not None:
            return self._sections
        assert self.of is not None
        base, changes = self.of
        sections = list(base.sections)
        for place, is_gone, section in changes:
            sections[place : place + is_gone] = () if section is None else (section,)
        return tuple(sections)

    @property
    def places(self) -> tuple[PlaceKey, ...]:
        """The places of the sections, in their order."""
        places = self._places
        if places is None:
            self._places = places = tuple([section.place_key for section in self.sections])
        return places

    @property
    def folded(self) -> Mapping[str, Folded]:
        """What the edits of each id came to, by its key."""
        return self._folded if self.of is None else {**self.of[0].folded, **self._folded}

    @property
    def changed(self) -> Mapping[str, Folded]:
        """What the edits of an id came to, of those of which no other resolution says it."""
        return self._folded

    def one(self, key: str) -> Folded | None:
        """Return what the edits of one id came to, by its key."""
        one = self._folded.get(key)
        return self.of[0].one(key) if one is None and self.of is not None else one

    @property
    def reserved(self) -> frozenset[str]:
        """The keys of the titles that no untrusted layer may take."""
        reserved = self._reserved
        if reserved is None:
            self._reserved = reserved = reserved_in(self.folded.values())
        return reserved

    @property
    def chains(self) -> dict[str, tuple[Step, ...]]:
        """Every edit that was tried, with its outcome, by section."""
        return {one.id: one.steps for _, one in sorted(self.folded.items(), key=by_key)}

    def whole(self) -> Resolution:
        """Return the same resolution, which is that of no other any more."""
        if self.of is None:
            return self
        whole = Resolution(self.sections, self.folded, self.fatal, None, self)
        whole._reserved = self._reserved
        base, changes = self.of
        if base.written is not None:
            layout, texts = base.written
            whole.written = (layout, tuple(written(layout, texts, changes)))
        return whole

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resolution) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.sections)

    def _all(self) -> tuple[object, ...]:
        return self.sections, self.tools, self.chains, self.diagnostics, self.fatal


def reserved_in(found: Iterable[Folded]) -> frozenset[str]:
    """Return the keys of the titles that no untrusted layer may take where these sections stand."""
    return RESERVED.union(*[reserves for one in found if (reserves := one.reserves)])


def written(layout: Layout, texts: Sequence[str], changes: Iterable[Change]) -> list[str]:
    """Return the sections of a resolution as a layout writes them.

    Args:
        layout: the layout.
        texts: those of the one that this one is but for some changes.
        changes: the changes.
    """
    made = list(texts)
    for place, is_gone, section in changes:
        if section is None:
            del made[place]
        elif is_gone:
            made[place] = layout.written(section)
        else:
            made.insert(place, layout.written(section))
    return made


def by_key(keyed: tuple[str, object]) -> str:
    """Return the key of an item, by which items are sorted."""
    return keyed[0]
