"""The answer to "why does my prompt say this": the chain of edits of one section, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._diagnostics import Diagnostic, printable
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
            yield printable(f"{section.id} stands at priority {section.priority}{title}.")
            yield printable(f"Its text is that of {section.origin} (layer {section.layer}, {section.provider}).")
        yield ""
        if not self.steps:
            yield "Nobody said anything about it."
        for step in reversed(self.steps):
            yield printable(f"  {step.outcome:<10} {step.edit.layer:<10} {describe(step.edit)}")
            if step.reason:
                yield printable(f"             {step.reason}")
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
    elif edit.mode == "move":
        said = [f"title {edit.title!r}"] if edit.title is not None else []
        said += [f"priority {edit.priority}"] if edit.priority is not None else []
        what = f"sets {' and '.join(said)}" if said else what
    return f"{edit.place} {what} ({edit.provider})"
