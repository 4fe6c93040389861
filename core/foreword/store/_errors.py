"""The exceptions of the store."""

from __future__ import annotations

from foreword._errors import ForewordError
from foreword.files._walk import shown


class StoreError(ForewordError):
    """Something in a store could not be read or changed; what stood there still stands.

    ``path`` is where, ``reason`` one clause that says why; ``__cause__`` is what the system said, if it did.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{shown(path)}: {reason}")
        self.path = path
        self.reason = reason


class DurabilityError(StoreError):
    """A change is committed and everybody sees it, but it is not confirmed that it would survive a power failure."""
