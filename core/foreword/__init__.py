"""foreword assembles an AI agent's system prompt from sections that sources contribute.

>>> import foreword
>>> prompt = foreword.build(variables={"agent_name": "Ada"}, plugins=False)
>>> [section.id for section in prompt.sections]
['identity', 'safety', 'conversation_rules', 'tool_usage']
"""

from __future__ import annotations

__version__ = "0.1.0"

# Type checkers know the name; typing itself would be half of what this import costs.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from foreword.files._package import read_package
    from foreword.files._reader import MarkdownFile
    from foreword.files._roots import Root

    from ._build import build
    from ._builder import Builder
    from ._context import Context
    from ._diagnostics import Diagnostic, Place
    from ._errors import BuildError, ConfigError, ForewordError, ForewordWarning, UnknownSection
    from ._explanation import Explanation
    from ._hookimpl import hookimpl
    from ._memory_record import MemoryRecord
    from ._model import Edit, Section
    from ._prompt import Line, Prompt, PromptSection
    from .memory import AgentMemory

__all__ = [
    "AgentMemory",
    "BuildError",
    "Builder",
    "ConfigError",
    "Context",
    "Diagnostic",
    "Edit",
    "Explanation",
    "ForewordError",
    "ForewordWarning",
    "Line",
    "MarkdownFile",
    "MemoryRecord",
    "Place",
    "Prompt",
    "PromptSection",
    "Root",
    "Section",
    "UnknownSection",
    "__version__",
    "build",
    "hookimpl",
    "read_package",
]

_HOMES = {
    "AgentMemory": "memory",
    "BuildError": "_errors",
    "Builder": "_builder",
    "ConfigError": "_errors",
    "Context": "_context",
    "Diagnostic": "_diagnostics",
    "Edit": "_model",
    "Explanation": "_explanation",
    "ForewordError": "_errors",
    "ForewordWarning": "_errors",
    "Line": "_prompt",
    "MarkdownFile": "files._reader",
    "MemoryRecord": "_memory_record",
    "Place": "_diagnostics",
    "Prompt": "_prompt",
    "PromptSection": "_prompt",
    "Root": "files._roots",
    "Section": "_model",
    "UnknownSection": "_errors",
    "build": "_build",
    "hookimpl": "_hookimpl",
    "read_package": "files._package",
}


def __getattr__(name: str) -> object:
    # Importing foreword stays cheap: a name is loaded when it is first asked for.
    if name in _HOMES:
        from importlib import import_module

        value: object = getattr(import_module(f"foreword.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'foreword' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
