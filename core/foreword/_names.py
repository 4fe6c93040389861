"""Names: how a file, an agent or a distribution becomes an id, and what a title may be."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from ._errors import ConfigError


class Known(NamedTuple):
    """A file name that stands for a section of its own."""

    file: str
    id: str
    title: str | None
    priority: int


KNOWN: Final[dict[str, Known]] = {
    known.file: known
    for known in (
        Known("AGENTS.md", "identity", None, 100),
        Known("IDENTITY.md", "agent_identity", None, 150),
        Known("SAFETY.md", "safety", "Safety Guidelines", 200),
        Known("CONVERSATION_RULES.md", "conversation_rules", "Conversation Rules", 300),
        Known("OUTPUT_PRINCIPLES.md", "output_principles", "Output Principles", 350),
        Known("TOOL_USAGE.md", "tool_usage", "Tool Usage Guidelines", 400),
    )
}
"""The known files by name."""

KNOWN_IDS: Final[dict[str, Known]] = {known.id: known for known in KNOWN.values()}
"""The known files by the id of their section."""

CUSTOM_PRIORITY: Final = 900
"""The priority of a section whose name is not known."""

MOST_NAMES: Final = 16_384
"""Of how many names the section is remembered: more than a large prompts directory has."""

MAX_ID: Final = 200
"""The most characters that an id may have."""

MAX_AGENT_NAME: Final = 64
"""The most characters that an agent's name may have."""

_TOOLS: Final = "tools/"
_KNOWN_LOWER: Final = {known.file.lower(): known for known in KNOWN.values()}
_KINDS: Final = {
    "Cc": "control character",
    "Cf": "format character",
    "Cn": "unassigned character",
    "Co": "private-use character",
    "Cs": "surrogate",
    "Zl": "line separator",
    "Zp": "paragraph separator",
}
_BREAKS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Letters and marks that Unicode lets a display leave out: a name with one looks like another name.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# What nobody need look at more closely.
_PLAIN_AGENT: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
_SET_ASIDE: Final = re.compile(r"[\s_-]+")
_LEFTOVER_ENDS: Final = ("~", ".swp", ".swo", ".tmp", ".bak", ".orig", ".rej", ".part")
_LEFTOVER_NAMES: Final = frozenset({"4913", "thumbs.db", "desktop.ini"})


class NameRefused(ValueError):
    """A name cannot become an id; the message is the reason as one clause."""


class SectionName(NamedTuple):
    """What the name of a Markdown file says about its section."""

    id: str
    title: str | None
    priority: int
    known: bool
    cased: bool


@lru_cache(MOST_NAMES)
def section_name(file_name: str) -> SectionName:
    """Return the section that a file of this name stands for.

    Args:
        file_name: The name of the file, with its suffix ``.md`` in any case.

    Returns:
        Id, title and priority, whether the name is known, and whether only without regard to case.

    Raises:
        NameRefused: A character does not print, or nothing is left to make an id of.

    >>> section_name("Style-Guide.md")
    SectionName(id='custom_style-guide', title='Style Guide', priority=900, known=False, cased=False)
    """
    composed = _composed(file_name)
    if composed[-3:].lower() != ".md":
        raise NameRefused("it does not end in .md")
    known = _KNOWN_LOWER.get(composed.lower())
    if known is not None:
        return SectionName(known.id, known.title, known.priority, known=True, cased=composed != known.file)
    stem = composed[:-3]
    title = clean_title(stem.replace("_", " ").replace("-", " "))
    section = _within_limit(f"custom_{normalise(stem)}")
    return SectionName(section, title or None, CUSTOM_PRIORITY, known=False, cased=False)


def normalise(name: str) -> str:
    """Return a name as it stands in an id: NFC, lower case, and ``_`` for what is neither letter nor digit.

    Args:
        name: The name, in any script.

    Returns:
        The name in its one spelling; normalising it again changes nothing.

    Raises:
        NameRefused: The name is empty, ``.`` or ``..``, or holds a character that does not print.

    >>> normalise("My Rules")
    'my_rules'
    """
    return _mapped(_lowered(_composed(name)))


def tool_id(stem: str) -> str:
    """Return the id of a tool's prose, which keeps the spelling of the name.

    Raises:
        NameRefused: The name is empty, too long, or holds a character that does not print.

    >>> tool_id("Read File")
    'tools/Read_File'
    """
    return _within_limit(_TOOLS + _mapped(_composed(stem)))


def is_tool(id: str) -> bool:
    """Return whether an id names the prose of a tool and not a section of the prompt."""
    return id.startswith(_TOOLS)


def id_key(id: str) -> str:
    """Return what ids are compared by: tools without regard to case, everything else as it is."""
    return _lowered(id) if is_tool(id) else id


