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


class DefaultLayout:
    """A titled section is a heading of level 2 and its text, an untitled one its text."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the heading, the text, and nothing."""
        text = section.text
        if not section.title or section.own_heading:
            return (), text, ()
        title = section.title if section.title_trusted else safe_title(section.title)
        return (f"## {title}",), text, ()


class XmlLayout:
    """Every section stands in a tag of its own, which no text can spell."""

    def parts(self, section: ResolvedSection) -> Parts:
        """Return the opening tag, the escaped text, and the closing tag."""
        from ._xml_layout import render

        title = None if section.own_heading else section.title
        opening, *text, closing = render([(section.id, title, section.text)]).split("\n")
        return (opening,), "\n".join(text), (closing,)


LAYOUTS: Mapping[str, Layout] = {"default": DefaultLayout(), "xml": XmlLayout()}


def texts(layout: Layout, resolution: Resolution) -> list[str]:
    """Return the sections of a resolution as the layout writes them; it keeps them, but for what is only its own."""
    if resolution.of is not None:
        base, exchanged = resolution.of
        own = list(texts(layout, base))
        if exchanged:
            for place, section in exchanged:
                own[place] = written(layout.parts(section))
            return own
        known = dict(zip(map(id, base.sections), own, strict=True))
        get = known.get
        return [get(id(section)) or written(layout.parts(section)) for section in resolution.sections]
    kept = resolution.written
    if kept is None or kept[0] is not layout:
        made = [written(layout.parts(section)) for section in resolution.sections]
        resolution.written = (layout, [*made])
        return made
    if None in kept[1]:
        missing = zip(resolution.sections, kept[1], strict=True)
        kept[1][:] = [written(layout.parts(section)) if text is None else text for section, text in missing]
    return [text for text in kept[1] if text is not None]


def written(parts: Parts) -> str:
    """Return the parts of one section as one text."""
    before, text, after = parts
    if not after:
        return f"{before[0]}\n{text}" if before else text
    return "\n".join((*before, text, *after))
