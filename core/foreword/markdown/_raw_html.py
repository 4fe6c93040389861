"""Raw HTML: the kinds of block that CommonMark knows, and how each begins and ends."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_RAW_TAGS: Final = "script|pre|style|textarea"
_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_ATTRIBUTE: Final = r"""\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?"""
_ODD_SPACE: Final = re.compile(r"[^\S ]")


class RawHtml(NamedTuple):
    """One kind: how it begins, what ends it (a blank line, when nothing is named), and what to close it with."""

    begin: re.Pattern[str]
    end: re.Pattern[str] | None
    closing: str


ANY_TAG: Final = RawHtml(
    re.compile(rf"<(?:[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?|/[A-Za-z][A-Za-z0-9-]*\s*)>\s*\Z"), None, ""
)
"""A tag of any name that stands alone on its line; it is the only kind that interrupts no paragraph."""

_KINDS: Final = (
    RawHtml(
        re.compile(rf"<(?a:{_RAW_TAGS})(?=\s|>|\Z)", re.IGNORECASE),
        re.compile(rf"</(?a:{_RAW_TAGS})>", re.IGNORECASE),
        "</{}>",
    ),
    RawHtml(re.compile("<!--"), re.compile("-->"), "-->"),
    RawHtml(re.compile(r"<\?"), re.compile(r"\?>"), "?>"),
    RawHtml(re.compile("<![A-Za-z]"), re.compile(">"), ">"),
    RawHtml(re.compile(r"<!\[CDATA\["), re.compile("]]>"), "]]>"),
    RawHtml(re.compile(rf"</?(?a:{_BLOCK_TAGS})(?=\s|/?>|\Z)", re.IGNORECASE), None, ""),
    ANY_TAG,
)


def raw_html(line: str, at: int) -> RawHtml | None:
    """Return the kind of raw HTML that begins at a place of a line without tabs, or None."""
    if line[at] != "<":
        return None
    return next((kind for kind in _KINDS if kind.begin.match(line, at)), None)


def is_unclear(line: str, at: int, kind: RawHtml) -> bool:
    """Return whether this kind begins only for parsers to which more than spaces and tabs is white space."""
    return _ODD_SPACE.search(line, at) is not None and raw_html(_ODD_SPACE.sub("\1", line), at) is not kind


def closing(line: str, at: int, kind: RawHtml) -> str:
    """Return what closes the raw HTML that begins at a place of a line."""
    return kind.closing.format(re.split("[ >]", line[at + 1 :], maxsplit=1)[0].lower())
