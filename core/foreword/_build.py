"""The one call: find the configuration, make a builder, build."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from foreword.config._config import settings, strict_from

from ._builder import Builder, PathLike
from ._diagnostics import Diagnostic
from ._prompt import Prompt


def build(
    agent: str | None = None,
    *,
    config: PathLike | None = None,
    prompts_dir: PathLike | None = None,
    memory: PathLike | None = None,
    skills: Sequence[PathLike] | None = None,
    plugins: bool = True,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
    strict: bool | None = None,
    **arguments: Any,
) -> Prompt:
    """Build one prompt: find ``foreword.toml``, make a builder, build.

    Args:
        agent: the agent asked for.
        config: the configuration file; None looks for ``foreword.toml`` from the working directory upwards.
        prompts_dir: as for `Builder`, over the configuration.
        memory: as for `Builder`, over the configuration.
        skills: as for `Builder`, over the configuration.
        plugins: as for `Builder`.
        on_diagnostic: as for `Builder`.
        strict: as for `Builder.build`; None is what ``FOREWORD_STRICT`` says.
        arguments: the further arguments of `Builder.build`.

    Raises:
        ConfigError, BuildError, ExceptionGroup: as `Builder` and `Builder.build`.

    >>> import foreword
    >>> print(foreword.build(variables={"agent_name": "Ada"}, plugins=False).text[:11])
    You are Ada
    """
    given = settings(
        config=config,
        discover=True,
        environ=os.environ,
        prompts_dir=prompts_dir,
        memory=memory,
        skills=skills,
    )
    builder = Builder(settings=given, plugins=plugins, on_diagnostic=on_diagnostic)
    return builder.build(agent, strict=strict_from(os.environ) if strict is None else strict, **arguments)
