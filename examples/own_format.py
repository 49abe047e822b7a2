"""An export format of one's own: values between tabs."""

from collections.abc import Mapping, Sequence


def as_tsv(columns: Mapping[str, Sequence[object]]) -> str:
    """A line with the names, and one for each row; empty where there is nothing."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join("\t".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows)
