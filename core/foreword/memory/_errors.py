"""What can go wrong with a memory."""

from __future__ import annotations

from foreword._errors import ForewordError


class AgentMemoryError(ForewordError):
    """Something that was asked of a memory cannot be done; the message says why and what to do."""


class ChangeRefused(AgentMemoryError):
    """The policy, or the section as it stands, does not allow the change; nothing was written."""


class MemoryConflict(AgentMemoryError):
    """Somebody else changed the same text; nothing was written."""
