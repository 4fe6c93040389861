"""One target in a process of its own: ``python -m tests.fuzz.child TARGET [options of libFuzzer]``."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["foreword"]):
    from .targets import TARGETS


def main() -> None:
    """Run until libFuzzer ends the process."""
    name, *options = sys.argv[1:]
    atheris.Setup([name, *options], TARGETS[name].run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
