"""The hooks that a plugin may implement.

Every hook is called for each plugin by itself; what one plugin returns or raises never reaches another,
and the order of the calls decides nothing. An implementation takes any of the arguments, by name, and
returns a list: never a generator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from ._context import Context
    from ._diagnostics import Diagnostic
    from ._model import Section
    from ._prompt import Prompt

hookspec = pluggy.HookspecMarker("foreword")


class Hooks:
    """The specifications; `foreword.hookimpl` marks an implementation."""

    @hookspec
    def foreword_sections(self, context: Context) -> Sequence[Section]:
        """Return the sections and edits that this source contributes.

        Args:
            context: the agent, the variables, the settings and the safe reader of directories.

        Returns:
            A list of `Section` and `Edit`. In layer ``extension`` ids begin with the distribution's
            name and a dot.

        >>> from foreword import Section, hookimpl
        >>> @hookimpl
        ... def foreword_sections(context):
        ...     return [Section("acme-citations.style", "Cite by author and year.", title="Citations")]
        """
        raise AssertionError

    @hookspec
    def foreword_variables(self, context: Context) -> Mapping[str, str | int | float | bool]:
        """Return variables for templates.

        Args:
            context: as for `foreword_sections`; ``variables`` holds those of operator and call.

        Returns:
            A dict. A name is the distribution with ``-`` and ``.`` as ``_``, a dot, and a name; a value
            is a number, a boolean or one line of at most 200 characters.

        >>> from foreword import hookimpl
        >>> @hookimpl
        ... def foreword_variables(context):
        ...     return {"acme_citations.version": "1.2"}
        """
        raise AssertionError

    @hookspec
    def foreword_skills(self, context: Context) -> Sequence[object]:
        """Return skills that say themselves what they add to the prompt.

        Args:
            context: as for `foreword_sections`.

        Returns:
            A list of objects with a ``name`` and a method ``render_system_addon()``, which is given the
            context if it takes one. The text becomes the section ``skills/<distribution>.<name>``.

        >>> from foreword import hookimpl
        >>> class Deploy:
        ...     name = "deploy"
        ...     def render_system_addon(self):
        ...         return "Deploy only from the main branch."
        >>> @hookimpl
        ... def foreword_skills(context):
        ...     return [Deploy()]
        """
        raise AssertionError

    @hookspec
    def foreword_check(self, prompt: Prompt, context: Context) -> Sequence[Diagnostic]:
        """Return what a rule of this plugin finds in a built prompt.

        Args:
            prompt: the built prompt; it cannot be changed.
            context: as for `foreword_sections`.

        Returns:
            A list of `Diagnostic`.

        >>> from foreword import Diagnostic, hookimpl
        >>> @hookimpl
        ... def foreword_check(prompt, context):
        ...     if len(prompt.text) > 40_000:
        ...         return [Diagnostic("acme-long", "warning", "the prompt is very long")]
        ...     return []
        """
        raise AssertionError
