"""How long a call of a plugin takes, and a call that is not waited for any longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, TypeVar

T = TypeVar("T")

SLOW: Final = 1.0
"""A call that takes more seconds than this is reported."""


class TimedOut(Exception):
    """A call did not end in time."""


def within(seconds: float, function: Callable[[], T]) -> T:
    """Call a function in a thread of its own and wait only so long for it.

    Nothing ends the call: its thread goes on, but does not keep the process from ending.

    Args:
        seconds: how long to wait.
        function: what to call. It sees the context variables of the caller.

    Raises:
        TimedOut: it did not end in time. What it raises itself comes out as it is.
    """
    returned: list[T] = []
    raised: list[BaseException] = []
    context = copy_context()

    def run() -> None:
        try:
            returned.append(context.run(function))
        except BaseException as cause:
            raised.append(cause)

    thread = threading.Thread(target=run, name="foreword-hook", daemon=True)
    thread.start()
    thread.join(seconds)
    if returned:
        return returned[0]
    if raised:
        raise raised.pop()
    raise TimedOut
