"""The edit that a Markdown file stands for: its name and its front matter say which section, and how."""

from __future__ import annotations

from foreword.files._reader import MarkdownFile

from ._diagnostics import Diagnostic, Place
from ._layers import Layer
from ._model import Edit, made
from ._names import KNOWN_IDS, NameRefused, SectionName, id_key, section_name, tool_id


def file_edit(
    file: MarkdownFile,
    *,
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
    given = file.front_matter
    findings: list[Diagnostic] = []
    if id is None:
        try:
            name = _named(file)
        except NameRefused as problem:
            place = Place(file.place)
            refused = Diagnostic("FW007", "error", f"the name is refused: {problem}", place, "rename the file")
            return Edit("", file=file, findings=(refused,))
        if name.cased:
            message = f"{file.stem}.md is taken for the known name of {name.id!r} in another case"
            findings.append(
                Diagnostic("FW009", "warning", message, Place(file.place), "write it in capitals", name.id)
            )
        id = name.id
        if given.id is not None and not plain:
            if not name.known:
                id = given.id
            elif id_key(given.id) != id_key(id):
                message = f"the file's name stands for {id!r}, and its front matter says {given.id!r}"
                findings.append(Diagnostic("FW014", "error", message, Place(file.place, 1), "rename the file", id))
        known = KNOWN_IDS.get(id)
        default_title = known.title if known is not None else name.title
        default_priority = known.priority if known is not None else name.priority
    if plain:
        place = Place(file.place, 1)
        findings += (
            Diagnostic("FW016", "warning", f"{key} has no effect in this file", place, "take it away", id)
            for key in ("id", "mode", "heading")
            if key in given.given
        )
    return made(
        id=id,
        text=file.text,
        title=given.title,
        priority=given.priority,
        file=file,
        default_title=default_title,
        default_priority=default_priority,
        mode=None if plain else given.mode,
        heading=None if plain else given.heading,
        template=given.template,
        layer=layer,
        when=given.when,
        base=base,
        copy_of_below=copy_of_below,
        literal=False,
        findings=tuple(findings),
    )


def _named(file: MarkdownFile) -> SectionName:
    folder, _, base = file.name.rpartition("/")
    if folder.rpartition("/")[2] == "tools":
        return SectionName(tool_id(file.stem), None, 900, known=True, cased=False)
    return section_name(base)
