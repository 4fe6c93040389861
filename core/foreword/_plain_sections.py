"""The cheap gate before the models: sections that are in order as they stand."""

from __future__ import annotations

from operator import is_, itemgetter
from typing import Final, TypeVar, cast

from ._layers import LAYERS
from ._model import MODES, Edit, Section

S = TypeVar("S", bound=Section)

_FIELDS: Final = {kind: set(kind.model_fields) for kind in (Section, Edit)}
"""The fields of a kind. pydantic copies the set before it changes it, so that all copies can share one."""

_VALUES: Final = {kind: itemgetter(*kind.model_fields) for kind in (Section, Edit)}
_MODES: Final = frozenset({None, *MODES})
_LAYERS: Final = frozenset({None, *LAYERS})
_TEMPLATES: Final = frozenset({None, "names", "jinja"})
_NAMED: Final = (str, type(None))


def plain_copy(given: S) -> S | None:
    """Return a copy of a section that its model would take as it stands, or None where only the model can say.

    Nothing of the given one's own is run, and what is done to it later does not reach the copy.

    Args:
        given: a section that could have been made without any check. Its kind is Section or Edit itself.
    """
    kind = type(given)
    own = cast("object", given.__dict__)
    if type(own) is not dict:
        return None
    fields = cast("dict[str, object]", own).copy()
    if len(fields) != len(_FIELDS[kind]):
        return None
    try:
        values: tuple[object, ...] = _VALUES[kind](fields)
    except KeyError:
        return None
    id, text, title, priority, file, default_title, default_priority, *more = values
    if not (
        (type(id) is str and id.isascii())
        and (type(text) is str and text.isascii())
        and (title is None or (type(title) is str and title.isascii()))
        and (priority is None or (type(priority) is int and -9999 <= priority <= 9999))
        and file is None
        and (default_title is None or (type(default_title) is str and default_title.isascii()))
        and (default_priority is None or (type(default_priority) is int and -9999 <= default_priority <= 9999))
        and (not more or _is_plain(*more))
    ):
        return None
    copied = object.__new__(kind)
    # What a copy is made of where one is unpickled: the models would look at every field once more.
    copied.__setstate__(
        {
            "__dict__": fields,
            "__pydantic_fields_set__": _FIELDS[kind],
            "__pydantic_extra__": None,
            "__pydantic_private__": None,
        }
    )
    return copied


def _is_plain(
    mode: object,
    heading: object,
    template: object,
    layer: object,
    when: object,
    base: object,
    copy_of_below: object,
    literal: object,
    findings: object,
) -> bool:
    return (
        (type(mode) in _NAMED and mode in _MODES)
        and (heading is None or (type(heading) is str and heading.isascii()))
        and (type(template) in _NAMED and template in _TEMPLATES)
        and (type(layer) in _NAMED and layer in _LAYERS)
        and when is None
        and (base is None or (type(base) is str and base.isascii()))
        and type(copy_of_below) is bool
        and type(literal) is bool
        and type(findings) is tuple
        and not findings
    )


def same_section(given: Section, known: Section) -> bool:
    """Return whether a section is equal to one that has been checked, so that it is in order as well.

    Nothing of the given one's own is run. An edit with a condition is never the same, as the condition can
    be changed without a trace.
    """
    kind = type(known)
    if type(given) is not kind or type(cast("object", given.__dict__)) is not dict:
        return False
    fields = cast("dict[str, object]", given.__dict__)
    expected = cast("dict[str, object]", known.__dict__)
    if len(fields) != len(expected) or expected.get("when") is not None:
        return False
    values = _VALUES[kind]
    try:
        own, wanted = values(fields), values(expected)
    except KeyError:
        return False
    if all(map(is_, own, wanted)):
        return True
    # Types first: 1 is equal to True, and a stranger's kind of text may be equal to anything.
    return (
        tuple(map(type, own)) == tuple(map(type, wanted))
        and fields["file"] is expected["file"]
        and _identical(fields.get("findings", ()), cast("tuple[object, ...]", expected.get("findings", ())))
        and own == wanted
    )


def reads_like(one: Section, other: Section) -> bool:
    """Return whether two sections that were checked are the same, their conditions included."""
    when, others = one.__dict__.get("when"), other.__dict__.get("when")
    if when is None and others is None:
        return same_section(one, other)
    if when is None or others is None or when.model_fields_set != others.model_fields_set or repr(when) != repr(others):
        return False
    none = {"when": None}
    return same_section(one.model_copy(update=none), other.model_copy(update=none))


def _identical(given: object, known: tuple[object, ...]) -> bool:
    if type(given) is not tuple:
        return False
    own = cast("tuple[object, ...]", given)
    return len(own) == len(known) and all(map(is_, own, known))
