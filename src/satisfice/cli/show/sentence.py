"""Plain sentences on the screen."""

from rich.console import Console


def say(console: Console, sentence: str) -> None:
    """A line of plain text, without colours for whatever looks like a number."""
    console.print(sentence, highlight=False, markup=False)
