"""Which section a file of a memory speaks of."""

from __future__ import annotations

from foreword._file_edit import file_edit
from foreword._memory_record import MemoryRecord
from foreword._model import Edit
from foreword.files._decode import decode
from foreword.files._reader import MarkdownFile
from foreword.files._roots import Root
from foreword.markdown._front_matter import parse


def edit_of(name: str, data: bytes) -> Edit:
    """Return the edit that a copy or an override stands for by its name and its front matter."""
    folder, _, inside = name.partition("/")
    document = parse(decode(data), name)
    file = MarkdownFile(Root(folder, ""), inside, name, document, None, None)
    if folder == MemoryRecord.COPIES:
        return file_edit(file, plain=True, copy_of_below=True)
    return file_edit(file, layer="override")


def section_of(name: str, data: bytes | None) -> str | None:
    """Return the id of the section, or None where the file cannot be read."""
    try:
        return edit_of(name, data or b"").id or None
    except Exception:
        return None


def is_read_only(name: str, data: bytes | None) -> bool:
    """Return whether a file says of itself that the memory API may not change it."""
    try:
        file = edit_of(name, data or b"").file
    except Exception:
        return False
    return file is not None and file.front_matter.read_only is True
