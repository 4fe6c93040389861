r"""The layout ``xml``: every section stands between tags of its own, which no text can spell.

A section is ``<fw:section id="…" title="…">``, its text, and ``</fw:section>``, each on lines of its own;
an untitled one has no ``title``, and one blank line stands between two. In texts only what could be read
as one of these tags is changed, and `unescape_body` gives back exactly what was there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

TAG: Final = "fw:section"
"""The name of the layout's tags."""

_NAMED: Final = r"\s*/?\s*fw\s*:\s*section"
# A bracket, or one that was escaped before, so that every escape can be undone.
_LOOK_ALIKE: Final = re.compile(rf"(?:<|&(?:amp;)*(?:lt|#x[0-9a-f]+);)(?={_NAMED})", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"&(?:(amp;)|lt;|#x([0-9a-f]+);)", re.IGNORECASE)
_SECTION: Final = re.compile(rf'<{TAG} id="([^"<>]*)"(?: title="([^"<>]*)")?>\n(.*?)\n</{TAG}>', re.DOTALL)
_IN_ATTRIBUTE: Final = re.compile('[&<>"\x00-\x1f\x7f-\x9f\u2028\u2029]')
_NAMES: Final = {"&": "amp", "<": "lt", ">": "gt", '"': "quot"}
_REFERENCE: Final = re.compile("&(?:(amp|lt|gt|quot)|#x([0-9A-F]+));")
_CHARACTERS: Final = {name: character for character, name in _NAMES.items()}
_SEPARATOR: Final = "\n\n"
# Letters that show nothing.
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"


def render(sections: Sequence[tuple[str, str | None, str]]) -> str:
    r"""Return the prompt of sections, given as id, title and text.

    >>> render([("style", "Style", "Be brief.")])
    '<fw:section id="style" title="Style">\nBe brief.\n</fw:section>'
    """
    parts: list[str] = []
    for id, title, text in sections:
        attributes = f' id="{_attribute(id)}"' + ("" if title is None else f' title="{_attribute(title)}"')
        parts.append(f"<{TAG}{attributes}>\n{escape_body(text)[0]}\n</{TAG}>")
    return _SEPARATOR.join(parts)


def split(prompt: str) -> list[tuple[str, str | None, str]]:
    """Return the sections of a prompt in this layout, as id, title and text, the text as it stands there.

    Args:
        prompt: what `render` returned. `unescape_body` gives back the text that a section was rendered from.

    Raises:
        ValueError: it is no prompt in this layout.
    """
    sections: list[tuple[str, str | None, str]] = []
    at = 0
    while at < len(prompt):
        if sections:
            if not prompt.startswith(_SEPARATOR, at):
                raise ValueError(f"no blank line stands between two sections at character {at}")
            at += len(_SEPARATOR)
        found = _SECTION.match(prompt, at)
        if found is None:
            raise ValueError(f"no section stands at character {at}")
        title = _given(found[2]) if found[2] is not None else None
        sections.append((_given(found[1]), title, found[3]))
        at = found.end()
    return sections


def escape_body(text: str) -> tuple[str, int]:
    """Return a text in which nothing reads like a tag of the layout, and how many places were changed.

    A bracket is changed only where the name of the tag follows: also in wide or styled letters, in any
    case, with white space between, or with characters that show nothing.

    >>> escape_body("<b> </FW:Section>")
    ('<b> &lt;/FW:Section>', 1)
    """
    if text.isascii() and text.isprintable():
        return _LOOK_ALIKE.subn(lambda found: _hidden(found[0]), text)
    plain, places = _plain(text)
    parts: list[str] = []
    done = 0
    count = 0
    for found in _LOOK_ALIKE.finditer(plain):
        start = places[found.start()]
        end = _end_of(text, start, found[0])
        parts += (text[done:start], _hidden(text[start:end]))
        done = end
        count += 1
    return "".join((*parts, text[done:])), count


def unescape_body(text: str) -> str:
    """Return the text from which `escape_body` made this one.

    >>> unescape_body("<b> &lt;/FW:Section>")
    '<b> </FW:Section>'
    """
    raise NotImplementedError
