"""Tables as plain text."""

from collections.abc import Iterable, Sequence

from satisfice.layout.escape import visible

GAP = "  "


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = (0,)) -> str:
    """Columns as wide as their widest cell; those in `left` are aligned left, the others right."""
    lines = [list(map(visible, line)) for line in (heads, *rows)]
    aligned_left = set(left)
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]

    def aligned(column: int, text: str) -> str:
        return text.ljust(widths[column]) if column in aligned_left else text.rjust(widths[column])

    return "\n".join(GAP.join(aligned(*cell) for cell in enumerate(line)).rstrip() for line in lines)
