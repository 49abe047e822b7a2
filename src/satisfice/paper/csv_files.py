"""Our numbers beside the printed ones as CSV text, one file for each table."""

import csv
from collections.abc import Callable, Iterable
from io import StringIO

from satisfice.paper.differences import ComparedNumber

COLUMNS: dict[str, Callable[[ComparedNumber], str | float | None]] = {
    "rule": lambda row: row.rule,
    "printed": lambda row: row.printed,
    "misprint": lambda row: "yes" if row.misprint else "no",
    "printed_standard_error": lambda row: row.printed_error,
    "ours": lambda row: row.ours,
    "standard_error": lambda row: row.standard_error,
    "difference": lambda row: row.difference,
    "difference_percent": lambda row: row.difference_percent,
    "z": lambda row: row.z,
    "repetitions": lambda row: row.numbers.repetitions,
    "median": lambda row: row.numbers.median,
    "quantile_90": lambda row: row.numbers.quantile_90,
    "quantile_99": lambda row: row.numbers.quantile_99,
    "longest": lambda row: row.numbers.longest,
    "timed_out_percent": lambda row: row.numbers.timed_out_percent,
}
"""After the value of the parameter that the table is about."""


def table_csv(rows: Iterable[ComparedNumber]) -> str:
    """The rows of one table as CSV text; an empty cell is a number that does not exist."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    lines = list(rows)
    writer.writerow([lines[0].sweep.parameter.value, *COLUMNS])
    writer.writerows([f"{row.value:.3f}", *(_text(of(row)) for of in COLUMNS.values())] for row in lines)
    return text.getvalue()


def _text(cell: str | float | None) -> str:
    if cell is None or isinstance(cell, str | int):
        return "" if cell is None else f"{cell}"
    return f"{cell:.3f}".rstrip("0").rstrip(".")
