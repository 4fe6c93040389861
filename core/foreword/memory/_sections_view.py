"""What the agent can see of its prompt: every section at each layer, and what it may do with it."""

from __future__ import annotations

from typing import NamedTuple

from foreword._builder import Builder
from foreword._errors import UnknownSection
from foreword._explanation import describe
from foreword._folded import ResolvedSection
from foreword._limits import resolve_within_limits
from foreword._model import MODES
from foreword._names import id_key
from foreword._plan import Plan
from foreword._prepared import PreparedEdit, Step
from foreword._resolution import Resolution
from foreword._resolve import resolve


class LayerText(NamedTuple):
    """What one edit says, and what became of it."""

    layer: str
    mode: str
    place: str
    outcome: str
    reason: str
    text: str


class SectionView(NamedTuple):
    """One section as the agent may look at it.

    Attributes:
        id: the section.
        title: the title it stands under.
        priority: its place, None when it is not in the prompt.
        effective: the text that the next build uses, rendered; None when it is not in the prompt.
        template: the text that stands below the agent's layers, rendered.
        source: the text in effect before rendering, which a new override would start from.
        copy: the agent's copy, None where it has none or has not edited it.
        overrides: the agent's overrides.
        provenance: every edit that was tried, low to high, in words.
        allowed: the modes in which the agent may override it.
        why_not: why others are refused, where some are.
        match: the hash of each of the agent's files for it, to be given as ``if_match`` with a change.
    """

    id: str
    title: str | None
    priority: int | None
    effective: str | None
    template: str | None
    source: str | None
    copy: LayerText | None
    overrides: tuple[LayerText, ...]
    provenance: tuple[str, ...]
    allowed: tuple[str, ...]
    why_not: str
    match: dict[str, str | None]


def views(builder: Builder, plan: Plan) -> tuple[SectionView, ...]:
    """Return the view of every section that was tried, in the order of the prompt."""
    edits = plan.prepared()
    resolution = resolve_within_limits(edits, builder.policy)
    raw = resolve([_unrendered(edit) for edit in edits], builder.policy)
    lower = resolve([edit for edit in edits if edit.layer not in ("memory", "override")], builder.policy)
    standing = [section.id for section in (*resolution.sections, *resolution.tools)]
    rest = sorted(set(resolution.chains) - set(standing))
    return tuple(_view(builder, resolution, lower, raw, id) for id in [*standing, *rest])


def view(builder: Builder, plan: Plan, id: str) -> SectionView:
    """Return the view of one section.

    Raises:
        UnknownSection: nobody said anything about it.
    """
    for one in views(builder, plan):
        if id_key(one.id) == id_key(id):
            return one
    raise UnknownSection(f"no section {id!r}")


def _unrendered(edit: PreparedEdit) -> PreparedEdit:
    return edit if edit.jinja or edit.verdict is not None else edit.with_text(edit.raw)


def _standing(resolution: Resolution, id: str) -> ResolvedSection | None:
    sections = (*resolution.sections, *resolution.tools)
    return next((section for section in sections if id_key(section.id) == id_key(id)), None)


def _view(builder: Builder, resolution: Resolution, lower: Resolution, raw: Resolution, id: str) -> SectionView:
    section, below, source = (_standing(one, id) for one in (resolution, lower, raw))
    steps = resolution.chains[id]
    refusals = {mode: builder.policy.allows(id, "override", mode) for mode in MODES}
    exists = section is not None or below is not None
    modes = [mode for mode in MODES if refusals[mode] is None and (mode == "define") != exists]
    if builder.policy.rule(id).required and "remove" in modes:
        modes.remove("remove")
    copies = [step for step in steps if step.edit.layer == "memory" and step.edit.copy_of_below]
    return SectionView(
        id=id,
        title=section.title if section is not None else None,
        priority=section.priority if section is not None else None,
        effective=section.text if section is not None else None,
        template=below.text if below is not None else None,
        source=source.text if source is not None else None,
        copy=_layer_text(copies[0]) if copies else None,
        overrides=tuple(_layer_text(step) for step in steps if step.edit.layer == "override"),
        provenance=tuple(f"{step.outcome}: {describe(step.edit)}" for step in steps),
        allowed=tuple(modes),
        why_not=next((reason for reason in refusals.values() if reason is not None), ""),
        match={},
    )


def _layer_text(step: Step) -> LayerText:
    edit = step.edit
    return LayerText(edit.layer, edit.mode, str(edit.place), step.outcome, step.reason, edit.raw)
