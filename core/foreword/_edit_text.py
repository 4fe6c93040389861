"""The text of one edit: scanned, rendered in its own mode, and kept inside its section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foreword.templates._names import nearest, render_names

from ._diagnostics import Diagnostic, Place, Severity
from ._model import Edit, Section
from ._prepared import Outcome
from ._provider import Provider

if TYPE_CHECKING:
    from ._prepare import Preparation

MOST_UNKNOWN = 20
"""How many unregistered variables of one text are named one by one."""


class EditText:
    """Works on the text of one edit, and says what there is to say about it.

    A verdict is an outcome, its reason, and the code of the diagnostic that is still to be told, if any.
    """

    def __init__(self, shared: Preparation, edit: Section, provider: Provider) -> None:
        self.shared = shared
        self.edit = edit
        self.full = edit if isinstance(edit, Edit) else None
        self.provider = provider
        self.file = edit.file
        self.place = self._place()

    def scanned(
        self, id: str, raw: str, title: str | None, heading: str | None, trusted: bool
    ) -> tuple[Outcome, str, str] | None:
        file = self.file
        # A description may be folded over lines; a newline in it hides nothing.
        description = (file.front_matter.description or "").replace("\n", " ") if file is not None else None
        stem = file.name.rpartition("/")[2] if file is not None else None
        names = {"id": self.edit.id, "file name": stem, "title": title, "heading": heading, "description": description}
        given = {what: name for what, name in names.items() if name}
        refused: tuple[Outcome, str, str] | None = None
        for found in self.shared.screen.scanned(raw, given, trusted=trusted):
            remedy = "look at it in an editor that shows it"
            self.say(found.code, found.message, remedy, found.severity, id, found.line)
            if found.refuses and refused is None:
                refused = ("refused", found.message, "")
        return refused

    def neutralised(
        self, id: str, text: str, lines: tuple[int, ...] | None, title: str | None
    ) -> tuple[str, tuple[int, ...] | None]:
        text, moved, done = self.shared.screen.neutralised(text, title or self.edit.default_title)
        for one in done:
            line = one.line if one.line is None or lines is None else lines[one.line]
            self.say(one.code, one.message, "", one.severity, id, line)
        if moved is not None:
            lines = tuple(lines[line] for line in moved) if lines is not None else moved
        return text, lines

    def rendered(
        self, id: str, layer: str, raw: str
    ) -> tuple[str, tuple[int, ...] | None, tuple[Outcome, str, str] | None]:
        shared = self.shared
        limits = shared.policy.limits(layer)
        if limits.section is not None and len(raw.encode()) > limits.section:
            reason = f"the text has {len(raw.encode())} bytes, more than the {limits.section} of layer {layer}"
            return "", None, ("refused", reason, "FW029")
        if self.full is not None and self.full.literal:
            return raw, None, None
        values = shared.trusted_values if shared.policy.locked(id) else shared.values
        if limits.variables is not None:
            values = {name: value for name, value in values.items() if name in limits.variables}
        if self.full is not None and self.full.template == "jinja":
            from foreword.templates._jinja import JinjaError, render_jinja

            try:
                text, jinja_lines = render_jinja(raw, values)
            except JinjaError as problem:
                if problem.line is not None and self.place.line is not None:
                    self.place = Place(self.place.path, self.place.line + problem.line)
                return "", None, ("failed", problem.message, "FW017")
            return (*_trimmed(text, jinja_lines), None)
        rendered = render_names(raw, values)
        for unknown in rendered.unknown[:MOST_UNKNOWN]:
            near = nearest(unknown.name, values)
            self.say(
                "FW012",
                f"no variable {unknown.name!r} is registered, so its placeholder stays",
                f"did you mean {near!r}?" if near else "register it, or write a backslash before the braces",
                "warning",
                id,
                unknown.line,
            )
        if len(rendered.unknown) > MOST_UNKNOWN:
            more = len(rendered.unknown) - MOST_UNKNOWN
            self.say("FW012", f"{more} more placeholders name no registered variable", "register them", "warning", id)
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
        place = self.place
        if offset is not None and place.line is not None:
            place = Place(place.path, place.line + offset)
        self.shared.diagnostics.append(
            Diagnostic(
                code,
                severity,
                message,
                place,
                remedy,
                section,
                str(self.provider),
            )
        )

    def _place(self) -> Place:
        if self.file is None:
            return Place("code")
        return Place(self.file.place, self.file.line if self.edit.text == self.file.text else None)


def _trimmed(text: str, lines: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    stripped = text.strip()
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    return stripped, lines[skipped : skipped + stripped.count("\n") + 1]
