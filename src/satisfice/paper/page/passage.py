"""The passages of the page, kept as text files with places for numbers."""

from importlib.resources import files
from typing import Any


def passage(name: str, **numbers: Any) -> str:
    """The passage of that name, with the numbers in their places."""
    text = (files("satisfice.paper.page") / "passages" / f"{name}.md").read_text(encoding="utf-8")
    return text.strip().format(**numbers)
