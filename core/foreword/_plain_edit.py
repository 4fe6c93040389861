"""Plain edits: those of the operator's files of which there is nothing to say and nothing to decide."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from foreword.scan._scan import scan_name
from foreword.scan._suspects import suspected

from ._diagnostics import Place
from ._model import NOTHING_SAID, TEXT_ONLY
from ._named_tuple import new as _new
from ._names import (
    CUSTOM_PRIORITY,
    KNOWN_IDS,
    MAX_ID,
    MOST_NAMES,
    Known,
    NameRefused,
    check_id,
    clean_title,
    is_tool,
    section_name,
)
from ._origin import Origin
from ._prepared import PreparedEdit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from foreword.files._markdown_file import MarkdownFile

    from ._model import Section
    from ._provider import Provider


def plain_edits(
    edits: Sequence[Section], positions: Iterable[int], origin: Origin, clean: bool
) -> list[PreparedEdit | None]:
    """Return what edits of the operator's come out as of which there is nothing to say and nothing to decide.

    None for one of which there is, or may be: then a `Draft` of it says what it comes out as.

    Args:
        edits: the edits that one provider returned.
        positions: the places in that list of those that are asked for.
        origin: where they come from.
        clean: whether the scanner has nothing to look at in the texts of these.
    """
    layer, provider, owns_all = origin.plain_layer, origin.provider, origin.owns_all
    if layer is None:
        return [None for _ in positions]
    clean = clean or layer == "builtin"
    come: list[PreparedEdit | None] = []
    for position in positions:
        edit = edits[position]
        # The attributes of a model are many times as slow as those of the dict that it keeps them in.
        fields = edit.__dict__
        title: str | None = None
        priority: int | None = None
        id: str
        text: str
        file: MarkdownFile
        line = 1
        if edit.__pydantic_fields_set__ is TEXT_ONLY:
            id, text, file, default_title, default_priority = _section(fields)
        else:
            said = _said(fields, layer)
            if said is None:
                come.append(None)
                continue
            id, title, priority, default_title, default_priority = said
            text, file = fields["text"], fields["file"]
            line = file.line
        if ("{" in text and "{{" in text) or not (clean or not suspected(text)):
            come.append(None)
            continue
        named = (id, title, priority, default_title, default_priority)
        own = owns_all or origin.owns(id)
        come.append(_prepared(named, layer, provider, file.place, line, position, text, own))
    return come


def plain_text(name: Named, origin: Origin, path: str, position: int, text: str) -> PreparedEdit:
    """Return what the edit of a file comes out as that says nothing but a text.

    Args:
        name: what the file stands for.
        origin: where it comes from, in a layer of the operator's.
        path: the path to show.
        position: the place of the edit among those of its source.
        text: the text.
    """
    id, title, priority = name
    said, layer = (id, None, None, title, priority), origin.plain_layer
    assert layer is not None
    return _prepared(said, layer, origin.provider, path, 1, position, text, origin.owns(id))


def plain_name_of(file: MarkdownFile, clean: bool) -> Named | None:
    """Return the id, the title and the priority that a file stands for, None if it says, or may say, more than a text.

    Args:
        file: the file.
        clean: whether the scanner has nothing to look at in its text.
    """
    text, name = file.text, file.name
    if not text or file.more is not None or "tools/" in name or ("{" in text and "{{" in text):
        return None
    return plain_name(name.rpartition("/")[2]) if clean or not suspected(text) else None


def _prepared(
    said: Said, layer: str, provider: Provider, path: str, line: int, position: int, text: str, own: bool
) -> PreparedEdit:
    """Return an edit that says nothing but this, and holds."""
    id, title, priority, default_title, default_priority = said
    return _new(
        PreparedEdit,
        (
            id,
            layer,
            "plain",
            provider,
            _new(Place, (path, line)),
            position,
            0,
            text,
            text,
            None,
            title,
            priority,
            default_title,
            default_priority,
            None,
            None,
            False,
            own,
            False,
            True,
            False,
            None,
            "",
        ),
    )


_section: Final = itemgetter("id", "text", "file", "default_title", "default_priority")
_fields: Final = itemgetter("id", "text", "title", "priority", "file", "default_title", "default_priority")
_given: Final = itemgetter(
    "mode", "heading", "template", "layer", "when", "base", "copy_of_below", "literal", "findings"
)
_NOTHING_GIVEN: Final = (None, None, None, None, None, None, False, False, ())
"""What an edit says of itself that says nothing but its text, its title and its place."""

Named: TypeAlias = tuple[str, str | None, int]
"""The id, the title and the priority that the name of a file stands for."""

Said: TypeAlias = tuple[str, str | None, int | None, str | None, int]
"""The id, the title, the priority, and those that are taken when nothing is given."""


def _said(fields: Mapping[str, Any], layer: str) -> Said | None:
    """Return what an edit says beside its text, None where there is, or may be, something to say or to decide."""
    if "mode" not in fields or _given(fields) != _NOTHING_GIVEN:
        return None
    id, text, title, priority, file, default_title, default_priority = _fields(fields)
    if file is None or file.error is not None or not text or text is not file.text:
        return None
    more = file.more
    if more is not None and more.failed:
        return None
    title = clean_title(title) if title else title
    if layer != "builtin":
        if not (is_plain_name(id) and is_plain_name(file.name.rpartition("/")[2])):
            return None
        if title and not is_plain_name(title):
            return None
        description = more.front_matter.description if more is not None else None
        if description and (not description.isprintable() or scan_name(description)):
            return None
    if not (spelled := _spelled(id)):
        return None
    id, known = spelled
    if known is not None:
        default_title = known.title if default_title is None else default_title
        default_priority = known.priority if default_priority is None else default_priority
    return (
        id,
        title,
        priority,
        clean_title(default_title) if default_title else None,
        CUSTOM_PRIORITY if default_priority is None else default_priority,
    )


@lru_cache(MOST_NAMES)
def plain_fields(file_name: str) -> dict[str, Any] | None:
    """Return the fields of the edit of a file of this name, to be copied and filled in with the file and its text.

    None where there is, or may be, something to say of the name or of the id.

    Args:
        file_name: the name of the file itself, which is not that of a tool.
    """
    said = plain_name(file_name)
    if said is None:
        return None
    fields = NOTHING_SAID.copy()
    fields["id"], fields["default_title"], fields["default_priority"] = said
    return fields


@lru_cache(MOST_NAMES)
def plain_name(file_name: str) -> Named | None:
    """Return the id, the title and the priority that a file of this name stands for.

    None where there is, or may be, something to say of the name or of the id.

    Args:
        file_name: the name of the file itself, which is not that of a tool.
    """
    try:
        id, title, priority, _, cased = section_name(file_name)
    except NameRefused:
        return None
    if cased or not (is_plain_name(id) and is_plain_name(file_name)) or (spelled := _spelled(id)) is None:
        return None
    if spelled[0] != id:
        return None
    known = spelled[1]
    return (id, title, priority) if known is None else (id, known.title, known.priority)


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
