"""The targets of the fuzzer: what each does with one input, and words that it may meet there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import prompts, scanning, texts

SEEDS = Path(__file__).parent / "seeds"

LARGEST = 4096
"""The most bytes that an input has."""


class Target(NamedTuple):
    """One target: the check that no text may fail, and the words of its language."""

    check: Callable[[str], None]
    words: tuple[str, ...] = ()

    def run(self, data: bytes) -> None:
        """Check one input."""
        self.check(data.decode("utf-8", "ignore"))


_MARKDOWN = (
    "# ", "## ", "\n\n", "===", "---", "> ", "- ", "1. ", "```", "~~~", "<!--", "-->", "<pre>", "</pre>", "<?", "?>",
    "<![CDATA[", "]]>", "<div>", "<script>", "[a]: /b", "\\", "    ", "\t", "\n%%\n", "patch ", "append ", "prepend ",
    "replace ", "remove ", "move ",
)  # fmt: skip
_BRACES = ("{{ ", " }}", "{{", "}}", "\\{{", "${{", "{{ agent_name }}", "{{a}}", "{{ b }}", "{{ acme.version }}")
_JINJA = (
    "{% if ", " %}", "{% else %}", "{% elif ", "{% endif %}", "{% for i in ", "{% endfor %}", "range(", "loop.index",
    "{% raw %}", "{% endraw %}", "{# ", " #}", "|upper", "|default('", "|join(", "|length", " is defined", " is eq ",
    " and ", " or ", " not ", " in ", " ~ ", "[1, 2]", "{% set x = ", "{% macro m() %}", ".__class__", "*10**9",
    "'%s' % ", "{%- ", " -%}", "['a']", "|attr('", "{% include '", "999999999",
)  # fmt: skip
_HIDDEN = (
    "\u200b", "\u200d", "\u200c", "\u202e", "\u202c", "\u2066", "\u2069", "\ufe0f", "\U000e0061", "\U000e007f",
    "\U0001f3f4", "\U0001f1e9", "\u00ad", "\u2028", "\x1b[8m", "\x1b]0;", "\x00", "\ufffd", "\ue000", "\u0430",
    "\u0633", "\u05d0", "\u0915", "\U0001f468", "<|im_start|>", "<!--", "-->", "![a](http://b/{{ c }})", "<img src=",
    "`", "```", "A" * 60, "\ufeff", "\U000e0100", "\u3164", "\u115f", "\u2800",
)  # fmt: skip

TARGETS = {
    "front_matter": Target(
        texts.front_matter,
        (
            "---\n", "id: ", "title: ", "priority: ", "mode: ", "heading: ", "template: ", "when:", "agents:",
            "variables: ", "description: ", "read_only: ", "tags: ", "\r\n", "\r", "\ufeff", "{", "}", "[", "]", "&a ",
            "*a", "!!", "|\n", ">\n", "'", '"', ": ", "# ", "<<: ", "? ", "2026-01-01",
        ),
    ),
    "names": Target(
        texts.names,
        ("AGENTS", "SAFETY", ".md", "tools/", "../", "/", "\u0130", "\u212b", "e\u0301", "\u1e9e", "_", "-", ".",
         "\u200b", "\ufe0f", "\u034f", "\u0315\u0300", "\uac00", "\u1100\u1161", "\u01c5", "\u2126"),
    ),
    "template_names": Target(texts.template_names, (*_BRACES, "{{ 1acme.x }}", "{{ empty }}", "{{ nope }}")),
    "template_jinja": Target(texts.template_jinja, (*_BRACES, *_JINJA)),
    "patch": Target(prompts.patch, _MARKDOWN),
    "borders": Target(prompts.borders, _MARKDOWN),
    "xml": Target(
        prompts.xml,
        ("<fw:section", "</fw:section>", "\n%%\n", "fw", ":", "section", "&lt;", "&amp;", "&#x", "\uff1c", "\u017f",
         "\u3164", "\u200b", '"', " id=", " title="),
    ),
    "scanner": Target(scanning.scanner, _HIDDEN),
    "costs": Target(scanning.costs, (*_HIDDEN, *_MARKDOWN, *_BRACES, "---\n", "<fw:section", "&lt;")),
}  # fmt: skip
"""Every target by its name."""
