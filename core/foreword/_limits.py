"""Limits of whole layers and of the prompt: untrusted texts go, from the end, until the rest fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ._diagnostics import Diagnostic
from ._folded import ResolvedSection
from ._policy import Policy
from ._prepared import PreparedEdit
from ._resolution import Resolution
from ._resolve import resolve


def resolve_within_limits(edits: Iterable[PreparedEdit], policy: Policy) -> Resolution:
    """Resolve, and refuse untrusted edits from the end of the final order until every limit holds.

    What operator layers give is never refused for a limit, and a limit never makes a build raise.
    """
    present: list[PreparedEdit] = list(edits)
    told: list[Diagnostic] = []
    while True:
        resolution = resolve(present, policy)
        refused = dict(_refused(resolution, policy))
        if not refused:
            if told:
                resolution.diagnostics += tuple(told)
            return resolution
        for edit, reason in refused.items():
            remedy = "shorten it, or raise the limit under [limits]"
            told.append(Diagnostic("FW029", "error", reason, edit.place, remedy, edit.id, str(edit.provider)))
        present = [
            edit._replace(verdict="refused", reason=refused[edit]) if edit in refused else edit for edit in present
        ]


def is_within_limits(resolution: Resolution, policy: Policy) -> bool:
    """Say whether no edit of a resolution has to be refused for a limit of its layer or of the prompt."""
    return not resolution.sizes or next(_refused(resolution, policy), None) is None


def _refused(resolution: Resolution, policy: Policy) -> Iterator[tuple[PreparedEdit, str]]:
    # The prompt's own limit comes last, whatever the order of the edits.
    for layer, size in sorted(resolution.sizes.items(), key=_layers_first):
        most = policy.prompt if layer is None else policy.limits(layer).layer
        if most is None or size <= most:
            continue
        if layer is None:
            reason = f"the prompt has {{}} bytes, more than {most}"
            yield from _over(resolution.sections, size, most, reason, None)
        else:
            reason = f"the texts of layer {layer} have {{}} bytes together, more than {most}"
            yield from _over((*resolution.sections, *resolution.tools), size, most, reason, layer)


def _layers_first(sized: tuple[str | None, int]) -> tuple[bool, str]:
    layer, _ = sized
    return layer is None, layer or ""


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
