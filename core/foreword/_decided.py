"""Decisions: what the edits of one section come to where there is something to decide."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from foreword.markdown._borders import safe_title

from ._fold import Fold
from ._folded import NO_SIZES, Placed, PlaceKey
from ._layers import RANK
from ._names import KNOWN_IDS, is_tool, last_part
from ._policy import Policy
from ._prepared import PreparedEdit
from ._stack import Lone, is_lone_memory
from ._standing import Standing
from ._text import join
from ._titles import RESERVED, ReservedTitles, own_heading, reserved_by, unreserved


class DecidedSection(Placed):
    """A section as the fold of its edits left it."""

    __slots__ = ("own_heading", "place_key", "standing", "title")

    def __init__(self, standing: Standing, title: str | None, own_heading: bool) -> None:
        self.standing = standing
        self.title = title
        self.own_heading = own_heading
        self.place_key: PlaceKey = (standing.priority, RANK[standing.definer.layer], standing.definer.id)

    @property
    def over(self) -> str | None:
        """The title as it is written over the text; None where there is none, and where the text begins with it."""
        title = self.title
        if not title or self.own_heading:
            return None
        return title if self.title_trusted else safe_title(title)

    @property
    def text(self) -> str:
        """The text, without the title."""
        return join(self.standing.spans)

    @property
    def is_of_one_edit(self) -> bool:
        """Whether it is seen that its text is that of the winner, without anything of another edit."""
        return False

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        return self.standing.title is not None and self.standing.titled_by.trusted

    @property
    def place_trusted(self) -> bool:
        """Whether the operator decided where it stands."""
        return self.standing.placed_by.trusted

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        return self.standing.definer

    @property
    def winner(self) -> PreparedEdit:
        """The edit whose text stands."""
        return self.standing.winner


class Decided:
    """What edits came to of which there was something to decide."""

    __slots__ = (
        "_reserves", "asked", "bytes", "diagnostics", "edits", "lost", "reserved", "section", "steps", "strange",
        "total",
    )  # fmt: skip

    is_stack = False

    def __init__(
        self,
        fold: Fold,
        edits: Sequence[PreparedEdit],
        section: DecidedSection | None,
        policy: Policy,
        titles: ReservedTitles,
    ) -> None:
        standing = fold.standing
        self.edits = edits
        self.section = section
        self.steps = fold.steps()
        self.diagnostics = tuple(fold.diagnostics)
        self.lost = tuple(fold.without_target)
        self.strange = any(not edit.trusted for edit in edits)
        self.reserved = titles.keys if self.strange else RESERVED
        self.asked = titles.asked
        self.bytes = _sizes(standing, policy) if standing is not None else NO_SIZES
        self.total = _total(standing, policy) if standing is not None else 0
        self._reserves: frozenset[str] | None = None

    @property
    def id(self) -> str:
        """What the section is called."""
        return self.section.id if self.section is not None else min([edit.id for edit in self.edits])

    @property
    def reserves(self) -> frozenset[str]:
        """The keys of the titles that the operator's edits take."""
        reserves = self._reserves
        if reserves is None:
            self._reserves = reserves = reserved_by(self.edits)
        return reserves


def folded(
    key: str, edits: Sequence[PreparedEdit], policy: Policy, reserved: frozenset[str] = RESERVED
) -> Decided | Lone:
    """Return what the edits of one section come to.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
    """
    if len(edits) == 1 and is_lone_memory(key, edits[0], policy, reserved):
        return Lone(edits[0], policy, reserved)
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
    return sizes or NO_SIZES


def _total(standing: Standing, policy: Policy) -> int:
    return 0 if policy.prompt is None else len(join(standing.spans).encode())


def _section(id: str, standing: Standing, reserved: Container[str]) -> DecidedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    return DecidedSection(standing, title, own)


def _title_of_untitled(id: str, reserved: Container[str]) -> str:
    if id in KNOWN_IDS:
        title = id.replace("_", " ").title()
    else:
        title = last_part(id)
    return unreserved(title, id, reserved)
