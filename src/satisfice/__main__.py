"""python -m satisfice."""

from satisfice.cli import main

main()
