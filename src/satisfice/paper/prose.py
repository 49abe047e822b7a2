"""The sentences of the report, kept as text files with places for numbers."""

from importlib.resources import files
from typing import Any


def prose(passage: str, **numbers: Any) -> str:
    """The passage of that name, with the numbers in their places."""
    text = (files("satisfice.paper") / "prose" / f"{passage}.md").read_text(encoding="utf-8")
    return text.strip().format(**numbers)
