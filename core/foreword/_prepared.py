"""The prepared edit: what resolution works on, decoded, rendered and stamped by the host."""

from __future__ import annotations

from typing import Literal, NamedTuple

from foreword.markdown._headings import leading_heading

from ._diagnostics import Place
from ._named_tuple import new as _new
from ._provider import Provider

Outcome = Literal["applied", "shadowed", "refused", "conflict", "no-target", "failed", "stale"]
PreparedMode = Literal["plain", "define", "replace", "remove", "patch", "prepend", "append", "move"]


class PreparedEdit(NamedTuple):
    """One edit, ready for resolution.

    ``text`` is rendered, ``raw`` is what its author wrote; ``lines`` maps a line of ``text`` to the
    line of ``raw`` it came from, or is None where both run in step. ``rank`` orders inside a layer
    (the integrator's own defaults stand over the packaged templates). ``verdict`` is set when the edit
    has already failed or been refused and takes no part. ``trusted`` is whether the operator wrote it, or
    answers for it; a skill is a stranger's text in every layer.
    """

    id: str
    layer: str
    mode: PreparedMode
    provider: Provider
    place: Place
    position: int = 0
    rank: int = 0
    text: str = ""
    raw: str = ""
    lines: tuple[int, ...] | None = None
    title: str | None = None
    priority: int | None = None
    default_title: str | None = None
    default_priority: int = 900
    heading: str | None = None
    base: str | None = None
    copy_of_below: bool = False
    own: bool = True
    exclusive: bool = False
    trusted: bool = True
    jinja: bool = False
    verdict: Outcome | None = None
    reason: str = ""

    @property
    def leading_heading(self) -> str | None:
        """The heading with which the text begins, as it reads when rendered, or None."""
        return leading_heading(self.text)

    def with_text(self, text: str, lines: tuple[int, ...] | None = None) -> PreparedEdit:
        """Return the edit with another text."""
        return _new(PreparedEdit, (*self[:7], text, self[8], lines, *self[10:]))

    @property
    def order(self) -> tuple[str, str, str, int, str, str]:
        """The place among the edits of one layer: provider, file, position; total for distinct edits."""
        provider = self.provider
        return (provider.distribution, provider.entry_point, self.place.path, self.position, self.mode, self.text)

    def line(self, index: int) -> Place:
        """The place of line ``index`` of the text, or of the whole file when its text is not the file's."""
        if self.place.line is None and self.place.path != "code":
            return self.place
        source = self.lines[index] if self.lines is not None else index
        return Place(self.place.path, (self.place.line or 1) + source)


class Step(NamedTuple):
    """One link of a section's provenance: an edit and what became of it."""

    edit: PreparedEdit
    outcome: Outcome
    reason: str = ""


class Span(NamedTuple):
    """Whole lines of a section's text that come from one edit; spans are joined by a newline."""

    text: str
    edit: PreparedEdit | None = None
    offset: int = 0
