"""The public API as users write it. It is never run: strict type checkers must find nothing in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_type

import foreword
from foreword import (
    Builder,
    BuildError,
    ConfigError,
    Context,
    Diagnostic,
    Edit,
    Explanation,
    Line,
    MarkdownFile,
    Place,
    Prompt,
    PromptSection,
    Section,
    hookimpl,
    read_package,
)


def building() -> Prompt:
    """Build in every way there is."""
    found: list[Diagnostic] = []
    builder = Builder(
        prompts_dir="~/.lango/prompts",
        memory=Path("memories") / "{agent}",
        skills=["skills", Path("more")],
        plugins=False,
        on_diagnostic=found.append,
    )
    assert_type(Builder.from_config("foreword.toml", plugins=True), Builder)
    prompt = builder.build(
        "operator",
        variables={"agent_name": "Ada", "retries": 3, "verbose": True, "channel": None},
        defaults=[Section("identity", "You are {{ agent_name }}.", title=None, priority=100)],
        edits=(Edit("tool_usage", "Never use the shell.", mode="append"),),
        untrusted=[Section("greeting", "Hello.")],
        context={"user": object()},
        strict=True,
    )
    assert_type(prompt, Prompt)
    assert_type(builder.build_many(["operator", "planner"]), list[Prompt])
    assert_type(builder.build_many(["operator"], on_error="return"), list[Prompt | Exception])
    return foreword.build(agent="operator", config=Path("foreword.toml"), variables={"agent_name": "Ada"}, strict=None)


async def building_without_blocking(builder: Builder) -> str:
    """Build in an event loop."""
    prompt = await builder.abuild("operator", strict=True)
    assert_type(prompt, Prompt)
    return prompt.text


def reading(prompt: Prompt) -> None:
    """Read everything that a prompt has to say."""
    assert_type(prompt.text, str)
    assert_type(str(prompt), str)
    assert_type(prompt.fingerprint, str)
    assert_type(prompt.agent, str | None)
    assert_type(prompt.sections, tuple[PromptSection, ...])
    assert_type(prompt.tools, Mapping[str, str])
    assert_type(prompt.diagnostics, tuple[Diagnostic, ...])
    assert_type(prompt.lines(), list[Line])
    assert_type(prompt.explain("safety"), Explanation)
    assert_type(prompt.explain(), tuple[Explanation, ...])
    section = prompt.section("safety")
    assert_type(section.title, str | None)
    assert_type(section.priority, int)
    assert_type(section.origin, Place)
    assert_type(section.origin.line, int | None)
    for step in section.provenance:
        assert_type(step.reason, str)
        if step.outcome == "conflict":
            assert_type(step.edit.provider.version, str)


def failing(builder: Builder) -> str:
    """Handle what a build raises."""
    try:
        return builder.build(strict=True).text
    except* BuildError as group:
        for failure in group.exceptions:
            print(failure)
    except* ConfigError as group:
        print(group.exceptions)
    return ""


def told(diagnostic: Diagnostic) -> str:
    """Read a finding."""
    place = diagnostic.place
    line = place.line if place is not None else None
    return f"{diagnostic.code} {diagnostic.severity} {diagnostic.message} {line} {diagnostic.remedy}"


@hookimpl
def foreword_sections(context: Context) -> Sequence[Section]:
    """Contribute sections, edits and files."""
    files = context.read_directory("house-style")
    assert_type(files, list[MarkdownFile])
    assert_type(context.agent, str | None)
    assert_type(context.data["user"], object)
    return [
        Section("acme-citations.style", "Cite by author and year.", title="Citations", priority=460),
        Edit("tool_usage", "Cite tools.", mode="patch", heading="Tools", layer="project"),
        *(file.edit() for file in files),
        *(file.edit(id=f"acme-citations.{file.stem}") for file in read_package("acme_citations")),
    ]


@hookimpl
def foreword_variables() -> dict[str, str | int | float | bool]:
    """Contribute variables."""
    return {"acme_citations.form": "author-year", "acme_citations.most": 3}


class Deploy:
    """A skill that says itself what it adds."""

    name = "deploy"

    def render_system_addon(self, context: Context) -> str:
        """Return what it adds."""
        return f"{context.agent} deploys only from the main branch."


@hookimpl
def foreword_skills() -> list[Deploy]:
    """Contribute skills."""
    return [Deploy()]


@hookimpl
def foreword_check(prompt: Prompt, context: Context) -> list[Diagnostic]:
    """Check the prompt."""
    if len(prompt.text) > 40_000:
        return [Diagnostic("acme-long", "warning", f"the prompt of {context.agent} is long", Place("code"))]
    return []
