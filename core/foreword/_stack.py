"""A stack: edits of the operator's of which each simply takes the place of the one below, so nothing is to decide."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence, Set
from itertools import pairwise, product
from operator import itemgetter
from typing import Final

from foreword.markdown._borders import safe_title
from foreword.markdown._headings import ATX, leading_heading

from ._diagnostics import Diagnostic, Place
from ._folded import NO_SIZES, Placed, PlaceKey
from ._layers import RANK
from ._names import title_key
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._provider import EDITS
from ._quarrels import named
from ._standing import Standing
from ._text import whole
from ._titles import NOTHING_RESERVED, RESERVED, reserved_by


class Stacked(Placed):
    """What edits come to that simply stand over one another: a section, of which nothing is to be said.

    Attributes:
        edits: the edits, low to high.
        text: the text, without the title.
        over: the title as it is written over the text; None where there is none, and where the text begins with it.
        given: the title that an edit gives; None where none gives one.
    """

    __slots__ = ("_reserves", "edits", "given", "over", "place_key", "text")

    edits: Sequence[PreparedEdit]
    text: str
    over: str | None
    given: str | None
    place_key: PlaceKey
    _reserves: frozenset[str]

    # There is nothing to say of it, and nothing to count.
    diagnostics: tuple[Diagnostic, ...] = ()
    lost: tuple[PreparedEdit, ...] = ()
    strange: bool = False
    reserved: frozenset[str] = RESERVED
    asked: Set[str] = NOTHING_RESERVED
    bytes: Mapping[str, int] = NO_SIZES
    total: int = 0
    is_stack: bool = True

    @property
    def section(self) -> Stacked:
        """Itself."""
        return self

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        return self.edits[0]

    @property
    def winner(self) -> PreparedEdit:
        """The highest edit, whose text stands."""
        return self.edits[-1]

    @property
    def standing(self) -> Standing:
        """What stands, and where it came from."""
        definer = titled_by = placed_by = self.definer
        title, given, priority = definer.default_title, False, definer.default_priority
        for edit in self.edits:
            if edit.title is not None:
                title, given, titled_by = edit.title, True, edit
            if edit.priority is not None:
                priority, placed_by = edit.priority, edit
        spans = whole(self.winner)
        return Standing(definer, self.winner, spans, title, given, titled_by, priority, placed_by, None)

    @property
    def title(self) -> str | None:
        """The title it stands under, or None."""
        standing = self.standing
        heading = leading_heading(self.text) if standing.title and not standing.title_given else None
        return standing.title or None if heading is None else heading

    @property
    def own_heading(self) -> bool:
        """Whether the title is the heading with which its text begins."""
        standing = self.standing
        return bool(standing.title) and not standing.title_given and leading_heading(self.text) is not None

    @property
    def is_of_one_edit(self) -> bool:
        """Whether its text is that of the winner: it is."""
        return True

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        standing = self.standing
        return standing.title is not None and standing.titled_by.trusted

    @property
    def place_trusted(self) -> bool:
        """Whether the operator decided where it stands."""
        return self.winner.trusted

    @property
    def steps(self) -> tuple[Step, ...]:
        """The chain of the edits with their outcomes: all but the last are shadowed, each by the next."""
        steps = [Step(edit, "shadowed", f"replaced by {named(over)}") for edit, over in pairwise(self.edits)]
        return (*steps, Step(self.winner, "applied", ""))

    @property
    def reserves(self) -> frozenset[str]:
        """The keys of the titles that the operator's edits take."""
        try:
            return self._reserves
        except AttributeError:
            self._reserves = reserves = reserved_by(self.edits)
            return reserves


class Lone(Stacked):
    """What an edit of layer memory comes to that is the only one of its section, where nothing is to be said."""

    __slots__ = ("asked", "bytes", "reserved")
    is_stack = False
    strange = True

    def __init__(self, edit: PreparedEdit, policy: Policy, reserved: frozenset[str]) -> None:
        title = edit.default_title or ""
        self.edits = (edit,)
        self.text = edit.text
        self.over = safe_title(title)
        self.given = None
        self.place_key = (edit.default_priority, RANK[edit.layer], edit.id)
        self.reserved = reserved
        self.asked = {title_key(title)}
        self.bytes = {edit.layer: len(edit.text.encode())} if edit.layer in policy.limited else NO_SIZES

    @property
    def title(self) -> str | None:
        """The title it stands under."""
        return self.winner.default_title

    @property
    def own_heading(self) -> bool:
        """Whether the title is the heading with which its text begins: a stranger's never is."""
        return False


