"""The rules themselves, applied to a text or to a name."""

from __future__ import annotations

from foreword.scan._characters import scan_characters
from foreword.scan._code import Code
from foreword.scan._findings import Findings
from foreword.scan._markup import scan_comments, scan_images, scan_tokens
from foreword.scan._shape import scan_base64, scan_shape
from foreword.scan._suspects import CHARACTERS, MARKUP, SHAPE, WORDS
from foreword.scan._words import scan_confusable, scan_words


def apply_rules(text: str, groups: int, findings: Findings) -> None:
    """Apply some groups of rules to a text."""
    if groups & CHARACTERS:
        scan_characters(text, findings)
    if groups & WORDS:
        scan_words(text, findings)
    if groups & MARKUP:
        code = Code(text)
        scan_comments(text, code, findings)
        scan_images(text, code, findings)
        scan_tokens(text, code, findings)
    if groups & SHAPE:
        scan_shape(text, findings)
        scan_base64(text, findings)


def apply_to_name(name: str, findings: Findings) -> None:
    """Apply every rule for names."""
    scan_characters(name, findings, one_line=True)
    scan_words(name, findings)
    scan_confusable(name, findings)
    code = Code(name)
    scan_images(name, code, findings)
    scan_tokens(name, code, findings)
    scan_base64(name, findings)
