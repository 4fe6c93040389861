"""Joining: the resolved sections become the text of the prompt."""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = "\n\n"


def render_section(title: str | None, text: str) -> str:
    """Return one section as the default layout writes it.

    >>> render_section("Safety Guidelines", "Do no harm.")
    '## Safety Guidelines\\nDo no harm.'
    """
    return f"## {title}\n{text}" if title else text


def join_sections(sections: Iterable[str]) -> str:
    """Return the whole prompt: rendered sections with one blank line between them.

    >>> join_sections(["a", "b"])
    'a\\n\\nb'
    """
    return SEPARATOR.join(sections)
