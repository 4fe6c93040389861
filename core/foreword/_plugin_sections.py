"""What plugins return as their sections: checked, counted, and stamped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import BaseModel, ValidationError

from foreword.files._reader import MarkdownFile
from foreword.markdown._front_matter import When

from ._diagnostics import is_sound
from ._implementation import Calls
from ._model import Edit, Section
from ._plain_sections import plain_copy, same_section
from ._plugin_calls import BUILDING, Caller, Contribution, fields_of
from ._provider import Provider

HOOK = "foreword_sections"
KIND = "a list of Section and Edit"

_FIELDS = {kind: frozenset(kind.model_fields) for kind in (Section, Edit)}


def third_party_sections(
    caller: Caller, calls: Calls, before: Sequence[Contribution] = ()
) -> list[Contribution]:
    """Call ``foreword_sections`` of plugins and return what they contribute.

    A plugin that raises, or returns something that is no section, loses only that; a diagnostic names it.

    Args:
        caller: what calls them.
        calls: their implementations.
        before: what an earlier call of this function returned for the same policy.

    Returns:
        The contributions, in the order of ``calls``. Those of a plugin that returned the same as before are
        the very objects of ``before``.
    """
    contributions: list[Contribution] = []
    earlier = _Earlier(before)
    returned = caller.call_all(HOOK, calls)
    token = BUILDING.set(True)
    try:
        for (provider, _, _, layers), result in zip(calls, returned, strict=True):
            if result is None:
                continue
            known = earlier.of(provider)
            if known and _unchanged(result, known) and caller.allows(provider, len(known)):
                contributions += known
                continue
            position = 0
            for index, item in enumerate(caller.taken(provider, HOOK, KIND, result)):
                section = checked_section(caller, provider, index, item)
                if section is not None:
                    if not caller.allows(provider):
                        break
                    contributions.append(Contribution(section, provider, layers, position))
                    position += 1
    finally:
        BUILDING.reset(token)
    return contributions


def checked_section(caller: Caller, provider: Provider, index: int, item: object) -> Section | None:
    """Return one item of what a plugin returned where it is in order; else a diagnostic says why not."""
    try:
        return _checked(caller, provider, index, item)
    except (Exception, SystemExit) as cause:
        # A stranger's object can raise when it is only looked at.
        caller.failed(provider, HOOK, cause)
        return None


class _Earlier:
    """Finds what each provider contributed before; providers are asked for in their order."""

    def __init__(self, contributions: Sequence[Contribution]) -> None:
        self._contributions = contributions
        self._next = 0

    def of(self, provider: Provider) -> Sequence[Contribution]:
        every, first = self._contributions, self._next
        count = len(every)
        while first < count and every[first].provider < provider:
            first += 1
        last = first
        # The places of sections count up from nothing; what else a plugin gave has other places.
        while last < count and every[last].provider is provider and every[last].position == last - first:
            last += 1
        self._next = last
        return every[first:last]


def _unchanged(result: object, known: Sequence[Contribution]) -> bool:
    if type(result) is not list and type(result) is not tuple:
        return False
    given = cast("list[Section] | tuple[Section, ...]", result)
    if len(given) != len(known):
        return False
    try:
        for item, one in zip(given, known, strict=True):
            if not same_section(item, one.edit):
                return False
    except (Exception, SystemExit):
        # It is looked at once more, and then named.
        return False
    return True


def _checked(caller: Caller, provider: Provider, index: int, item: object) -> Section | None:
    """Return a stranger's section as one of our own kind: it could have been made without any check."""
    # Asking a model whether it is of a kind that it is not of costs as much as making one.
    kind = type(item)
    if kind is not Section and kind is not Edit:
        if not isinstance(item, Section):
            what = f"returned {kind.__name__} at index {index} of {HOOK}, not a Section or Edit"
            caller.problem(provider, "FW034", what)
            return None
        kind = Edit if isinstance(item, Edit) else Section
    given = cast("Section", item)
    if provider.first_party:
        return given
    if type(given) is kind and (copied := plain_copy(given)) is not None:
        return copied
    fields = {name: value for name, value in vars(given).items() if name in _FIELDS[kind]}
    if isinstance(when := fields.get("when"), When):
        # It could be wrong itself, and what it holds can be changed later.
        fields["when"] = BaseModel.model_dump(when, exclude_unset=True, warnings=False)
    why: str | None
    try:
        section = kind(**fields)
    except ValidationError as cause:
        why = fields_of(cause)
    except TypeError:
        why = "a field is missing"
    else:
        if (why := _unchecked(section)) is None:
            return section
    caller.problem(provider, "FW034", f"returned a wrong {kind.__name__} at index {index} of {HOOK}: {why}")
    return None


def _unchecked(section: Section) -> str | None:
    """Return what is wrong with the fields that pydantic does not look into."""
    file = cast("object", section.file)
    if file is not None and not isinstance(file, MarkdownFile):
        return "file: Input should be a file that foreword read"
    if type(section) is Edit:
        findings = cast("object", section.findings)
        if not isinstance(findings, tuple) or not all(
            is_sound(one) for one in cast("tuple[object, ...]", findings)
        ):
            return "findings: Input should be a tuple of Diagnostic"
    return None
