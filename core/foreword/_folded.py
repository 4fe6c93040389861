"""What the edits of one section come to: the section, the chain of edits, and what there is to say."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from types import MappingProxyType
from typing import Final

from ._diagnostics import Diagnostic
from ._fold import Fold
from ._layers import RANK
from ._names import KNOWN_IDS, is_tool, last_part, title_key
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._stack import Stack, is_lone_memory, place_of, stacked, standing_of, steps_of
from ._standing import Standing
from ._text import join
from ._titles import NOTHING_RESERVED, RESERVED, ReservedTitles, own_heading, reserved_by, unreserved

Parts = tuple[tuple[str, ...], str, tuple[str, ...]]
"""A section as a layout writes it: the lines before its text, the text, and the lines after it."""


class ResolvedSection:
    """A section that stands, with its text.

    Attributes:
        id: what it is called.
        title: the title it stands under, or None.
        own_heading: whether that is the heading with which its text begins.
        place_key: where it stands among the sections: priority, layer that defined it, id.
    """

    __slots__ = ("_stack", "_standing", "id", "own_heading", "place_key", "title")

    def __init__(
        self,
        id: str,
        title: str | None,
        own_heading: bool,
        priority: int,
        stack: Stack | None,
        standing: Standing | None = None,
    ) -> None:
        self.id = id
        self.title = title
        self.own_heading = own_heading
        # What a stack comes to can be said at any time, and is seldom asked for.
        self._stack = stack
        self._standing = standing
        definer = stack[0] if stack is not None else self.standing.definer
        self.place_key = (priority, RANK[definer.layer], id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResolvedSection) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.place_key)

    def _all(self) -> tuple[object, ...]:
        return self.id, self.title, self.own_heading, self.standing

    @property
    def standing(self) -> Standing:
        """What stands, and where it came from."""
        standing = self._standing
        if standing is None:
            assert self._stack is not None
            self._standing = standing = standing_of(self._stack)
        return standing

    @property
    def priority(self) -> int:
        """Its place, low first."""
        return self.place_key[0]

    @property
    def text(self) -> str:
        """The text, without the title."""
        return join(self.standing.spans) if self._stack is None else self._stack[-1].text

    @property
    def is_of_one_edit(self) -> bool:
        """Whether its text is that of the winner, without anything of another edit."""
        return self._stack is not None

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        if self._stack is not None and self.title is not None:
            return self._stack[-1].trusted
        return self.standing.title is not None and self.standing.titled_by.trusted

    @property
    def place_trusted(self) -> bool:
        """Whether the operator decided where it stands."""
        return self._stack[-1].trusted if self._stack is not None else self.standing.placed_by.trusted

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        return self.standing.definer if self._stack is None else self._stack[0]

    @property
    def winner(self) -> PreparedEdit:
        """The edit whose text stands."""
        return self.standing.winner if self._stack is None else self._stack[-1]


_NO_SIZES: Final[Mapping[str, int]] = MappingProxyType({})


class Folded:
    """What the edits of one section came to; by itself, what a stack of them comes to, of which nothing is to be said.

    Attributes:
        edits: the edits, as they were given.
        section: the section that stands; None where none does.
        diagnostics: what there is to say.
        lost: the edits that found nothing below to work on.
        strange: whether any edit is a stranger's: only then do the titles count that all reserve.
        reserved: those titles.
        asked: of which titles it was asked whether they are reserved.
        bytes: how many bytes of the text each layer gave that may only give so many.
        total: how many bytes the text has, where the prompt may only have so many.
        is_stack: whether every edit simply holds, or would if none stood over it.
    """

    __slots__ = ("_reserves", "_stack", "_steps", "edits", "section")

    diagnostics: tuple[Diagnostic, ...] = ()
    lost: tuple[PreparedEdit, ...] = ()
    strange: bool = False
    reserved: frozenset[str] = RESERVED
    asked: Set[str] = NOTHING_RESERVED
    bytes: Mapping[str, int] = _NO_SIZES
    total: int = 0
    is_stack: bool = True
    section: ResolvedSection | None

    def __init__(self, edits: list[PreparedEdit], section: ResolvedSection | None, stack: Stack) -> None:
        self.edits = edits
        self.section = section
        self._stack = stack
        self._steps: tuple[Step, ...] | None = None
        self._reserves: frozenset[str] | None = None

    @property
    def id(self) -> str:
        """What the section is called."""
        return self.section.id if self.section is not None else min([edit.id for edit in self.edits])

    @property
    def steps(self) -> tuple[Step, ...]:
        """The chain: every edit that was tried, low to high, with its outcome."""
        steps = self._steps
        if steps is None:
            self._steps = steps = steps_of(self._stack)
        return steps

    @property
    def reserves(self) -> frozenset[str]:
        """The keys of the titles that the operator's edits take."""
        reserves = self._reserves
        if reserves is None:
            self._reserves = reserves = reserved_by(self.edits)
        return reserves


