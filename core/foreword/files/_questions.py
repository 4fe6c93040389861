"""What a reader is asked, what it answers, and what is kept of that."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from foreword._diagnostics import Diagnostic
from foreword.files._markdown_file import Directory
from foreword.files._roots import Root
from foreword.files._stamps import Evidence


class DirectoryKey(NamedTuple):
    """A directory below a root is to be read; the arguments are those of `Reader.read_directory`."""

    kind: Literal["directory"]
    root: Root
    sub: str
    known: frozenset[str]
    recursive: bool
    only: str | None
    depth: int
    skip: frozenset[str]
    trusted_links: bool


class NamesKey(NamedTuple):
    """The names in a directory are asked for."""

    kind: Literal["names"]
    root: Root
    sub: str


class TreeKey(NamedTuple):
    """What lies below a directory is asked for."""

    kind: Literal["tree"]
    root: Root
    skip: frozenset[str]
    depth: int
    limit: int
    start: str
    hidden: bool
    trusted_links: bool


class FileKey(NamedTuple):
    """One file is to be read."""

    kind: Literal["file"]
    root: Root
    name: str
    trusted_links: bool
    max_bytes: int


Key: TypeAlias = DirectoryKey | TreeKey | FileKey
Answer: TypeAlias = Directory | tuple[str, ...] | bytes | Diagnostic | None


class Observation(NamedTuple):
    """What a reader was asked, and what it answered."""

    key: Key
    answer: Answer


class Kept(NamedTuple):
    """The names in a directory, the tree below it or the bytes of a file, and what shows that they still hold."""

    answer: frozenset[str] | tuple[str, ...] | bytes
    evidence: Evidence | None
    real: str
    """The real path of the root."""

    @property
    def size(self) -> int:
        """About how many bytes it takes to keep it."""
        return 1000 + (len(self.answer) if isinstance(self.answer, bytes) else 200 * len(self.answer))
