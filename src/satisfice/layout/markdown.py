"""Markdown: headings, tables and plain text that must stay as it is."""

from collections.abc import Iterable, Sequence
from re import sub

LEFT, RIGHT = ":--", "--:"


def heading(text: str, level: int = 2) -> str:
    """A heading of a level from 1 to 6."""
    return f"{'#' * level} {text}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = (0,)) -> str:
    """A table of cells that are Markdown themselves; the columns in `left` are aligned left, the others right."""
    aligned_left = set(left)
    marks = [LEFT if column in aligned_left else RIGHT for column in range(len(heads))]
    lines = [[_cell(text) for text in heads], marks, *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """Markdown in one cell: a bar would end it and a line break would end the table."""
    return sub(r"(?<!\\)\|", r"\\|", text).replace("\n", " ")


def escape(text: str) -> str:
    """Plain text as Markdown that shows the same, outside of what stands between backquotes."""
    return "`".join(
        part if place % 2 else part.replace("*", "\\*").replace("<", "&lt;")
        for place, part in enumerate(text.split("`"))
    )
