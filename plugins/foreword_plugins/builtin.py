"""The packaged templates: the four sections that every prompt starts from."""

from __future__ import annotations

from foreword import Edit, hookimpl, read_package


@hookimpl
def foreword_sections() -> list[Edit]:
    """Return one section for each template in ``foreword_prompts``."""
    return [file.edit() for file in read_package("foreword_prompts")]
