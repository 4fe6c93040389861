"""The prompt: the result of a build, with the provenance of every section and line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, overload

from ._diagnostics import Diagnostic, Place
from ._errors import UnknownSection
from ._folded import ResolvedSection
from ._layout import LAYOUTS, SEPARATOR, Layout, texts
from ._names import id_key, last_part
from ._prepared import PreparedEdit, Span, Step
from ._resolution import Resolution

if TYPE_CHECKING:
    from ._explanation import Explanation
    from ._overlay import Overlay
    from ._remade import Remade
    from ._variant import Variant

_set = object.__setattr__


class Line(NamedTuple):
    """One line of the prompt and where it stands at its author's.

    ``place``, ``provider`` and ``layer`` are None for the blank lines between sections.
    """

    number: int
    text: str
    place: Place | None
    provider: str | None
    layer: str | None
    section: str | None


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A section of a built prompt.

    Attributes:
        id: what it is called.
        title: the title it stands under, or None.
        priority: its place, low first.
        layer: the layer whose text stands.
        defined_in: the layer that defined it, which decides between equal priorities.
        origin: the file and line of the text that stands, or ``code``.
        provider: the plugin or argument that gave it, with its version.
        text: the text, without the title.
        provenance: every edit that was tried, low to high, with its outcome.
    """

    id: str
    title: str | None
    priority: int
    layer: str
    defined_in: str
    origin: Place
    provider: str
    text: str
    provenance: tuple[Step, ...]


class _Held:
    """What a prompt holds. All of it is set while the prompt is made, and then this becomes the `Prompt`."""

    __slots__ = ("__weakref__", "_layout", "_sections", "_source", "_text", "agent", "diagnostics")

    agent: str | None
    diagnostics: tuple[Diagnostic, ...]
    _layout: Layout
    _source: Resolution | Variant | Remade | Overlay
    _sections: tuple[PromptSection, ...] | None
    _text: str | bool


