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
    from ._group import foreword

    foreword(prog_name="foreword")
