"""Markdown files: one file as it was read, or the reason why it was not, and what a directory holds."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from foreword._diagnostics import Diagnostic
from foreword.files._roots import Root
from foreword.files._walk import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from foreword._file_edit import Asked
    from foreword._layers import Layer
    from foreword._model import Edit
    from foreword.markdown._front_matter import Document, FrontMatter

_set = object.__setattr__


class _Fields:
    """What a Markdown file holds. Its fields are set while it is made, and then it becomes a `MarkdownFile`."""

    __slots__ = ("_asked", "_own", "error", "more", "name", "place", "root", "size", "text")

    root: Root
    name: str
    place: str
    text: str
    more: Document | None
    error: Diagnostic | None
    size: int
    _own: tuple[int, ...] | None
    _asked: tuple[Asked, Edit] | Edit | None


class MarkdownFile(_Fields):
    """One Markdown file, read, or the reason why it was not. Nothing of it can be changed.

    Attributes:
        root: the directory that was asked for.
        name: the path below it.
        place: the path to show.
        text: the text below the front matter; empty when the file could not be read.
        more: what the file says, where that is more than a text with which it begins; a document takes room.
        error: why it could not be read.
        size: how many bytes it has.
    """

    __slots__ = ()

    def __init__(
        self,
        root: Root,
        name: str,
        place: str,
        document: Document | None,
        error: Diagnostic | None,
        identity: tuple[int, int] | None,
        size: int = 0,
    ) -> None:
        _set(self, "root", root)
        _set(self, "name", name)
        _set(self, "place", place)
        plain = document is not None and error is None and is_plain(document)
        _set(self, "text", document.text if document is not None else "")
        _set(self, "more", None if plain else document)
        _set(self, "error", error)
        _set(self, "_own", identity)
        _set(self, "size", size)
        _set(self, "_asked", None)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a file that was read never changes, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a file that was read never changes, so {name!r} cannot be deleted")

    def __repr__(self) -> str:
        return f"MarkdownFile({self.place!r})"

    def __reduce__(self) -> tuple[type[MarkdownFile], tuple[object, ...]]:
        given = (self.root, self.name, self.place, self.document, self.error, self.identity, self.size)
        return MarkdownFile, given

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode."""
        own = self._own
        return (own[0], own[1]) if own is not None else None

    @property
    def document(self) -> Document | None:
        """What the file says; None when it could not be read."""
        return _plain_document()(self.text) if self.more is None and self.text else self.more

    @property
    def is_quiet(self) -> bool:
        """Whether the file was read, and there is nothing to say of it."""
        return not self.more.diagnostics if self.more is not None else self.text != ""

    @property
    def line(self) -> int:
        """The line of the file on which the text starts."""
        return self.more.line if self.more is not None else 1

    @property
    def front_matter(self) -> FrontMatter:
        """The front matter; an empty one when the file could not be read."""
        if self.more is not None:
            return self.more.front_matter
        from foreword.markdown._front_matter import EMPTY

        return EMPTY

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
        front_matter = self.front_matter
        given = front_matter.model_dump(mode="json", exclude_unset=True) if front_matter.model_fields_set else {}
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

        Asked for again with the same arguments, it is the same object.

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
        made = self._asked
        if isinstance(made, tuple):
            # True is equal to 1, and is no priority.
            if made[0] == asked and type(made[0][2]) is type(default_priority):
                return made[1]
        elif made is not None and asked == NOTHING_ASKED:
            return made
        edit = _asked_edit()(self, asked)
        keep_asked(self, edit if asked == NOTHING_ASKED else (asked, edit))
        return edit


NOTHING_ASKED: Final[Asked] = (None, None, None, False, None, None, False)
"""What `MarkdownFile.edit` is asked without arguments; then the edit is kept by itself."""


def markdown_file(
    root: Root,
    name: str,
    place: str,
    text: str,
    more: Document | None,
    error: Diagnostic | None,
    own: tuple[int, ...] | None,
    size: int,
) -> MarkdownFile:
    """Return what the class returns for the same, at a fifth of the price.

    Its identity may have more behind it, such as the rest of a stamp.
    """
    # Setting what cannot be set takes a call for each field, which many thousands of files are not worth.
    made: Any = _Fields()
    made.root = root
    made.name = name
    made.place = place
    made.text = text
    made.more = more
    made.error = error
    made._own = own
    made.size = size
    made._asked = None
    made.__class__ = MarkdownFile
    file: MarkdownFile = made
    return file


def is_plain(document: Document) -> bool:
    """Say whether a document is only a text with which its file begins."""
    text, line, front_matter, diagnostics, failed, only_front_matter = document
    said = front_matter.model_fields_set or diagnostics or failed or only_front_matter
    return text != "" and line == 1 and not said


# To reach a slot by its name takes twice as long.
asked_of: Callable[[MarkdownFile], tuple[Asked, Edit] | Edit | None] = vars(_Fields)["_asked"].__get__
"""Return what a file was asked for last, and the edit of that; the edit by itself where that was without arguments."""
keep_asked: Callable[[MarkdownFile, tuple[Asked, Edit] | Edit], None] = vars(_Fields)["_asked"].__set__
"""Keep the edit that a file was asked for."""


@cache
def _asked_edit() -> Callable[[MarkdownFile, Asked], Edit]:
    # What an edit is, is known only above the files.
    from foreword._file_edit import asked_edit

    return asked_edit


@cache
def _edits_of() -> Callable[[Iterable[MarkdownFile]], list[Edit]]:
    from foreword._file_edit import edits_of

    return edits_of


@cache
def _plain_document() -> Callable[[str], Document]:
    from foreword.markdown._front_matter import Document

    return Document


class Directory(NamedTuple):
    """What one directory holds: its files by name, what there is to say, and whether it exists."""

    files: tuple[MarkdownFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    exists: bool

    def edits(self) -> list[Edit]:
        """Return the edit that each of the files stands for: what its `edit` returns when nothing more is asked."""
        return _edits_of()(self.files)
