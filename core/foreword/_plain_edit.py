"""Plain edits: those of the operator's files of which there is nothing to say and nothing to decide."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from foreword.markdown._front_matter import EMPTY
from foreword.scan._scan import scan_name
from foreword.scan._suspects import suspected

from ._diagnostics import Place
from ._names import CUSTOM_PRIORITY, KNOWN_IDS, MAX_ID, MOST_NAMES, Known, NameRefused, check_id, clean_title, is_tool
from ._origin import Origin
from ._prepared import PreparedEdit

if TYPE_CHECKING:
    from ._model import Section


def plain_edit(edit: Section, origin: Origin, position: int, clean: bool) -> PreparedEdit | None:
    """Return what an edit of the operator's comes out as of which there is nothing to say and nothing to decide.

    None where there is, or may be: then a `Draft` of it says what it comes out as.

    Args:
        edit: the edit that a file stands for.
        origin: where it comes from.
        position: its place in the list that the provider returned.
        clean: whether the scanner has nothing to look at in its text.
    """
    layer = origin.plain_layer
    fields = vars(edit)
    if layer is None or "mode" not in fields or _given(fields) != _NOTHING_GIVEN:
        return None
    id, text, title, priority, file, default_title, default_priority = _said(fields)
    if file is None or file.error is not None or file.document is None:
        return None
    body, line, front_matter, _, failed, _ = file.document
    if failed or not text or text is not body or ("{" in text and "{{" in text):
        return None
    if layer != "builtin":
        name = file.name
        if "/" in name:
            name = name.rpartition("/")[2]
        if not ((clean or not suspected(text)) and is_plain_name(id) and is_plain_name(name)):
            return None
        if title and not is_plain_name(clean_title(title)):
            return None
    if not (spelled := _spelled(id)):
        return None
    id, known = spelled
    if known is not None:
        default_title = known.title if default_title is None else default_title
        default_priority = known.priority if default_priority is None else default_priority
    if front_matter is not EMPTY and layer != "builtin":
        description = front_matter.description
        if description and (not description.isprintable() or scan_name(description)):
            return None
    # The class of a named tuple takes twice as long as the tuple.
    return _new(
        PreparedEdit,
        (
            id,
            layer,
            "plain",
            origin.provider,
            _new(Place, (file.place, line)),
            position,
            0,
            text,
            text,
            None,
            clean_title(title) if title else title,
            priority,
            clean_title(default_title) if default_title else None,
            CUSTOM_PRIORITY if default_priority is None else default_priority,
            None,
            None,
            False,
            origin.owns_all or origin.owns(id),
            False,
            True,
            False,
            None,
            "",
        ),
    )


_new: Final = tuple[Any, ...].__new__
_said: Final = itemgetter("id", "text", "title", "priority", "file", "default_title", "default_priority")
_given: Final = itemgetter(
    "mode", "heading", "template", "layer", "when", "base", "copy_of_below", "literal", "findings"
)
_NOTHING_GIVEN: Final = (None, None, None, None, None, None, False, False, ())
"""What an edit says of itself that says nothing but its text, its title and its place."""


@lru_cache(MOST_NAMES)
def _spelled(id: str) -> tuple[str, Known | None] | None:
    """Return an id in its one spelling, and the known file of it; None for what is none, and for tools."""
    try:
        checked = check_id(id)
    except NameRefused:
        return None
    return None if is_tool(checked) else (checked, KNOWN_IDS.get(checked))


@lru_cache(MOST_NAMES)
def is_plain_name(name: str) -> bool:
    """Say whether the scanner has nothing to look at in a name; in doubt it has."""
    # A rule can be made milder or switched off, so a name without findings has none under any settings.
    return len(name) <= MAX_ID and not scan_name(name)
