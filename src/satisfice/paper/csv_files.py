"""Our numbers beside the printed ones as CSV text, one file for each table."""

import csv
from collections.abc import Iterable
from io import StringIO

from satisfice.paper.differences import ComparedNumber

COLUMNS = (
    "rule",
    "printed",
    "misprint",
    "printed_standard_error",
    "ours",
    "standard_error",
    "difference",
    "difference_percent",
    "z",
    "repetitions",
    "median",
    "quantile_90",
    "quantile_99",
    "longest",
    "timed_out_percent",
)


def table_csv(rows: Iterable[ComparedNumber]) -> str:
    """The rows of one table as CSV text; an empty cell is a number that does not exist."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    lines = list(rows)
    writer.writerow([lines[0].sweep.parameter.value, *COLUMNS])
    for row in lines:
        numbers = row.numbers
        writer.writerow(
            [
                f"{row.value:.3f}",
                row.rule,
                _text(row.printed),
                "yes" if row.misprint else "no",
                _text(row.printed_error),
                _text(row.ours),
                _text(row.standard_error),
                _text(row.difference),
                _text(row.difference_percent),
                _text(row.z),
                numbers.repetitions,
                _text(numbers.median),
                _text(numbers.quantile_90),
                _text(numbers.quantile_99),
                _text(numbers.longest),
                _text(numbers.timed_out_percent),
            ]
        )
    return text.getvalue()


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.3f}".rstrip("0").rstrip(".")
