"""The scanner's rules for markup: comments, images from other hosts, control tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from foreword.scan._code import Code
from foreword.scan._findings import MARKUP_BUDGET, Described, Findings, shown

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


def scan_comments(text: str, code: Code, findings: Findings) -> None:
    """Report HTML comments outside code, with their text."""
    if _COMMENT not in text:
        return
    # Behind the last end of a comment every beginning is one that is not closed.
    opened = text.find(_COMMENT, max(0, text.rfind(_COMMENT_END) - 1))
    coded: set[int] = set()
    while opened >= 0 and len(coded) < MARKUP_BUDGET and code.holds(opened):
        coded.add(opened)
        opened = text.find(_COMMENT, opened + 1)
    if opened >= 0:
        findings.add("unterminated-comment", opened, partial(_describe_unterminated, text, opened))
    end = len(text) if opened < 0 else opened
    for begin, closed in findings.limited(_comments(text, end, coded, code), "HTML comments"):
        findings.add("html-comment", begin, partial(_describe_comment, text, begin + len(_COMMENT), closed))


def _comments(text: str, end: int, coded: set[int], code: Code) -> Iterator[tuple[int, int]]:
    begin = text.find(_COMMENT, 0, end)
    while begin >= 0:
        after = begin + 1
        if begin not in coded and not code.holds(begin):
            # An end may share its dashes with the beginning.
            closed = text.find(_COMMENT_END, begin + 2)
            yield begin, closed
            after = closed + len(_COMMENT_END)
        begin = text.find(_COMMENT, after, end)


def _describe_comment(text: str, begin: int, end: int) -> Described:
    return Described(f"HTML comment '{shown(text[begin : min(end, begin + 1_000)].strip())}'")


def _describe_unterminated(text: str, begin: int) -> Described:
    hidden = text[begin + len(_COMMENT) : begin + 1_000].strip()
    return Described(f"HTML comment that is not closed, '{shown(hidden)}'")


def scan_images(text: str, code: Code, findings: Findings) -> None:
    """Report images from other hosts outside code."""
    for offset, address in findings.limited(_images(text), "images from other hosts"):
        if code.holds(offset):
            continue
        with_placeholder = _PLACEHOLDER.search(address) is not None
        rule = "image-placeholder" if with_placeholder else "remote-image"
        findings.add(rule, offset, partial(_describe_image, address, with_placeholder))


def _images(text: str) -> Iterator[tuple[int, str]]:
    if "//" not in text:
        return
    for match in _MARKDOWN_ADDRESS.finditer(text):
        begin = text.rfind("![", max(0, match.start() - _ALTERNATIVE_LIMIT), match.start())
        if begin >= 0 and "]" not in text[begin + 2 : match.start()]:
            yield begin, _TITLE.split(match[1])[0]
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
        tokens = ((match.start(), match[0]) for match in pattern.finditer(text))
        for offset, token in findings.limited(tokens, "control tokens"):
            if not code.holds(offset):
                message = f"control token '{shown(token)}' outside code"
                findings.add("control-token", offset, partial(Described, message))
