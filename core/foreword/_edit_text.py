"""The text of one edit: scanned, rendered in its own mode, and kept inside its section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ._diagnostics import Diagnostic, Place, Severity
from ._prepared import Outcome
from ._provider import Provider

if TYPE_CHECKING:
    from foreword.files._markdown_file import MarkdownFile
    from foreword.templates._names import NamesTemplate, Value

    from ._model import Section
    from ._screen import Screen

MOST_UNKNOWN: Final = 20
"""How many unregistered variables of one text are named one by one."""

LOOK: Final = "look at it in an editor that shows it"

Verdict = tuple[Outcome, str, str]
"""An outcome, its reason, and the code of the diagnostic that is still to be told, if any."""


class EditText:
    """Works on the text of one edit, and says what there is to say about it.

    Args:
        edit: the edit.
        provider: who gave it.
        screen: what scans and neutralises.
        said: takes what there is to say.
    """

    __slots__ = ("edit", "file", "place", "provider", "said", "screen")

    def __init__(self, edit: Section, provider: Provider, screen: Screen, said: list[Diagnostic]) -> None:
        fields = vars(edit)
        self.edit = edit
        self.provider = provider
        self.file: MarkdownFile | None = fields["file"]
        self.screen = screen
        self.said = said
        file = self.file
        if file is None:
            self.place = _CODE
        else:
            document = file.document
            text, line = ("", 1) if document is None else (document.text, document.line)
            self.place = Place(file.place, line if fields["text"] == text else None)

    def scanned(self, id: str, raw: str, title: str | None, heading: str | None, trusted: bool) -> Verdict | None:
        """Scan the text and the names that come with it, and say whether that refuses the edit."""
        file = self.file
        names = {"id": self.edit.id}
        if file is not None:
            names["file name"] = file.name.rpartition("/")[2]
        if title:
            names["title"] = title
        if heading:
            names["heading"] = heading
        document = file.document if file is not None else None
        if document is not None and (description := document.front_matter.description):
            # A description may be folded over lines; a newline in it hides nothing.
            names["description"] = description.replace("\n", " ")
        refused: Verdict | None = None
        for found in self.screen.scanned(raw, names, trusted=trusted):
            self.say(found.code, found.message, LOOK, found.severity, id, found.line)
            if found.refuses and refused is None:
                refused = ("refused", found.message, "")
        return refused

    def neutralised(
        self, id: str, text: str, lines: tuple[int, ...] | None, title: str | None
    ) -> tuple[str, tuple[int, ...] | None]:
        """Keep the text inside its section."""
        text, moved, done = self.screen.neutralised(text, title or self.edit.default_title)
        for one in done:
            line = one.line if one.line is None or lines is None else lines[one.line]
            self.say(one.code, one.message, "", one.severity, id, line)
        if moved is not None:
            lines = tuple(lines[line] for line in moved) if lines is not None else moved
        return text, lines

    def rendered(
        self, id: str, raw: str, template: NamesTemplate | None, values: Mapping[str, Value]
    ) -> tuple[str, tuple[int, ...] | None, Verdict | None]:
        """Render the text: in mode ``names`` where a template is given, else in mode ``jinja``."""
        if template is None:
            from foreword.templates._jinja import JinjaError, render_jinja

            try:
                text, jinja_lines = render_jinja(raw, values)
            except JinjaError as problem:
                if problem.line is not None and self.place.line is not None:
                    self.place = Place(self.place.path, self.place.line + problem.line)
                return "", None, ("failed", problem.message, "FW017")
            return (*_trimmed(text, jinja_lines), None)
        rendered = template.render(values)
        if rendered.unknown:
            self._say_unknown(id, rendered.unknown, values)
        if rendered.lines is None and rendered.text.strip() == rendered.text:
            return rendered.text, None, None
        lines = rendered.lines or tuple(range(rendered.text.count("\n") + 1))
        return (*_trimmed(rendered.text, lines), None)

    def say(
        self,
        code: str,
        message: str,
        remedy: str,
        severity: Severity = "error",
        section: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Say something about the edit; ``offset`` is a line of its text, from 0."""
        place = self.place
        if offset is not None and place.line is not None:
            place = Place(place.path, place.line + offset)
        self.said.append(Diagnostic(code, severity, message, place, remedy, section, str(self.provider)))

    def _say_unknown(self, id: str, unknown: tuple[tuple[str, int], ...], values: Mapping[str, Value]) -> None:
        from foreword.templates._names import nearest

        for name, line in unknown[:MOST_UNKNOWN]:
            near = nearest(name, values)
            message = f"no variable {name!r} is registered, so its placeholder stays"
            remedy = f"did you mean {near!r}?" if near else "register it, or write a backslash before the braces"
            self.say("FW012", message, remedy, "warning", id, line)
        if len(unknown) > MOST_UNKNOWN:
            more = len(unknown) - MOST_UNKNOWN
            self.say("FW012", f"{more} more placeholders name no registered variable", "register them", "warning", id)


_CODE: Final = Place("code")


def _trimmed(text: str, lines: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    stripped = text.strip()
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    return stripped, lines[skipped : skipped + stripped.count("\n") + 1]
