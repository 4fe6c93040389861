"""What was built: a prompt, what it was made of, and what shows that it would be made alike again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ._keeping import keep
from ._plain_sections import reads_like
from ._sources import FILE_BY_FILE

if TYPE_CHECKING:
    from foreword.files._stamps import Evidence
    from foreword.templates._names import Value

    from ._diagnostics import Diagnostic
    from ._exchange import Spot
    from ._model import Section
    from ._plugin_calls import Strangers
    from ._prepare import Typed
    from ._prompt import Prompt
    from ._proof import Looked
    from ._sources import Given


MOST_BUILT: Final = 2048
"""Of how many agents a builder keeps the last prompt."""

ARGUMENTS: Final[Mapping[str, Any]] = {"variables": None, "defaults": (), "edits": (), "untrusted": (), "context": None}
"""What a caller can give to a build, and what it is when it is not given."""


class Call(NamedTuple):
    """What the caller gives to one build, or to all of a batch."""

    variables: Mapping[str, Value]
    defaults: tuple[Section, ...]
    edits: tuple[Section, ...]
    untrusted: tuple[Section, ...]
    context: Mapping[str, object] | None

    @classmethod
    def of(
        cls,
        variables: Mapping[str, Any] | None,
        defaults: Iterable[Section],
        edits: Iterable[Section],
        untrusted: Iterable[Section],
        context: Mapping[str, object] | None,
    ) -> Call:
        """Return the call, its variables checked.

        Raises:
            ConfigError: a variable is none that can be used.
        """
        given: Mapping[str, Value] = {}
        if variables:
            from foreword.config._variables import check_variables

            given = check_variables(variables, "variables=")
        return cls(given, tuple(defaults), tuple(edits), tuple(untrusted), context)

    @property
    def is_empty(self) -> bool:
        """Whether the caller gives nothing at all."""
        return not self.variables and self.context is None and self.is_bare

    @property
    def is_bare(self) -> bool:
        """Whether the caller gives no sections: what it holds in its own hands is looked at anew each time."""
        return not (self.defaults or self.edits or self.untrusted)


NO_SPOTS: Final[Mapping[str, Spot]] = MappingProxyType({})

NOTHING: Final = Call({}, (), (), (), None)
"""A call that gives nothing."""


class Built(NamedTuple):
    """A prompt, and what the sources gave to it.

    ``fatal`` are the findings for which its build raises. ``proof`` is what shows that the sources would give the
    same again; None where they have to be asked. ``spots`` are those of files that have changed before, by their full
    path; None where something else has changed since.
    """

    given: tuple[Given, ...]
    strangers: Strangers
    values: Typed
    prompt: Prompt
    fatal: tuple[Diagnostic, ...]
    proof: Evidence | Looked | None = None
    spots: Mapping[str, Spot] | None = NO_SPOTS

    def is_of(self, given: Sequence[Given], strangers: Strangers, values: Typed) -> bool:
        """Say whether what was gathered now is what this prompt was made of."""
        return (
            len(self.given) == len(given)
            and all(map(_is_alike, self.given, given))
            and _are_alike(self.strangers, strangers)
            and self.values == values
        )

    def is_of_others_alike(self, given: Sequence[Given]) -> bool:
        """Say whether all that was gathered now is what this prompt was made of, but for the operator's files."""
        if len(self.given) != len(given):
            return False
        pairs = zip(self.given, given, strict=True)
        return all(one is other or one.provider.entry_point in FILE_BY_FILE for one, other in pairs)


def _are_alike(one: Strangers, other: Strangers) -> bool:
    """Say whether strangers contributed the same, and there is the same to say of them."""
    if one is other:
        return True
    (edits, said), (others, also_said) = one, other
    if len(edits) != len(others) or said != also_said:
        return False
    # What went wrong with another call is not told again.
    if any(first.traceback != second.traceback for first, second in zip(said, also_said, strict=True)):
        return False
    pairs = zip(edits, others, strict=True)
    return all(
        first is second or (first[1:] == second[1:] and reads_like(first.edit, second.edit)) for first, second in pairs
    )


def _is_alike(one: Given, other: Given) -> bool:
    """Say whether a source gave the very same edits, and said the same."""
    if one is other:
        return True
    is_same = one.provider == other.provider and one.layers == other.layers and one.diagnostics == other.diagnostics
    edits, others = one.edits, other.edits
    return is_same and len(edits) == len(others) and all(map(is_, edits, others))


def keep_built(kept: dict[str | None, Built], agent: str | None, built: Built) -> None:
    """Keep the last prompt of an agent, and let go of the older half when that is of too many agents."""
    keep(kept, agent, built, MOST_BUILT)
