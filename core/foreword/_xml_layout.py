r"""The layout ``xml``: every section stands between tags of its own, which no text can spell.

A section is ``<fw:section id="…" title="…">``, its text and ``</fw:section>``, each on lines of its own;
an untitled one has no ``title``, and one blank line stands between two. In a text only what could be read
as one of these tags is changed, and `unescape_body` gives back exactly what was there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

TAG: Final = "fw:section"
"""The name of the layout's tags."""

_SEPARATOR: Final = "\n\n"
_SECTION: Final = re.compile(rf'<{TAG} id="([^"<>]*)"(?: title="([^"<>]*)")?>\n(.*?)\n</{TAG}>', re.DOTALL)
_REFERENCE: Final = re.compile("&(?:(amp|lt|gt|quot)|#x([0-9A-F]{1,6}));")
_NAMES: Final = {"&": "amp", "<": "lt", ">": "gt", '"': "quot"}
_CHARACTERS: Final = {name: char for char, name in _NAMES.items()}

# A bracket, or the end of one that was escaped before, with the name of the tag behind it.
_OPENER: Final = re.compile(r"[<;](?=\s*+(?:/\s*+)?fw\s*+:\s*+section)")
_ESCAPED: Final = re.compile("&(?:amp;)*(?:lt|#x[0-9A-F]{1,6});")
_NOT_PLAIN: Final = re.compile("[^\t-\r\x1c-~]")
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def render(sections: Sequence[tuple[str, str | None, str]]) -> str:
    r"""Return the prompt of sections, given as id, title and text.

    >>> render([("style", "Style", "Be brief.")])
    '<fw:section id="style" title="Style">\nBe brief.\n</fw:section>'
    """
    parts: list[str] = []
    for id, title, text in sections:
        attributes = f' id="{_quoted(id)}"' + ("" if title is None else f' title="{_quoted(title)}"')
        parts.append(f"<{TAG}{attributes}>\n{escape_body(text)[0]}\n</{TAG}>")
    return _SEPARATOR.join(parts)


def split(prompt: str) -> list[tuple[str, str | None, str]]:
    """Return the sections of a prompt in this layout, as id, title and text, the text as it stands there.

    Args:
        prompt: what `render` returned. `unescape_body` gives back the text that a section was made from.

    Raises:
        ValueError: it is no prompt in this layout.
    """
    sections: list[tuple[str, str | None, str]] = []
    at = 0
    while at < len(prompt):
        if sections:
            if not prompt.startswith(_SEPARATOR, at):
                raise ValueError(f"the section that ends at character {at} is not followed by one blank line")
            at += len(_SEPARATOR)
        found = _SECTION.match(prompt, at)
        if found is None:
            raise ValueError(f"no section begins at character {at}")
        title: str | None = found[2]
        sections.append((_unquoted(found[1]), None if title is None else _unquoted(title), found[3]))
        at = found.end()
    return sections


def escape_body(text: str) -> tuple[str, int]:
    """Return a text in which nothing reads like a tag of the layout, and how many places were changed.

    A bracket is changed only where the name of the tag follows it: in any case, in wide or styled letters,
    with white space between, or with characters that show nothing.

    >>> escape_body("<b> </FW:Section>")
    ('<b> &lt;/FW:Section>', 1)
    """
    parts: list[str] = []
    done = 0
    for start, end in _openers(text):
        opener = text[start:end]
        parts += (text[done:start], f"&amp;{opener[1:]}" if opener[0] == "&" else _reference(opener))
        done = end
    return "".join((*parts, text[done:])), len(parts) // 2


def unescape_body(text: str) -> str:
    """Return the text that `escape_body` made this one from.

    >>> unescape_body("<b> &lt;/FW:Section>")
    '<b> </FW:Section>'
    """
    parts: list[str] = []
    done = 0
    for start, end in _openers(text):
        opener = text[start:end]
        if opener[0] == "&":
            parts += (text[done:start], f"&{opener[5:]}" if opener.startswith("&amp;") else _unquoted(opener))
            done = end
    return "".join((*parts, text[done:]))


def _openers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the brackets stand, also escaped ones, behind which the name of the tag follows."""
    plain = text.lower() if _NOT_PLAIN.search(text) is None else "".join(map(_read, text))
    found = [(opener.start(), opener[0]) for opener in _OPENER.finditer(plain)]
    if not found:
        return
    escaped = {match.end(): match.start() for match in _ESCAPED.finditer(text)}
    places = [place for place, char in enumerate(text) for _ in _read(char)]
    for at, char in found:
        end = places[at] + 1
        if char == "<":
            yield end - 1, end
        elif end in escaped:
            yield escaped[end], end


@lru_cache(maxsize=4096)
def _read(char: str) -> str:
    """Return a character as it reads: in its plain form, in lower case, and nothing when it cannot be seen."""
    if char.isspace():
        return " "
    if unicodedata.category(char) in {"Cc", "Cf"} or _UNSEEN.match(char):
        return ""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())


def _quoted(value: str) -> str:
    return "".join(map(_reference, value))


@lru_cache(maxsize=4096)
def _reference(char: str) -> str:
    """Return a character as an attribute has it: by name or number when it is markup, or breaks the line."""
    if char in _NAMES:
        return f"&{_NAMES[char]};"
    if unicodedata.category(char) in {"Cc", "Zl", "Zp"} or not _NAMES.keys().isdisjoint(_read(char)):
        return f"&#x{ord(char):X};"
    return char


def _unquoted(value: str) -> str:
    return _REFERENCE.sub(lambda found: _CHARACTERS[found[1]] if found[1] else _character(found), value)


def _character(found: re.Match[str]) -> str:
    number = int(found[2], 16)
    return chr(number) if number <= 0x10FFFF else found[0]
