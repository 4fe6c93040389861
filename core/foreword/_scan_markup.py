"""The scanner's rules for markup: comments, images from other hosts, control tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from foreword._scan_code import Code
from foreword._scan_findings import BUDGET, Described, Findings, shown

_MARKUP_BUDGET: Final = BUDGET // 3
_COMMENT, _COMMENT_END = "<!--", "-->"

_MARKDOWN_ADDRESS = re.compile(r"\]\([ \t]{0,9}<?((?:[Hh][Tt][Tt][Pp][Ss]?:)?//[^)\n]{0,2000})")
_ALTERNATIVE_LIMIT = 500
_IMAGE_TAG = re.compile(r"<[Ii][Mm][Gg]\b[^>]{0,1000}")
_SRC = re.compile(r"\bsrc\s{0,9}=\s{0,9}(?:\"([^\"]*)|'([^']*)|([^\s>]+))", re.IGNORECASE)
_REMOTE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_TITLE = re.compile(r"[ \t]+[\"'(]")
_PLACEHOLDER = re.compile(r"\{[^{}]|\$\{|\$[A-Za-z_]|%7B|<[A-Za-z_]", re.IGNORECASE)

_TOKENS: Final = (
    ("<|", re.compile(r"<\|[A-Za-z0-9_]{1,40}\|>")),
    ("INST]", re.compile(r"\[/?INST\]")),
    ("SYS>>", re.compile(r"<</?SYS>>")),
    ("_of_turn>", re.compile(r"<(?:start|end)_of_turn>")),
    ("<\uff5c", re.compile(r"<\uff5c[A-Za-z0-9_\u2581]{1,40}\uff5c>")),
)

MARKS: Final = (_COMMENT, "](", *(mark for mark, _ in _TOKENS))
"""What a text holds at least one of when it has markup to look at; an image tag may be in any case."""


def scan_comments(text: str, code: Code, findings: Findings) -> None:
    """Report HTML comments outside code, with their text."""
    if _COMMENT not in text:
        return
    # Behind the last end of a comment every beginning is one that is not closed.
    opened = text.find(_COMMENT, max(0, text.rfind(_COMMENT_END) - 1))
    for _ in range(_MARKUP_BUDGET):
        if opened < 0 or not code.holds(opened):
            break
        opened = text.find(_COMMENT, opened + 1)
    if opened >= 0:
        findings.add("unterminated-comment", opened, partial(_describe_unterminated, text, opened))
    end = len(text) if opened < 0 else opened
    begin = text.find(_COMMENT, 0, end)
    for _ in range(_MARKUP_BUDGET):
        if begin < 0:
            return
        after = begin + 1
        if not code.holds(begin):
            # An end may share its dashes with the beginning.
            closed = text.find(_COMMENT_END, begin + 2)
            after = closed + len(_COMMENT_END)
            findings.add("html-comment", begin, partial(_describe_comment, text, begin + len(_COMMENT), closed))
        begin = text.find(_COMMENT, after, end)
    findings.add("too-many", begin, partial(Described, f"more than {_MARKUP_BUDGET:,} HTML comments"))


def _describe_comment(text: str, begin: int, end: int) -> Described:
    return Described(f"HTML comment '{shown(text[begin : min(end, begin + 1_000)].strip())}'")


def _describe_unterminated(text: str, begin: int) -> Described:
    hidden = text[begin + len(_COMMENT) : begin + 1_000].strip()
    return Described(f"HTML comment that is not closed, '{shown(hidden)}'")


def scan_images(text: str, code: Code, findings: Findings) -> None:
    """Report images from other hosts outside code."""
    nth = 0
    for nth, (offset, address) in enumerate(islice(_images(text), _MARKUP_BUDGET)):
        if code.holds(offset):
            continue
        with_placeholder = _PLACEHOLDER.search(address) is not None
        rule = "image-placeholder" if with_placeholder else "remote-image"
        findings.add(rule, offset, partial(_describe_image, address, with_placeholder))
    if nth + 1 >= _MARKUP_BUDGET:
        findings.add("too-many", 0, partial(Described, f"more than {_MARKUP_BUDGET:,} images from other hosts"))


def _images(text: str) -> Iterator[tuple[int, str]]:
    if "//" not in text:
        return
    for match in _MARKDOWN_ADDRESS.finditer(text):
        begin = text.rfind("![", max(0, match.start() - _ALTERNATIVE_LIMIT), match.start())
        if begin >= 0 and "]" not in text[begin + 2 : match.start()]:
            yield begin, _TITLE.split(match[1], maxsplit=1)[0]
    for match in _IMAGE_TAG.finditer(text):
        source = _SRC.search(match[0])
        address = "" if source is None else next(filter(None, source.groups()), "")
        if _REMOTE.match(address):
            yield match.start(), address.strip()


def _describe_image(address: str, with_placeholder: bool) -> Described:
    detail = " whose address has a placeholder" if with_placeholder else " with a query" if "?" in address else ""
    return Described(f"image from another host{detail}, '{shown(address)}'")


def scan_tokens(text: str, code: Code, findings: Findings) -> None:
    """Report control tokens of chat models outside code."""
    for mark, pattern in _TOKENS:
        if mark not in text:
            continue
        nth = 0
        for nth, match in enumerate(islice(pattern.finditer(text), _MARKUP_BUDGET)):
            if not code.holds(match.start()):
                message = f"control token '{shown(match[0])}' outside code"
                findings.add("control-token", match.start(), partial(Described, message))
        if nth + 1 >= _MARKUP_BUDGET:
            findings.add("too-many", 0, partial(Described, f"more than {_MARKUP_BUDGET:,} control tokens"))
