"""The scanner's rules: what each looks for and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from foreword._diagnostics import Severity


class Rule(NamedTuple):
    """A rule's default severity and one sentence about it."""

    severity: Severity
    description: str


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "tag-characters": Rule(
            "error", "Tag characters outside the flags of England, Scotland and Wales: invisible, they spell text."
        ),
        "variation-selectors": Rule(
            "error", "Variation selectors in a row, or many that belong to no character: each carries one byte."
        ),
        "stray-selector": Rule("warning", "A variation selector after a character that has no variants."),
        "plane-14": Rule("error", "An unassigned character of plane 14, which is invisible and has no use."),
        "bidi-override": Rule("error", "A direction override: the text is shown in another order than it is read."),
        "bidi-unbalanced": Rule("error", "A direction embedding or isolate that its line does not open and close."),
        "bidi-isolate": Rule("warning", "A direction embedding or isolate in a line without right-to-left letters."),
        "bidi-mark": Rule("info", "A direction mark in a line without right-to-left letters."),
        "zero-width-run": Rule(
            "error", "Eight invisible characters in a row, or 16 zero-width ones within 1,000 characters."
        ),
        "zero-width": Rule("warning", "A zero-width character where no script needs it."),
        "joiner": Rule("warning", "A zero-width joiner or non-joiner where no emoji and no script needs it."),
        "invisible": Rule("warning", "A filler, blank or deprecated format character that shows as nothing."),
        "soft-hyphen": Rule("info", "A soft hyphen, which is invisible until a line is broken there."),
        "nul": Rule("error", "A NUL character; the file may be UTF-16."),
        "ansi-escape": Rule("error", "A terminal escape sequence, which can hide or rewrite what a terminal shows."),
        "control": Rule("warning", "A control character other than tab and newline."),
        "line-separator": Rule("warning", "A line or paragraph separator: tools do not agree where a line ends."),
        "private-use": Rule("info", "A private use character, whose meaning depends on a font."),
        "replacement-character": Rule("info", "A replacement character: the text was once decoded wrongly."),
        "mixed-script": Rule("warning", "A word of Latin letters and of letters that look like Latin ones."),
        "confusable": Rule("info", "A name whose letters all look like Latin ones and are not."),
        "html-comment": Rule("info", "An HTML comment: a model reads it, a person who sees the page does not."),
        "unterminated-comment": Rule("error", "An HTML comment that is not closed and hides what follows."),
        "long-line": Rule("info", "A line of more than 2,000 characters."),
        "very-long-line": Rule("warning", "A line of more than 10,000 characters."),
        "push-off": Rule("info", "Text behind 80 spaces or 20 blank lines, which is off the screen."),
        "base64": Rule("info", "A run of 200 or more characters that looks like base64."),
        "remote-image": Rule("info", "An image from another host, which is told when it is shown."),
        "image-placeholder": Rule("warning", "An image address with a placeholder, which could carry data away."),
        "control-token": Rule("warning", "A control token of a chat model outside code."),
        "too-many": Rule("error", "More suspicious places than the scanner looks at; a text for people has none such."),
    }
)
"""Every rule by its name; a name never changes its meaning."""

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""The severities, worst first."""

OFF: Final = "off"
"""The setting that switches a rule off."""
