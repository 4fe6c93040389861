"""Kinds of entries: what a name says of what lies in a directory."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final

from foreword._names import MOST_NAMES, is_leftover, is_readme

_SWAP_FILES: Final = (".swp", ".swo")


class Kind(Enum):
    """What an entry is by its name."""

    MARKDOWN = 1
    README = 2
    LEFTOVER = 3
    HIDDEN = 4
    SWAP_FILE = 5
    OTHER = 6


@lru_cache(MOST_NAMES)
def kind_of(name: str) -> Kind:
    """Return what a name says of its entry; a large prompts directory has few thousands of names."""
    if name.startswith("."):
        return Kind.SWAP_FILE if name.lower().endswith(_SWAP_FILES) else Kind.HIDDEN
    markdown = name.lower().endswith(".md")
    if is_leftover(name):
        return Kind.LEFTOVER if markdown else Kind.OTHER
    if not markdown:
        return Kind.OTHER
    return Kind.README if is_readme(name) else Kind.MARKDOWN