def stacked(edits: Sequence[PreparedEdit], below: Stacked | None = None) -> Stacked:
    """Return what edits come to of which each holds by itself.

    Args:
        edits: the edits of one section, low to high, each of them higher than the one before.
        below: what all but the last of them come to, where that is known.
    """
    definer, winner = edits[0], edits[-1]
    if below is None:
        title, priority = (definer.title, definer.priority) if winner is definer else _told(edits)
        if priority is None:
            priority = definer.default_priority
        place_key = (priority, RANK[definer.layer], definer.id)
    else:
        title, priority, place_key = winner.title, winner.priority, below.place_key
        if title is None:
            title = below.given
        if priority is not None:
            place_key = (priority, *place_key[1:])
    made = Stacked()
    made.edits = edits
    made.text = text = winner.text
    made.given = title
    made.place_key = place_key
    made.over = over(text, definer.default_title) if title is None else title or None
    return made


def over(text: str, default_title: str | None) -> str | None:
    """Return the title that is written over a text that nobody gave one, or None: it may have one of its own."""
    if default_title and (text.startswith(ATX) or leading_heading(text) is not None):
        return None
    return default_title or None


def holds(policy: Policy, key: str, edit: PreparedEdit) -> bool:
    """Say whether there is nothing to decide about an edit by itself, and nothing of it to be counted.

    Args:
        policy: what the operator allows.
        key: the section's id as it is compared.
        edit: the edit.
    """
    # What is ordinary is seen at a glance; all else is asked.
    return edit[_ASIDE] in _SIMPLY and edit.mode == "plain" and (edit.layer in policy.free or _lets(policy, key, edit))


def _lets(policy: Policy, key: str, edit: PreparedEdit) -> bool:
    """Say whether the policy has nothing to say about an ordinary edit, and nothing of it is to be counted."""
    layer = edit.layer
    if layer not in policy.uncounted:
        return False
    rule = policy.sections.get(key)
    if rule is not None and rule.editable_by is not None and layer not in rule.editable_by:
        return False
    if layer not in policy.windows:
        return True
    low, high = policy.windows[layer]
    # Where a priority is given, the window is asked about it more than once.
    return edit.priority is None and low <= edit.default_priority <= high


def _told(edits: Sequence[PreparedEdit]) -> tuple[str | None, int | None]:
    """Return the title and the priority that several edits give; of what is said twice, the higher edit's holds."""
    title = priority = None
    for edit in edits:
        if edit.title is not None:
            title = edit.title
        if edit.priority is not None:
            priority = edit.priority
    return title, priority


def in_order(edits: Sequence[PreparedEdit]) -> Sequence[PreparedEdit] | None:
    """Return the edits of one section, low to high; None where two stand equally high."""
    last = (-1, 0)
    for edit in edits:
        height = (RANK[edit.layer], edit.rank)
        if height <= last:
            break
        last = height
    else:
        # Sources are asked from the lowest up, so this is how edits mostly come.
        return tuple(edits)
    places = {(RANK[edit.layer], edit.rank): edit for edit in edits}
    return tuple([places[place] for place in sorted(places)]) if len(places) == len(edits) else None


def is_higher(edit: PreparedEdit, other: PreparedEdit) -> bool:
    """Say whether an edit stands over another one of its section."""
    above, below = RANK[edit.layer], RANK[other.layer]
    return above > below or (above == below and edit.rank > other.rank)


def is_lone_memory(key: str, edit: PreparedEdit, policy: Policy, reserved: Container[str]) -> bool:
    """Say whether an edit of layer memory, the only one of its section, simply defines it under its default title.

    Args:
        key: the section's id as it is compared.
        edit: the edit.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
    """
    if _wholly(edit) != _A_MEMORY or policy.reserved or policy.prompt is not None:
        return False
    rule = policy.sections.get(key)
    if rule is not None and rule.editable_by is not None:
        return False
    title, priority = edit.default_title, edit.default_priority
    if not title:
        return False
    low, high = policy.windows.get("memory", (priority, priority))
    return low <= priority <= high and title_key(title) not in reserved


_ASIDE: Final = slice(PreparedEdit._fields.index("base"), PreparedEdit._fields.index("verdict") + 1)
"""What is said of an edit beside its text, its title and its place."""

_EDIT: Final = PreparedEdit("", "", "plain", EDITS, Place(""))
_KINDS: Final = product((False, True), repeat=2)
_SIMPLY: Final = tuple([_EDIT._replace(own=own, jinja=jinja)[_ASIDE] for jinja, own in _KINDS])
"""All that is said there of edits in mode ``plain`` that simply take the place of the one below."""

_WHAT: Final = ("mode", "base", "copy_of_below", "exclusive", "trusted", "verdict", "layer", "title", "priority")
_A_MEMORY: Final = ("plain", None, False, False, False, None, "memory", None, None)
_wholly: Final = itemgetter(*map(PreparedEdit._fields.index, _WHAT))
