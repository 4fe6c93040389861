"""Run the command line with ``python -m foreword``."""

from .commands import main

main()
