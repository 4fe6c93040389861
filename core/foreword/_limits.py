"""Limits of whole layers and of the prompt: untrusted texts go, from the end, until the rest fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ._diagnostics import Diagnostic
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolve import Resolution, ResolvedSection, resolve
from ._text import join


def resolve_within_limits(edits: Iterable[PreparedEdit], policy: Policy) -> Resolution:
    """Resolve, and refuse untrusted edits from the end of the final order until every limit holds.

    What operator layers give is never refused for a limit, and a limit never makes a build raise.
    """
    present = list(edits)
    told: list[Diagnostic] = []
    while True:
        resolution = resolve(present, policy)
        refused = dict(_refused(resolution, policy))
        if not refused:
            return replace(resolution, diagnostics=(*resolution.diagnostics, *told))
        for edit, reason in refused.items():
            remedy = "shorten it, or raise the limit under [limits]"
            told.append(Diagnostic("FW029", "error", reason, edit.place, remedy, edit.id, str(edit.provider)))
        present = [
            replace(edit, verdict="refused", reason=refused[edit]) if edit in refused else edit for edit in present
        ]


def _refused(resolution: Resolution, policy: Policy) -> Iterator[tuple[PreparedEdit, str]]:
    sections = (*resolution.sections, *resolution.tools)
    for layer, limits in policy.layers.items():
        if limits.layer is not None:
            size = sum(_bytes(section, layer) for section in sections)
            reason = f"the texts of layer {layer} have {{}} bytes together, more than {limits.layer}"
            yield from _over(sections, size, limits.layer, reason, layer)
    if policy.prompt is not None:
        size = sum(len(join(section.standing.spans).encode()) for section in resolution.sections)
        reason = f"the prompt has {{}} bytes, more than {policy.prompt}"
        yield from _over(resolution.sections, size, policy.prompt, reason, None)


def _over(
    sections: Sequence[ResolvedSection], size: int, most: int, reason: str, layer: str | None
) -> Iterator[tuple[PreparedEdit, str]]:
    excess = size - most
    for section in reversed(sections):
        for edit in reversed([span.edit for span in section.standing.spans]):
            if excess <= 0:
                return
            if edit is not None and not edit.trusted and layer in (None, edit.layer):
                yield edit, reason.format(size)
                excess -= len(edit.text.encode())


def _bytes(section: ResolvedSection, layer: str) -> int:
    spans = section.standing.spans
    return sum(len(span.text.encode()) for span in spans if span.edit is not None and span.edit.layer == layer)