class Decided(Folded):
    """What edits came to of which there was something to decide."""

    __slots__ = ("asked", "bytes", "diagnostics", "lost", "reserved", "strange", "total")
    is_stack = False

    def __init__(
        self,
        fold: Fold,
        edits: list[PreparedEdit],
        section: ResolvedSection | None,
        policy: Policy,
        titles: ReservedTitles,
    ) -> None:
        super().__init__(edits, section, ())
        standing = fold.standing
        self._steps = fold.steps()
        self.diagnostics = tuple(fold.diagnostics)
        self.lost = tuple(fold.without_target)
        self.strange = any(not edit.trusted for edit in edits)
        self.reserved = titles.keys if self.strange else RESERVED
        self.asked = titles.asked
        self.bytes = _sizes(standing, policy) if standing is not None else _NO_SIZES
        self.total = _total(standing, policy) if standing is not None else 0


class Lone(Folded):
    """What an edit of layer memory comes to that is the only one of its section, where nothing is to be said."""

    __slots__ = ("asked", "bytes", "reserved")
    is_stack = False
    strange = True

    def __init__(self, edits: list[PreparedEdit], policy: Policy, reserved: frozenset[str]) -> None:
        (edit,) = edits
        title = edit.default_title or ""
        section = ResolvedSection(edit.id, title, False, edit.default_priority, (edit,))
        super().__init__(edits, section, (edit,))
        self.reserved = reserved
        self.asked = {title_key(title)}
        self.bytes = {edit.layer: len(edit.text.encode())} if edit.layer in policy.limited else _NO_SIZES


def folded_stack(key: str, edits: list[PreparedEdit], policy: Policy) -> Folded | None:
    """Return what the edits of one section come to where each simply stands over the one below; else None.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
    """
    stack = stacked(key, edits, policy)
    if stack is None:
        return None
    priority, title, own = place_of(stack)
    return Folded(edits, ResolvedSection(stack[0].id, title, own, priority, stack), stack)


def folded(key: str, edits: list[PreparedEdit], policy: Policy, reserved: frozenset[str] = RESERVED) -> Folded:
    """Return what the edits of one section come to.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
    """
    if len(edits) == 1 and is_lone_memory(key, edits[0], policy, reserved):
        return Lone(edits, policy, reserved)
    titles = ReservedTitles(reserved)
    fold = Fold(key, edits, policy, titles)
    fold.run()
    standing = fold.standing
    section = _section(standing.definer.id, standing, titles) if standing is not None else None
    return Decided(fold, edits, section, policy, titles)


def _sizes(standing: Standing, policy: Policy) -> Mapping[str, int]:
    """Return how many bytes of the text each limited layer gave."""
    limited = policy.limited
    sizes: dict[str, int] | None = None
    for text, edit, _ in standing.spans:
        if edit is not None and edit.layer in limited:
            sizes = sizes or {}
            sizes[edit.layer] = sizes.get(edit.layer, 0) + len(text.encode())
    return sizes or _NO_SIZES


def _total(standing: Standing, policy: Policy) -> int:
    return 0 if policy.prompt is None else len(join(standing.spans).encode())


def _section(id: str, standing: Standing, reserved: Container[str]) -> ResolvedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    return ResolvedSection(id, title, own, standing.priority, None, standing)


def _title_of_untitled(id: str, reserved: Container[str]) -> str:
    if id in KNOWN_IDS:
        title = id.replace("_", " ").title()
    else:
        title = last_part(id)
    return unreserved(title, id, reserved)
