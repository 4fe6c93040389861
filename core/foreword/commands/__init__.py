"""The commands: ``foreword build``, ``foreword explain`` and the others."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line: the entry point of the script ``foreword``."""
    if sys.argv[1:] == ["--version"]:
        # Answered without loading anything else.
        from foreword import __version__

        sys.stdout.write(f"foreword {__version__}\n")
        return
    import atexit
    import gc

    from ._group import foreword

    # A command loads much and lets go of little: looking for garbage, on the way and at the end of the process,
    # would be a tenth of all that it does.
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, *thresholds[1:])
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    try:
        foreword(prog_name="foreword")
    finally:
        gc.set_threshold(*thresholds)
