"""The answer to "why does my prompt say this": the chain of edits of one section, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._diagnostics import Diagnostic, printable
from ._names import is_tool
from ._prepared import PreparedEdit, Step

if TYPE_CHECKING:
    from ._prompt import PromptSection

_VERBS = {
    "plain": "gives the text",
    "define": "defines it",
    "replace": "replaces the text",
    "remove": "removes it",
    "patch": "exchanges the text under a heading",
    "prepend": "puts text before",
    "append": "puts text after",
    "move": "changes title or priority",
}
_IN_EFFECT = frozenset({"applied", "stale"})
_CHANGES = frozenset({"patch", "prepend", "append"})


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a section reads as it does.

    ``str()`` gives it in words; ``section`` is None when it is not in the prompt.
    """

    id: str
    section: PromptSection | None
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        return "\n".join(self._words())

    def _words(self) -> Iterator[str]:
        section = self.section
        if section is None:
            yield printable(f"{self.id} is not in the prompt.")
        else:
            title = f", under the title {section.title!r}" if section.title else ""
            stands = f"stands at priority {section.priority}{title}"
            if is_tool(section.id):
                stands = f"is prose for the tool {section.id.removeprefix('tools/')!r}, beside the prompt's text"
            yield printable(f"{section.id} {stands}.")
            if section.origin.path == "code":
                yield printable(f"Its text is given in code by {section.provider} (layer {section.layer}).")
            else:
                yield printable(f"Its text is that of {section.origin} (layer {section.layer}, {section.provider}).")
            changes = [step.edit for step in self.steps if step.outcome in _IN_EFFECT and step.edit.mode in _CHANGES]
            if changes:
                yield printable(f"It is changed by {' and '.join(map(_who, changes))}.")
        yield ""
        if not self.steps:
            yield "Nobody said anything about it."
        for step in reversed(self.steps):
            yield printable(f"  {step.outcome:<10} {step.edit.layer:<10} {describe(step.edit)}")
            if step.reason:
                yield printable(f"{'':<24}{step.reason}")
        said = {step.reason for step in self.steps}
        rest = [diagnostic for diagnostic in self.diagnostics if diagnostic.message not in said]
        if rest:
            yield ""
        for diagnostic in rest:
            yield f"  {diagnostic}"


def describe(edit: PreparedEdit) -> str:
    """Return one edit in a few words: where it stands, what it does, who gave it."""
    what = _VERBS[edit.mode]
    if edit.mode == "patch":
        what = f"exchanges the text under {edit.heading!r}"
    said = [f"title {edit.title!r}"] if edit.title is not None else []
    said += [f"priority {edit.priority}"] if edit.priority is not None else []
    if said:
        sets = f"sets {' and '.join(said)}"
        what = sets if edit.mode == "move" else f"{what} and {sets}"
    return f"{edit.place} {what} ({edit.provider})"


def _who(edit: PreparedEdit) -> str:
    return str(edit.provider) if edit.place.path == "code" else str(edit.place)
