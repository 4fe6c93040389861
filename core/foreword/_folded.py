"""What the edits of one section come to: the section, the chain of edits, and what there is to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ._alone import alone
from ._diagnostics import Diagnostic
from ._fold import Fold
from ._layers import RANK
from ._names import KNOWN_IDS, is_tool, last_part
from ._policy import Policy
from ._prepared import PreparedEdit, Step
from ._standing import Standing
from ._text import join
from ._titles import RESERVED, own_heading, reserved_by, unreserved

Parts = tuple[tuple[str, ...], str, tuple[str, ...]]
"""A section as a layout writes it: the lines before its text, the text, and the lines after it."""


class ResolvedSection:
    """A section that stands, with its text.

    Attributes:
        id: what it is called.
        title: the title it stands under, or None.
        own_heading: whether that is the heading with which its text begins.
        priority: its place, low first.
        standing: what stands, and where it came from.
        place_key: where it stands among the sections: priority, layer that defined it, id.
        written: the section as a layout writes it, once it was asked for.
    """

    __slots__ = ("id", "own_heading", "place_key", "priority", "standing", "title", "written")

    def __init__(self, id: str, title: str | None, own_heading: bool, standing: Standing) -> None:
        self.id = id
        self.title = title
        self.own_heading = own_heading
        self.priority = standing.priority
        self.standing = standing
        self.place_key = (standing.priority, RANK[standing.definer.layer], id)
        self.written: tuple[object, Parts] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResolvedSection) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.place_key)

    def _all(self) -> tuple[object, ...]:
        return self.id, self.title, self.own_heading, self.standing

    @property
    def title_trusted(self) -> bool:
        """Whether the operator gave the title."""
        return self.standing.title is not None and self.standing.titled_by.trusted

    @property
    def definer(self) -> PreparedEdit:
        """The edit that defined the section."""
        return self.standing.definer

    @property
    def winner(self) -> PreparedEdit:
        """The edit whose text stands."""
        return self.standing.winner



class Folded(NamedTuple):
    """What the edits of one section came to.

    ``edits`` are they, as they were given; ``reserves`` the keys of the titles that the operator's among them take.
    ``strange`` is whether any is a stranger's: only then do the titles count that all reserve, which were ``reserved``.
    """

    edits: list[PreparedEdit]
    id: str
    section: ResolvedSection | None
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]
    lost: tuple[PreparedEdit, ...]
    reserves: frozenset[str]
    reserved: frozenset[str]
    strange: bool
    bytes: Mapping[str, int]
    """How many bytes of the text each layer gave that may only give so many."""
    total: int
    """How many bytes the text has, where the prompt may only have so many."""


def folded(key: str, edits: list[PreparedEdit], policy: Policy, reserved: frozenset[str] = RESERVED) -> Folded:
    """Return what the edits of one section come to.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
    """
    if len(edits) == 1 and (standing := alone(edits[0], policy)) is not None:
        edit = edits[0]
        return Folded(
            edits,
            edit.id,
            _section(edit.id, standing, reserved),
            (Step(edit, "applied", ""),),
            (),
            (),
            reserved_by(edits),
            RESERVED,
            False,
            _sizes(standing, policy),
            _total(standing, policy),
        )
    fold = Fold(key, edits, policy, reserved)
    fold.run()
    standing = fold.standing
    strange = any(not edit.trusted for edit in edits)
    section: ResolvedSection | None = None
    if standing is None:
        id = min([edit.id for edit in edits])
    else:
        id = standing.definer.id
        section = _section(id, standing, reserved)
    return Folded(
        edits,
        id,
        section,
        fold.steps(),
        tuple(fold.diagnostics),
        tuple(fold.without_target),
        reserved_by(edits),
        reserved if strange else RESERVED,
        strange,
        _sizes(standing, policy) if standing is not None else _NO_SIZES,
        _total(standing, policy) if standing is not None else 0,
    )


_NO_SIZES: Mapping[str, int] = {}


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


def _section(id: str, standing: Standing, reserved: frozenset[str]) -> ResolvedSection:
    title, own = standing.title or None, False
    if title is not None and not standing.title_given and (heading := own_heading(standing)) is not None:
        title, own = heading, True
    elif title is None and not standing.winner.trusted and not is_tool(id):
        title = _title_of_untitled(id, reserved)
    return ResolvedSection(id, title, own, standing)


def _title_of_untitled(id: str, reserved: frozenset[str]) -> str:
    if id in KNOWN_IDS:
        title = id.replace("_", " ").title()
    else:
        title = last_part(id)
    return unreserved(title, id, reserved)
