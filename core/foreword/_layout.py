"""Layouts: how the resolved sections become the text of the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from foreword.markdown._borders import safe_title

from ._folded import Parts, ResolvedSection
from ._resolution import Resolution

SEPARATOR = "\n\n"
"""What stands between two sections: one blank line."""


class Layout(Protocol):
    """Writes one section: the lines before its text, the text, and the lines after it."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the lines before, the text, and the lines after."""
        ...

    def written(self, section: ResolvedSection) -> str:
        """Return all of them as one text."""
        ...


class DefaultLayout:
    """A titled section is a heading of level 2 and its text, an untitled one its text."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the heading, the text, and nothing."""
        heading = self.heading(section)
        return () if heading is None else (heading,), section.text, ()

    def written(self, section: ResolvedSection) -> str:
        """Return the heading and the text."""
        heading = self.heading(section)
        return section.text if heading is None else f"{heading}\n{section.text}"

    @staticmethod
    def heading(section: ResolvedSection) -> str | None:
        """Return the line over the text, or None where there is none."""
        title = section.title
        if not title or section.own_heading:
            return None
        return f"## {title if section.title_trusted else safe_title(title)}"


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


LAYOUTS: Mapping[str, Layout] = {"default": DefaultLayout(), "xml": XmlLayout()}


def texts(layout: Layout, resolution: Resolution) -> list[str]:
    """Return the sections of a resolution as the layout writes them; it keeps them, but for what is only its own."""
    if resolution.of is not None:
        base, exchanged = resolution.of
        own = list(texts(layout, base))
        if exchanged:
            for place, section in exchanged:
                own[place] = layout.written(section)
            return own
        known = dict(zip(map(id, base.sections), own, strict=True))
        get = known.get
        return [get(id(section)) or layout.written(section) for section in resolution.sections]
    kept = resolution.written
    if kept is None or kept[0] is not layout:
        made = [layout.written(section) for section in resolution.sections]
        resolution.written = (layout, [*made])
        return made
    if None in kept[1]:
        missing = zip(resolution.sections, kept[1], strict=True)
        kept[1][:] = [layout.written(section) if text is None else text for section, text in missing]
    return [text for text in kept[1] if text is not None]
