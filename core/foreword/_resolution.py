"""The resolution: the sections that stand, in their order, and everything that was tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from ._diagnostics import Diagnostic
from ._folded import Folded, ResolvedSection
from ._prepared import Step
from ._titles import RESERVED


class Resolution:
    """What `resolve` finds: the sections in their final order, the tool prose, all that was tried.

    Attributes:
        tools: the prose for tools.
        is_strange: whether any edit is a stranger's.
        asked: of which titles it was asked whether they are reserved.
        is_moved: whether any section stands elsewhere than at its place.
        diagnostics: what there is to say.
        fatal: the findings for which the build must raise.
        sizes: how many bytes each limited layer gave together; under None, how many all have, where that is limited.
        of: the resolution that this one is but for some sections, and those by their place, where all others stand
            where they stood; for thousands of agents it takes much less room than all sections would.
        written: the sections as a layout writes them, as far as they were asked for.
    """

    __slots__ = (
        "_folded", "_reserved", "_sections", "asked", "diagnostics", "fatal", "is_moved", "is_strange", "of", "sizes",
        "tools", "written",
    )  # fmt: skip

    def __init__(
        self,
        sections: tuple[ResolvedSection, ...] | None,
        tools: tuple[ResolvedSection, ...],
        folded: Mapping[str, Folded],
        is_strange: bool,
        asked: Set[str],
        is_moved: bool,
        diagnostics: tuple[Diagnostic, ...],
        fatal: tuple[Diagnostic, ...],
        sizes: Mapping[str | None, int],
        of: tuple[Resolution, tuple[tuple[int, ResolvedSection], ...]] | None = None,
    ) -> None:
        self._sections = sections
        self._folded = folded
        self.tools = tools
        self._reserved: frozenset[str] | None = None
        self.is_strange = is_strange
        self.asked = asked
        self.is_moved = is_moved
        self.diagnostics = diagnostics
        self.fatal = fatal
        self.sizes = sizes
        self.of = of
        self.written: tuple[object, list[str | None]] | None = None

    @property
    def sections(self) -> tuple[ResolvedSection, ...]:
        """The sections, in their order."""
        if self._sections is not None:
            return self._sections
        assert self.of is not None
        sections = list(self.of[0].sections)
        for place, section in self.of[1]:
            sections[place] = section
        return tuple(sections)

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
        rest = (self.is_strange, self.asked, self.is_moved, self.diagnostics, self.fatal, self.sizes)
        whole = Resolution(self.sections, self.tools, self.folded, *rest)
        whole._reserved = self._reserved
        kept = self.of[0].written
        if kept is not None:
            known = dict(zip(map(id, self.of[0].sections), kept[1], strict=True))
            whole.written = (kept[0], [known.get(id(section)) for section in whole.sections])
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


def by_key(keyed: tuple[str, object]) -> str:
    """Return the key of an item, by which items are sorted."""
    return keyed[0]
