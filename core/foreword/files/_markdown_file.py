"""Markdown files: one file as it was read, or the reason why it was not, and what a directory holds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from foreword._diagnostics import Diagnostic
from foreword.files._roots import Root
from foreword.files._walk import below

if TYPE_CHECKING:
    from foreword._layers import Layer
    from foreword._model import Edit
    from foreword.markdown._front_matter import Document, FrontMatter


@dataclass(frozen=True, slots=True, eq=False)
class MarkdownFile:
    """One Markdown file, read, or the reason why it was not.

    ``name`` is the path below the root, ``place`` the one to show. ``identity`` is device and inode,
    ``size`` the file's bytes.
    """

    root: Root
    name: str
    place: str
    document: Document | None
    error: Diagnostic | None
    identity: tuple[int, int] | None
    size: int = 0
    _edits: dict[tuple[object, ...], Edit] = field(default_factory=dict, init=False, repr=False)

    @property
    def text(self) -> str:
        """The text below the front matter; empty when the file could not be read."""
        return self.document.text if self.document is not None else ""

    @property
    def line(self) -> int:
        """The line of the file on which the text starts."""
        return self.document.line if self.document is not None else 1

    @property
    def front_matter(self) -> FrontMatter:
        """The front matter; an empty one when the file could not be read."""
        if self.document is not None:
            return self.document.front_matter
        from foreword.markdown._front_matter import FrontMatter

        return FrontMatter()

    @property
    def stem(self) -> str:
        """The name of the file itself, without ``.md``."""
        return self.name.rpartition("/")[2][:-3]

    @property
    def path(self) -> str:
        """The absolute path."""
        return below(self.root.path, self.name)

    @property
    def content_hash(self) -> str:
        """The SHA-256 of what the file says: its front matter and its text."""
        given = self.front_matter.model_dump(mode="json", exclude_unset=True)
        content = json.dumps([given, self.text], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def edit(
        self,
        *,
        id: str | None = None,
        default_title: str | None = None,
        default_priority: int | None = None,
        plain: bool = False,
        layer: Layer | None = None,
        base: str | None = None,
        copy_of_below: bool = False,
    ) -> Edit:
        """Return the edit that the file stands for by its name and its front matter.

        For the same arguments it is the same object.

        Args:
            id: the section, where neither name nor front matter is to say.
            default_title: with ``id``, the title that a definition takes when the file gives none.
            default_priority: with ``id``, the priority likewise.
            plain: front matter ``id``, ``mode`` and ``heading`` have no effect, and are warned about.
            layer: the layer to write in; None is the lowest that the plugin is granted.
            base: as for `Edit`.
            copy_of_below: as for `Edit`.
        """
        asked = (id, default_title, default_priority, plain, layer, base, copy_of_below)
        known = self._edits.get(asked)
        if known is not None:
            return known
        from foreword._file_edit import file_edit

        edit = file_edit(
            self,
            id=id,
            default_title=default_title,
            default_priority=default_priority,
            plain=plain,
            layer=layer,
            base=base,
            copy_of_below=copy_of_below,
        )
        return self._edits.setdefault(asked, edit)


class Directory(NamedTuple):
    """What one directory holds: its files by name, what there is to say, and whether it exists."""

    files: tuple[MarkdownFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    exists: bool