class Prompt(_Held):
    """An assembled system prompt.

    Text, sections and fingerprint are made when they are asked for; a prompt never changes.

    Attributes:
        agent: the agent that was asked for.
        diagnostics: what was not as asked, worst first.
    """

    __slots__ = ()

    def __new__(
        cls,
        source: Resolution | Variant | Remade | Overlay,
        diagnostics: tuple[Diagnostic, ...],
        agent: str | None = None,
        layout: Layout = LAYOUTS["default"],
    ) -> Prompt:
        """Return the prompt that is written from a source."""
        # Setting what cannot be set takes a call for each field, which thousands of prompts are not worth.
        made: Any = _Held()
        made.agent = agent
        made.diagnostics = diagnostics
        made._layout = layout
        made._source = source
        made._sections = None
        made._text = False
        made.__class__ = cls
        prompt: Prompt = made
        return prompt

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a prompt never changes, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a prompt never changes, so {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[type[Prompt], tuple[object, ...]]:
        return Prompt, (self._resolution, self.diagnostics, self.agent, self._layout)

    @property
    def text(self) -> str:
        """The system prompt."""
        text = self._text
        if isinstance(text, str):
            return text
        source = self._source
        own = texts(self._layout, source) if isinstance(source, Resolution) else source.texts(self._layout)
        made = SEPARATOR.join(own)
        # Asked for once, a text is mostly handed on; of thousands of prompts none need be held twice.
        _set(self, "_text", made if text else True)
        return made

    @property
    def _resolution(self) -> Resolution:
        source = self._source
        return source if isinstance(source, Resolution) else source.resolution()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Prompt of {len(self.sections)} sections, {self.fingerprint[:12]}>"

    @property
    def sections(self) -> tuple[PromptSection, ...]:
        """The sections in the order in which they stand."""
        sections = self._sections
        if sections is None:
            resolution = self._resolution
            chains = resolution.chains
            sections = tuple(_public(section, chains[section.id]) for section in resolution.sections)
            _set(self, "_sections", sections)
        return sections

    @property
    def tools(self) -> Mapping[str, str]:
        """The prose for tools, by the tool's name."""
        return MappingProxyType(
            {
                section.id.removeprefix("tools/"): section.text
                for section in sorted(self._resolution.tools, key=lambda section: section.id)
            }
        )

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of text and tools, in hexadecimal: equal exactly when those are."""
        content = json.dumps([self.text, sorted(self.tools.items())])
        return hashlib.sha256(content.encode()).hexdigest()

    def section(self, id: str) -> PromptSection:
        """Return one section.

        Raises:
            UnknownSection: no such section is in the prompt.
        """
        for section in self.sections:
            if section.id == id:
                return section
        raise UnknownSection(self._unknown(id, [section.id for section in self.sections]))

    @overload
    def explain(self, id: str) -> Explanation: ...

    @overload
    def explain(self, id: None = None) -> tuple[Explanation, ...]: ...

    def explain(self, id: str | None = None) -> Explanation | tuple[Explanation, ...]:
        """Say why a section reads as it does: the winner, and every other edit with its reason.

        Args:
            id: a section, or ``tools/NAME``; None asks for all, in the order of the prompt, followed by
                those that were tried and are not in it.

        Raises:
            UnknownSection: nobody said anything about such a section.
        """
        if id is None:
            resolution = self._resolution
            standing = [*resolution.sections, *resolution.tools]
            ids = [section.id for section in standing]
            return tuple(self._explanation(one) for one in [*ids, *sorted(set(resolution.chains) - set(ids))])
        chains = self._resolution.chains
        for one in chains:
            if id_key(one) == id_key(id):
                return self._explanation(one)
        raise UnknownSection(self._unknown(id, list(chains)))

    def lines(self) -> list[Line]:
        """Return the lines of the text, each with the place it came from."""
        lines: list[Line] = []

        def add(text: str, section: str | None, place: Place | None, provider: str | None, layer: str | None) -> None:
            lines.append(Line(len(lines) + 1, text, place, provider, layer, section))

        for section in self._resolution.sections:
            if lines:
                add("", None, None, None, None)
            before, body, after = self._layout.parts(section)
            by = section.standing.titled_by
            for text in before:
                add(text, section.id, Place(by.place.path), str(by.provider), by.layer)
            for text, (edit, offset) in zip(body.split("\n"), _origins(section.standing.spans), strict=True):
                if edit is None:
                    add(text, section.id, None, None, None)
                else:
                    add(text, section.id, edit.line(offset), str(edit.provider), edit.layer)
            for text in after:
                add(text, section.id, None, None, None)
        return lines

    # -- inside ------------------------------------------------------------------------------------

    def _explanation(self, id: str) -> Explanation:
        resolution = self._resolution
        standing = {section.id: section for section in (*resolution.sections, *resolution.tools)}
        section, steps = standing.get(id), resolution.chains[id]
        found = tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.section == id)
        from ._explanation import Explanation

        return Explanation(
            id=id,
            section=_public(section, steps) if section is not None else None,
            steps=steps,
            diagnostics=found,
        )

    @staticmethod
    def _unknown(id: str, ids: list[str]) -> str:
        from difflib import get_close_matches

        near = get_close_matches(id, sorted(ids), 1) or [
            other for other in sorted(ids) if last_part(other) == last_part(id)
        ]
        return f"no section {id!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def _public(section: ResolvedSection, steps: tuple[Step, ...]) -> PromptSection:
    winner = section.winner
    return PromptSection(
        id=section.id,
        title=section.title,
        priority=section.priority,
        layer=winner.layer,
        defined_in=section.definer.layer,
        origin=winner.place,
        provider=str(winner.provider),
        text=section.text,
        provenance=steps,
    )


def _origins(spans: Iterable[Span]) -> Iterator[tuple[PreparedEdit | None, int]]:
    """Yield, for each line of a section's text, the edit it came from and the line of that."""
    for span in spans:
        for offset in range(span.text.count("\n") + 1):
            yield span.edit, span.offset + offset
