"""Plain sentences on the screen."""

import sys
from collections.abc import Iterator, Sequence

from rich.console import Console

from satisfice.search.checks import Check

MOST_CHECKS = 5
"""More lines would hide the verdict; `--json` and the report have all."""


def say(console: Console, sentence: str) -> None:
    """A line of plain text, without colours for whatever looks like a number."""
    console.print(sentence, highlight=False, markup=False)


def check_lines(checks: Sequence[Check]) -> Iterator[str]:
    """What is odd about results, in sentences."""
    yield from map(str, checks[:MOST_CHECKS])
    if len(checks) > MOST_CHECKS:
        yield f"{len(checks) - MOST_CHECKS:,} more checks of results, which --json and the report list"


def note(sentence: str) -> None:
    """A line beside the answer: on standard error, where it is in nobody's way."""
    print(f"satisfice: {sentence}", file=sys.stderr, flush=True)