@lru_cache(MOST_NAMES)
def check_id(id: str) -> str:
    """Return an id that front matter or code gave, in its one spelling.

    Args:
        id: The id; its parts stand between slashes.

    Returns:
        The id with every part normalised; after ``tools/`` the case is kept.

    Raises:
        NameRefused: A part is empty, ``.`` or ``..``, the whole is too long, or a character does not print.

    >>> check_id("Acme-Citations.Style")
    'acme-citations.style'
    """
    first, *rest = id.split("/")
    parts = [normalise(first)]
    spelled = bool(rest) and parts[0] == "tools"
    parts += [_mapped(_composed(part)) if spelled else normalise(part) for part in rest]
    return _within_limit("/".join(parts))


def agent_name(name: str) -> str:
    """Return an agent's name, composed (NFC), when it is one that can name a directory.

    Args:
        name: The name as the caller or the command line gave it.

    Returns:
        The name, safe as one component of a path.

    Raises:
        ConfigError: The name is empty, too long, begins with a dot, or holds a character that is not allowed.

    >>> agent_name("operator")
    'operator'
    """
    if _PLAIN_AGENT.fullmatch(name):
        return str.__str__(name)
    composed = unicodedata.normalize("NFC", name)
    if not composed:
        raise ConfigError("The agent's name is empty.")
    if composed.startswith("."):
        raise ConfigError("The agent's name begins with a dot.")
    if len(composed) > MAX_AGENT_NAME:
        raise ConfigError(f"The agent's name has {len(composed)} characters, and at most {MAX_AGENT_NAME} are allowed.")
    for char, kept in zip(composed, _kept(composed), strict=True):
        if not kept or _INVISIBLE.match(char):
            shown = f"'{char}'" if char.isascii() and char.isprintable() else f"U+{ord(char):04X}"
            raise ConfigError(f"The agent's name holds {shown}; only letters, digits, '.', '_' and '-' are allowed.")
    return composed


def plugin_prefix(distribution: str) -> str:
    """Return what the ids of a distribution begin with, before the dot.

    >>> plugin_prefix("Acme_Citations")
    'acme-citations'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def variable_prefix(distribution: str) -> str:
    """Return what the variables of a distribution begin with, before the dot.

    >>> variable_prefix("Acme-Citations")
    'acme_citations'
    """
    return plugin_prefix(distribution).replace("-", "_")


def clean_title(title: str) -> str:
    """Return a title as one trimmed line without control characters."""
    if title.isascii() and title.isprintable():
        return title.strip()
    return _BREAKS.sub(" ", title).strip()


def title_key(title: str) -> str:
    """Return what titles are compared by.

    Compatibility forms, case, white space, ``_``, ``-`` and characters that cannot be seen are set aside.

    >>> title_key("SAFETY_guidelines") == title_key("Safety Guidelines")
    True
    """
    # A title may be of any length; those of ordinary ones are asked for again in every build.
    return _short_title_key(title) if len(title) <= MAX_ID else _title_key(title)


def _title_key(title: str) -> str:
    if title.isascii():
        return _SET_ASIDE.sub("", title.lower())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", title).casefold())
    if not folded.isascii():
        folded = "".join(char for char in _INVISIBLE.sub("", folded) if unicodedata.category(char) != "Cf")
    return _SET_ASIDE.sub("", folded)


_short_title_key: Final = lru_cache(MOST_NAMES)(_title_key)


def last_part(id: str) -> str:
    """Return the part of an id after its last dot or slash.

    >>> last_part("skills/acme.review")
    'review'
    """
    return re.split(r"[./]", id.rstrip("./"))[-1] or id


def is_leftover(file_name: str) -> bool:
    """Return whether a name is hidden or one that editors and file managers leave behind."""
    lower = file_name.lower()
    return (
        lower.startswith((".", "~$"))
        or lower.endswith(_LEFTOVER_ENDS)
        or lower in _LEFTOVER_NAMES
        or (len(lower) > 1 and lower[0] == lower[-1] == "#")
    )


def is_readme(file_name: str) -> bool:
    """Return whether a file explains its directory to people and is not meant for the prompt."""
    return file_name.lower() == "readme.md"


def _composed(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    if not composed:
        raise NameRefused("a part of it is empty")
    if not composed.isprintable():
        for char in composed:
            kind = _KINDS.get(unicodedata.category(char))
            if kind is not None:
                raise NameRefused(f"it contains the {kind} U+{ord(char):04X}")
    return composed


def _lowered(name: str) -> str:
    return unicodedata.normalize("NFC", name.lower())


def _mapped(name: str) -> str:
    if name in {".", ".."}:
        raise NameRefused(f"a part of it is '{name}'")
    return "".join(char if kept else "_" for char, kept in zip(name, _kept(name), strict=True))


def _kept(name: str) -> list[bool]:
    kept: list[bool] = []
    carries_marks = False
    for char in name:
        category = unicodedata.category(char)
        carries_marks = category[0] == "L" or category == "Nd" or (carries_marks and category[0] == "M")
        kept.append(carries_marks or char in "_-.")
    return kept


def _within_limit(id: str) -> str:
    if len(id) > MAX_ID:
        raise NameRefused(f"its id would have {len(id)} characters, and at most {MAX_ID} are allowed")
    return id
