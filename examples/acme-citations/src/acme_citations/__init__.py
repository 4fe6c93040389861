"""How Acme cites: a section, a variable and a skill for foreword."""

from __future__ import annotations

from foreword import Context, Edit, hookimpl, read_package

from .check_citations import CheckCitations


@hookimpl
def foreword_sections() -> list[Edit]:
    """Return one section for each Markdown file of this package."""
    return [file.edit() for file in read_package("acme_citations")]


@hookimpl
def foreword_variables(context: Context) -> dict[str, str]:
    """Return the form of a citation: the caller's choice, else author and year."""
    return {"acme_citations.form": str(context.data.get("citation_form", "author-year"))}


@hookimpl
def foreword_skills() -> list[CheckCitations]:
    """Return the one skill of this package."""
    return [CheckCitations()]
