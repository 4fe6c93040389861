"""The edit that a Markdown file stands for: its name and its front matter say which section, and how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from foreword.files._markdown_file import NOTHING_ASKED, MarkdownFile, asked_of, keep_asked
from foreword.markdown._front_matter import EMPTY

from ._agent_directories import AGENTS
from ._diagnostics import Diagnostic, Place
from ._made_model import made_model
from ._model import NOTHING_SAID, TEXT_ONLY, Edit, made
from ._names import KNOWN_IDS, NameRefused, SectionName, id_key, section_name, tool_id
from ._plain_edit import plain_fields

if TYPE_CHECKING:
    from ._layers import Layer

Asked: TypeAlias = tuple[str | None, str | None, int | None, bool, "Layer | None", str | None, bool]
"""The arguments of `file_edit` behind the file."""


def edits_of(files: Iterable[MarkdownFile]) -> list[Edit]:
    """Return the edit of each of some files; asked for again, it is the same object.

    Args:
        files: files that `Context.read_directory` gave.
    """
    edits: list[Edit] = []
    for file in files:
        edit = asked_of(file)
        if edit is None or isinstance(edit, tuple):
            edit = _plain_edit(file) or file_edit(file)
            keep_asked(file, edit)
        edits.append(edit)
    return edits


def asked_edit(file: MarkdownFile, asked: Asked) -> Edit:
    """Return the edit of a file that is asked for.

    Args:
        file: a file that `Context.read_directory` gave.
        asked: the arguments of `file_edit` behind the file.
    """
    return (_plain_edit(file) if asked == NOTHING_ASKED else None) or file_edit(file, *asked)


def _plain_edit(file: MarkdownFile) -> Edit | None:
    """Return the edit of a file that says nothing but a text, under a name of which nothing is to say; else None."""
    text, name = file.text, file.name
    # The file of a tool stands for another section than its name says.
    if not text or file.more is not None or "tools/" in name:
        return None
    said = plain_fields(name.rpartition("/")[2] if "/" in name else name)
    if said is None:
        return None
    fields = said.copy()
    fields["text"] = text
    fields["file"] = file
    return made_model(Edit, fields, TEXT_ONLY)


def file_edit(
    file: MarkdownFile,
    id: str | None = None,
    default_title: str | None = None,
    default_priority: int | None = None,
    plain: bool = False,
    layer: Layer | None = None,
    base: str | None = None,
    copy_of_below: bool = False,
) -> Edit:
    """Return the edit that a file of a prompts directory, a per-agent directory or a memory stands for.

    The file's name is the section; where it does not say, front matter ``id`` does. What is wrong with
    name or front matter stands in the edit's ``findings``: such an edit comes out as failed.

    Args:
        file: a file that `Context.read_directory` gave.
        id: the section, where neither name nor front matter is to say.
        default_title: with ``id``, the title that a definition takes when the file gives none.
        default_priority: with ``id``, the priority likewise.
        plain: front matter ``id``, ``mode`` and ``heading`` have no effect, and are warned about.
        layer: the layer to write in; None is the lowest that the plugin is granted.
        base: as for `Edit`.
        copy_of_below: as for `Edit`.
    """
    given = file.more.front_matter if file.more is not None else EMPTY
    findings: tuple[Diagnostic, ...] = ()
    if id is None:
        try:
            name = file.name
            id, title, priority, known, cased = section_name(name) if "/" not in name else _named(file)
        except NameRefused as problem:
            place = Place(file.place)
            refused = Diagnostic("FW007", "error", f"the name is refused: {problem}", place, "rename the file")
            return Edit("", file=file, findings=(refused,))
        if cased:
            message = f"{file.stem}.md is taken for the known name of {id!r} in another case"
            taken = Diagnostic("FW009", "warning", message, Place(file.place), "write it in capitals", id)
            findings = (taken,)
        if given is not EMPTY and given.id is not None and not plain:
            if not known:
                id = given.id
            elif id_key(given.id) != id_key(id):
                message = f"the file's name stands for {id!r}, and its front matter says {given.id!r}"
                other = Diagnostic("FW014", "error", message, Place(file.place, 1), "rename the file", id)
                findings = (*findings, other)
        reserved = KNOWN_IDS.get(id)
        default_title = reserved.title if reserved is not None else title
        default_priority = reserved.priority if reserved is not None else priority
    fields = NOTHING_SAID.copy()
    fields["id"] = id
    fields["text"] = file.text
    fields["file"] = file
    fields["default_title"] = default_title
    fields["default_priority"] = default_priority
    fields["layer"] = layer
    fields["base"] = base
    fields["copy_of_below"] = copy_of_below
    fields["findings"] = findings
    if given is not EMPTY:
        if plain and not given.given.isdisjoint(_IDLE):
            place = Place(file.place, 1)
            fields["findings"] = findings + tuple(
                Diagnostic("FW016", "warning", f"{key} has no effect in this file", place, "take it away", id)
                for key in _IDLE
                if key in given.given
            )
        elif not plain:
            fields["mode"] = given.mode
            fields["heading"] = given.heading
        fields["title"] = given.title
        fields["priority"] = given.priority
        fields["template"] = given.template
        fields["when"] = given.when
    return made(fields)


_IDLE = ("id", "mode", "heading")
"""The keys that have no effect in a file that stands for a section by its place."""


def _named(file: MarkdownFile) -> SectionName:
    name = file.name
    folder, _, base = name.rpartition("/")
    # An agent can be called so as well.
    if folder.rpartition("/")[2] == "tools" and folder != f"{AGENTS}/tools":
        return SectionName(tool_id(file.stem), None, 900, known=True, cased=False)
    return section_name(base)
