"""The skill with which an agent checks the citations of a text."""

from __future__ import annotations


class CheckCitations:
    """Checks that every source a text cites is listed, and the reverse."""

    name = "check-citations"

    def render_system_addon(self) -> str:
        """Return what the skill adds to the prompt."""
        return (
            "When asked to check citations: list every citation of the text, match each with the list of "
            "sources, and report what is cited and not listed, and what is listed and not cited."
        )
