"""The agent's memory: templates copied in, overridden, upgraded, undone."""

from ._agent_memory import AgentMemory
from ._entry import Entry
from ._errors import AgentMemoryError, ChangeRefused, MemoryConflict
from ._queue import Pending
from ._sections_view import SectionView
from ._status import CopyStatus, MemoryStatus, OverrideStatus
from ._tools import MemoryTool
from ._upgrade import Upgraded

__all__ = [
    "AgentMemory",
    "AgentMemoryError",
    "ChangeRefused",
    "CopyStatus",
    "Entry",
    "MemoryConflict",
    "MemoryStatus",
    "MemoryTool",
    "OverrideStatus",
    "Pending",
    "SectionView",
    "Upgraded",
]
