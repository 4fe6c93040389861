"""Skills: directories with a ``SKILL.md``, listed in the prompt or given whole."""

from __future__ import annotations

from collections.abc import Iterator

from foreword import Context, Edit, Place, hookimpl

from ._skill import Skill, fold_name, read_skills

LISTING = 700
WHOLE = 710
IDLE = ("id", "mode", "heading")
"""The keys of front matter that have no effect in a skill that is listed."""


@hookimpl
def foreword_sections(context: Context) -> list[Edit]:
    """Return the listing of all skills, or in mode ``full`` one section for each; none without skills."""
    skills = _winners(context, [skill for root in context.skill_roots for skill in read_skills(context, root)])
    if not skills:
        return []
    if context.settings.skills.mode == "full":
        return list(_whole(skills))
    _report_idle_keys(context, skills)
    return [Edit("skills", listing(skills), default_title="Available Skills", default_priority=LISTING)]


def listing(skills: list[Skill]) -> str:
    """Return the listing of skills in the form that many clients and models know."""
    entries = [skill.render_listing_entry() for skill in skills]
    return "\n".join(["<available_skills>", *entries, "</available_skills>"])


def _whole(skills: list[Skill]) -> Iterator[Edit]:
    for skill in skills:
        edit = skill.file.edit(
            id=f"skills/{skill.key}",
            default_title=skill.name,
            default_priority=WHOLE,
            plain=True,
            layer=skill.layer,
        )
        # A skill only adds: it never takes the place of what somebody else has defined.
        yield edit.model_copy(update={"mode": "define"})


def _winners(context: Context, skills: list[Skill]) -> list[Skill]:
    """Return one skill for each name, sorted by name; what is not among them is reported."""
    winners: dict[str, Skill] = {}
    reached: dict[tuple[int, int], Skill] = {}
    # High to low: by layer first, then by the order in which the operator names the roots.
    high_to_low = skills[::-1]
    high_to_low.sort(key=lambda skill: skill.layer == "project")
    for skill in high_to_low:
        place = Place(skill.file.place)
        identity = skill.file.identity
        if identity is not None and identity in reached:
            first = reached[identity].file.place
            context.report("FW053", "info", f"this is the skill of {first}, which is listed once", place)
            continue
        if identity is not None:
            reached[identity] = skill
        winner = winners.setdefault(skill.key, skill)
        if winner is not skill:
            message = f"the skill {skill.name!r} is shadowed by {winner.file.place}"
            remedy = "rename one of the two, or take one away"
            context.report("FW052", "warning", message, place, remedy, f"skills/{skill.key}")
    _report_lookalikes(context, winners)
    return [winners[key] for key in sorted(winners)]


def _report_lookalikes(context: Context, skills: dict[str, Skill]) -> None:
    seen: dict[str, Skill] = {}
    for key in sorted(skills):
        skill = skills[key]
        first = seen.setdefault(fold_name(skill.name), skill)
        if first is not skill:
            message = f"the names {first.name!r} and {skill.name!r} look alike"
            context.report("FW051", "warning", message, Place(skill.file.place), "rename one of the two")


def _report_idle_keys(context: Context, skills: list[Skill]) -> None:
    for skill in skills:
        given = skill.file.front_matter.given
        if given.isdisjoint(IDLE):
            continue
        for key in IDLE:
            if key in given:
                message = f"{key} has no effect in this file"
                place = Place(skill.file.place, 1)
                context.report("FW016", "warning", message, place, "take it away", f"skills/{skill.key}")
