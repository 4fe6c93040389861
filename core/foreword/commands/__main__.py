"""Run the command line with ``python -m foreword.commands``."""

from . import main

main()
