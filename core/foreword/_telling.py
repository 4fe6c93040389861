"""Telling: what there is to say of each build goes to whoever asked for it, and errors to Python's warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from ._errors import ForewordWarning

if TYPE_CHECKING:
    from ._diagnostics import Diagnostic

MOST_WARNED: Final = 4096
"""Of how many findings it is kept that they were warned about."""


class Telling:
    """Tells the diagnostics of one builder.

    Args:
        on_diagnostic: is called with every one; without it, errors are warnings, once per place.
    """

    def __init__(self, on_diagnostic: Callable[[Diagnostic], object] | None) -> None:
        self._on_diagnostic = on_diagnostic
        self._warned: set[tuple[str, str, str]] = set()

    def tell(self, found: Sequence[Diagnostic]) -> None:
        """Tell the diagnostics of one build."""
        for diagnostic in found:
            if self._on_diagnostic is not None:
                self._on_diagnostic(diagnostic)
            elif diagnostic.severity == "error":
                self._warn(diagnostic)

    def _warn(self, diagnostic: Diagnostic) -> None:
        import warnings

        once = (diagnostic.code, str(diagnostic.place), diagnostic.message)
        if once in self._warned:
            return
        if len(self._warned) >= MOST_WARNED:
            self._warned.clear()
        self._warned.add(once)
        warnings.warn(str(diagnostic), ForewordWarning, stacklevel=5)
