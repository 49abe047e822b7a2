"""Plain sentences on the screen."""

import sys

from rich.console import Console


def say(console: Console, sentence: str) -> None:
    """A line of plain text, without colours for whatever looks like a number."""
    console.print(sentence, highlight=False, markup=False)


def note(sentence: str) -> None:
    """A line beside the answer: on standard error, where it is in nobody's way."""
    print(f"satisfice: {sentence}", file=sys.stderr, flush=True)
