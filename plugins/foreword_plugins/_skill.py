"""One skill: what its ``SKILL.md`` says, taken as leniently as clients take it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from foreword import Context, MarkdownFile, Place, Root

FILE = "SKILL.md"
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed_tools"})
"""What the specification of skills lets front matter say."""

# Letters and a symbol that Unicode counts as visible and that show nothing.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_NAME = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Skill(NamedTuple):
    """A skill that was found: its name, what it is for, and the file that holds it."""

    name: str
    description: str
    file: MarkdownFile
    layer: Literal["project", "memory"]

    @property
    def key(self) -> str:
        """The name as names of skills are compared."""
        if self.name.isascii():
            return self.name.lower()
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", self.name).lower())

    def render_system_addon(self) -> str:
        """Return what the skill adds to the prompt when it is given whole."""
        return self.file.text

    def render_listing_entry(self) -> str:
        """Return the skill's entry in the listing."""
        description = self.description
        if len(description) > LONGEST_DESCRIPTION:
            description = description[: LONGEST_DESCRIPTION - 1].rstrip() + "…"
        return "\n".join(
            (
                "<skill>",
                f"<name>{one_line(self.name)}</name>",
                f"<description>{one_line(description)}</description>",
                f"<location>{one_line(self.file.place)}</location>",
                "</skill>",
            )
        )


def read_skills(context: Context, root: Root) -> Iterator[Skill]:
    """Yield the skills below a root; one that cannot be used is reported and left out."""
    layer: Literal["project", "memory"] = "project"
    if context.memory is not None and root.path.startswith(context.memory.path.rstrip("/") + "/"):
        layer = "memory"
    # Given whole, the description is looked over with the text.
    is_shown = context.settings.skills.mode == "list"
    found: dict[str, Skill] = {}
    for file in context.read_directory(root, only=FILE, recursive=True, trusted_links=True):
        skill = _skill(context, file, layer, is_shown)
        if skill is None or not _is_trusted(context, file):
            continue
        first = found.setdefault(skill.key, skill)
        if first is not skill:
            message = f"{first.file.place} has the name {skill.name!r} already, so this skill is left out"
            context.report("FW050", "error", message, Place(file.place), "rename one of the two")
    yield from found.values()


def _is_trusted(context: Context, file: MarkdownFile) -> bool:
    if context.trusted_skills is None:
        return True
    trusted = context.trusted_skills.get(file.place.rpartition("/")[0])
    if trusted is not None and trusted == context.content_hash(file):
        return True
    why = "is not trusted yet" if trusted is None else "has changed since it was trusted"
    message = f"the skill {why}; skills are pinned, so it is left out"
    context.report("FW055", "error", message, Place(file.place), "look at it, then: foreword trust")
    return False


def fold_name(name: str) -> str:
    """Return a name without what the eye does not tell apart: case, compatibility forms, invisible characters."""
    if name.isascii() and name.isprintable():
        return name.lower()
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        char for char in folded if char.isprintable() and char not in _BLANK and unicodedata.category(char) != "Mn"
    )


def _skill(context: Context, file: MarkdownFile, layer: Literal["project", "memory"], is_shown: bool) -> Skill | None:
    place = Place(file.place, 1)
    document = file.document
    if file.error is not None or document is None:
        return None
    given = document.front_matter
    if given.when is not None and not given.when.holds(context.agent, context.variables):
        return None
    folder = file.name.rpartition("/")[0].rpartition("/")[2] or file.root.path.rstrip("/").rpartition("/")[2]
    description = " ".join((given.description or "").split())
    if document.failed or not description:
        why = "its front matter cannot be used" if document.failed else "it has no description"
        context.report("FW050", "error", f"the skill is left out: {why}", place, "say what it is for: description")
        return None
    name = unicodedata.normalize("NFC", (given.name or "").strip() or folder)
    shown = {"name": name, "location": file.place}
    if is_shown:
        shown["description"] = description
    if not context.screen(shown, place, f"skills/{name}"):
        return None
    for message, remedy in _complaints(file, name, folder, description):
        context.report("FW051", "warning", message, place, remedy)
    if unknown := given.given - KEYS:
        for key in sorted(unknown):
            message = f"a strict client would not take it: the specification has no key {key!r}"
            context.report("FW051", "info", message, place, "take it away")
    return Skill(name, description, file, layer)


def _complaints(file: MarkdownFile, name: str, folder: str, description: str) -> Iterator[tuple[str, str]]:
    compatibility = file.front_matter.compatibility
    if not (file.front_matter.name or "").strip():
        yield "the skill has no name of its own, so it goes by its directory's", f"write name: {folder}"
    elif name != unicodedata.normalize("NFC", folder):
        yield f"the skill is named {name!r} and its directory {folder!r}", "give both the same name"
    if len(name) > LONGEST_NAME:
        yield f"the name has {len(name)} characters, more than {LONGEST_NAME}", "shorten it"
    if _NAME.fullmatch(name) is None or name != name.lower():
        yield f"the name {name!r} is not made of lower-case letters, digits and single hyphens", "rename it"
    if len(description) > LONGEST_DESCRIPTION:
        yield f"the description has {len(description)} characters, more than {LONGEST_DESCRIPTION}", "shorten it"
    if len(compatibility) > LONGEST_COMPATIBILITY:
        length = len(compatibility)
        yield f"compatibility has {length} characters, more than {LONGEST_COMPATIBILITY}", "shorten it"
    for diagnostic in file.document.diagnostics if file.document is not None else ():
        if diagnostic.code in ("FW011", "FW015"):
            yield f"a strict client would not take it: {diagnostic.message}", diagnostic.remedy


def one_line(text: str) -> str:
    """Return a text as one line that holds no markup."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)
    # What xml.sax.saxutils has for this loads all of urllib.
    return " ".join(text.split()).replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")
