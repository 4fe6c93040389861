"""Front matter of plain words, as nearly all is: read without YAML, to what YAML would have it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_args

from foreword._made_model import made_model
from foreword._named_tuple import new as _new
from foreword._names import check_id, clean_title
from foreword.markdown._front_matter import Document
from foreword.markdown._front_matter_model import (
    EMPTY,
    FrontMatter,
    Mode,
    Template,
    When,
    loose_number,
    truth,
    whole_number,
)

if TYPE_CHECKING:
    from foreword.markdown._front_matter_parser import Parser

# Beyond ASCII, YAML takes everything as it is but these: its line breaks, control characters, and what is no character.
_ODD: Final = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
# A value without a colon or a hash can neither hold another key nor end in a comment.
_WORDS: Final = rf"-?[^{_ODD} -/:-@\[-`{{-~][^{_ODD}#:]*+(?<! )"
_ITEM: Final = r"(?!(?i:null)[],])[0-9A-Za-z][ 0-9A-Za-z_./-]*+(?<! )"
_LINE: Final = rf"[a-z][a-z_-]*+: (?!(?i:null)\n)(?:{_WORDS}|\[{_ITEM}(?:, {_ITEM})*\])\n"
_HEAD: Final = re.compile(rf"---\n((?:{_LINE})+)---(?:\n|\Z)")
_PAIR: Final = re.compile(r"([^ ]+ \[?)(.+)\n")


def _one(value: str) -> tuple[str, ...]:
    return (value,)


def _items(value: str) -> tuple[str, ...]:
    return tuple(value[:-1].split(", "))


def _joined(value: str) -> str:
    return value[:-1].replace(",", "")


_READ: Final[dict[str, tuple[str, Callable[[str], object]]]] = {
    "id: ": ("id", check_id),
    "title: ": ("title", clean_title),
    "priority: ": ("priority", whole_number),
    "mode: ": ("mode", {word: word for word in get_args(Mode)}.__getitem__),
    "heading: ": ("heading", clean_title),
    "template: ": ("template", {word: word for word in get_args(Template)}.__getitem__),
    "description: ": ("description", str),
    "read_only: ": ("read_only", truth),
    "name: ": ("name", str),
    "tags: ": ("tags", _one),
    "tags: [": ("tags", _items),
    "limit: ": ("limit", loose_number),
    "license: ": ("license", str),
    "compatibility: ": ("compatibility", str),
    "when_to_use: ": ("when_to_use", str),
    "tools: ": ("tools", str),
    "tools: [": ("tools", _joined),
    "allowed-tools: ": ("allowed_tools", str),
    "allowed-tools: [": ("allowed_tools", _joined),
}
"""By a key, up to where its words begin: the attribute, and what the model makes of the words."""

_ABSENT: Final[dict[str, Any]] = vars(EMPTY)
# The checks are made while this is imported, which happens once, however many threads read front matter.
When.model_rebuild()
FrontMatter.model_rebuild()


def document(source: str, text: str, path: str) -> Document:
    """Return what a file that begins with three hyphens is read as, white space set aside.

    Args:
        source: The file, with newlines ``\\n``.
        text: The same, trimmed.
        path: The path as its owner wrote it, for diagnostics.
    """
    return plain_document(source, text) or _parser()(source, path).document()


def plain_document(source: str, text: str) -> Document | None:
    """Return what a file is read as whose front matter holds only plain words for keys that are known, once each.

    Args:
        source: The file, with newlines ``\\n``.
        text: The same, trimmed.

    Returns:
        What the parser would return, or None where that takes more than a look.
    """
    head = _HEAD.match(source)
    if head is None:
        return None
    fields = _ABSENT.copy()
    # Every front matter has a mapping of its own, for a mapping can be changed.
    fields["metadata"] = {}
    given: set[str] = set()
    pairs = _PAIR.findall(source, 4, head.end(1))
    try:
        for key, words in pairs:
            name, read = _READ[key]
            fields[name] = read(words)
            given.add(name)
    except (KeyError, ValueError):
        return None
    rest = text[head.end() :]
    body = rest.lstrip()
    if len(given) != len(pairs) or body.startswith("---"):
        return None
    line = 1 + text.count("\n", 0, len(text) - len(body)) if body else 1
    front_matter = made_model(FrontMatter, fields, given)
    return _new(Document, (body, line, front_matter, (), False, not body))


@cache
def _parser() -> type[Parser]:
    # YAML is paid for only by files that need it.
    from foreword.markdown._front_matter_parser import Parser

    return Parser
