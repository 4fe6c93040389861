"""Layouts: how the resolved sections become the text of the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ._folded import Parts, ResolvedSection
from ._resolution import Resolution, written

SEPARATOR = "\n\n"
"""What stands between two sections: one blank line."""


class Layout(Protocol):
    """Writes sections, each as the lines before its text, the text, and the lines after it."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the lines before, the text, and the lines after."""
        ...

    def written(self, section: ResolvedSection) -> str:
        """Return all of them as one text."""
        ...

    def texts(self, sections: Iterable[ResolvedSection]) -> list[str]:
        """Return several sections, each as one text."""
        ...


class DefaultLayout:
    """A titled section is a heading of level 2 and its text, an untitled one its text."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the heading, the text, and nothing."""
        return () if section.over is None else (f"## {section.over}",), section.text, ()

    def written(self, section: ResolvedSection) -> str:
        """Return the heading and the text."""
        return self.under(section.over, section.text)

    def texts(self, sections: Iterable[ResolvedSection]) -> list[str]:
        """Return the heading and the text of several sections."""
        return [
            section.text if (title := section.over) is None else f"## {title}\n{section.text}" for section in sections
        ]

    @staticmethod
    def under(title: str | None, text: str) -> str:
        """Return a text under a title, or by itself where there is none."""
        return text if title is None else f"## {title}\n{text}"


class XmlLayout:
    """Every section stands in a tag of its own, which no text can spell."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the opening tag, the escaped text, and the closing tag."""
        from ._xml_layout import render

        title = None if section.own_heading else section.title
        opening, *text, closing = render([(section.id, title, section.text)]).split("\n")
        return (opening,), "\n".join(text), (closing,)

    def written(self, section: ResolvedSection) -> str:
        """Return the tags and the text between them."""
        (opening,), text, (closing,) = self.parts(section)
        return f"{opening}\n{text}\n{closing}"

    def texts(self, sections: Iterable[ResolvedSection]) -> list[str]:
        """Return the tags of several sections and the texts between them."""
        return [self.written(section) for section in sections]


LAYOUTS: Mapping[str, Layout] = {"default": DefaultLayout(), "xml": XmlLayout()}


def texts(layout: Layout, resolution: Resolution) -> Sequence[str]:
    """Return the sections of a resolution as the layout writes them; it keeps them, but for what is only its own."""
    if resolution.of is not None:
        base, changes = resolution.of
        return written(layout, texts(layout, base), changes)
    kept = resolution.written
    if kept is None or kept[0] is not layout:
        resolution.written = kept = (layout, tuple(layout.texts(resolution.sections)))
    return kept[1]
