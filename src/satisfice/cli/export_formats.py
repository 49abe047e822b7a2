"""Studies as tables, and the formats of such tables: CSV, Parquet, JSON, Markdown.

A format is a function from columns to a text or bytes, or to pieces of one of them, which are written as they are made.
`satisfice.catalogue` finds ours and those of others.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

import typer

from satisfice.catalogue import export_formats
from satisfice.errors import InvalidCommand, writing
from satisfice.extras import need
from satisfice.layout import markdown
from satisfice.layout.escape import csv_cell, json_text, markdown_text, without_commands
from satisfice.layout.numbers import compact, rounded, with_interval
from satisfice.noise.process import Interval
from satisfice.show.as_json import DECISIONS, finite
from satisfice.study import Study, StudyView
from satisfice.study.columns import Column, Columns, as_arrow, as_column, in_parts
from satisfice.study.table import Table

SAFE = "ifbM"
"""Kinds of columns that no spreadsheet takes for formulas: numbers, flags, instants."""

ENDINGS = {".md": "markdown"}
"""Files whose ending is not the name of their format."""


def format_of(form: str | None, out: Path | None) -> str:
    """The format that is named, or that of the file's ending."""
    if form is not None or out is None:
        return form or "csv"
    ending, known = out.suffix.lower(), export_formats()
    found = ENDINGS.get(ending, ending.removeprefix("."))
    if found not in known:
        endings = ", ".join(sorted({*ENDINGS, *(f".{name}" for name in known if name not in ENDINGS.values())}))
        raise InvalidCommand(f"Expected a file that ends with {endings}, or --format beside it, got {str(out)!r}.")
    return found


def evaluation_table(study: Study) -> Columns:
    """One row for each evaluation, in the order in which they were recorded."""
    return Table(study.spec, study.events()).columns()


def config_table(view: StudyView) -> Columns:
    """One row for each configuration: parameters, decision, estimates and intervals."""
    configs, statuses = view.configs, view.statuses
    keys = list(dict.fromkeys(key for parameters in configs.values() for key in parameters))
    columns: dict[str, list[Any]] = {"config": [status.name for status in statuses]}
    columns |= {key: [configs[status.name].get(key) for status in statuses] for key in keys if key != "config"}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    columns |= _cost_columns(view)
    for place, metric in enumerate(view.problem.metric_names):
        columns[metric] = [finite(status.means[place]) for status in statuses]
        columns[f"{metric}_low"] = [finite(status.intervals[place].low) for status in statuses]
        columns[f"{metric}_high"] = [finite(status.intervals[place].high) for status in statuses]
    return columns


def _cost_columns(view: StudyView) -> dict[str, list[Any]]:
    """What was spent on each configuration, and what its next evaluation is expected to cost."""
    if view.cost is None:
        return {}
    expected = [view.expected_cost(name) for name in view.spec.names]
    return {"spent": list(view.cost.by_config), "expected_cost": expected}


def estimated(mean: float, interval: Interval) -> str:
    """An estimate with its interval, also where that has one end only."""
    low, high = interval
    if isfinite(low) == isfinite(high):
        return with_interval(mean, interval)
    return f"{compact(mean)} ({f'at least {compact(low)}' if isfinite(low) else f'at most {compact(high)}'})"


def summary_table(view: StudyView) -> Columns:
    """The same for people: one column for each metric, estimate and interval together."""
    statuses = view.statuses
    columns: dict[str, list[Any]] = {"config": [status.name for status in statuses]}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    columns |= _cost_columns(view)
    for place, metric in enumerate(view.problem.metrics):
        columns[metric.limited] = [
            estimated(status.means[place], status.intervals[place]) if status.pulls else None for status in statuses
        ]
    return columns


def write(table: str | bytes | Iterable[str] | Iterable[bytes], form: str, out: Path | None) -> None:
    """Write the table to a file, or to standard output if there is none."""
    pieces = iter([table] if isinstance(table, str | bytes) else table)
    pieces = chain([next(pieces, "")], pieces)  # what cannot be made fails before a file is
    if out is None:
        for piece in pieces:
            if isinstance(piece, bytes):
                raise InvalidCommand(f"{form.capitalize()} is for files: give one with --out FILE.{form}.")
            typer.echo(piece, nl=False)
        return
    with writing("The table", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("wb") as file:
            file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def as_csv(columns: Columns) -> Iterator[str]:
    """Times as ISO 8601, lists and counts as JSON."""
    kept = {name: as_column(values) for name, values in columns.items()}
    cells = {name: column.written(None if column.kind in SAFE else _csv_cell) for name, column in kept.items()}
    for rows in chain([[tuple(map(csv_cell, columns))]], in_parts(cells)):
        lines = _Lines()
        csv.writer(lines, lineterminator="\r\n").writerows(rows)
        yield without_commands("".join(lines))


class _Lines(list[str]):
    """Rows that csv writes, each with \\n at its end.

    csv itself ends them with \\r\\n, since before Python 3.13 it puts no other cells than those with a character of its
    ending between quotes.
    """

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")


def _csv_cell(value: Any) -> Any:
    return csv_cell(json_text(value) if isinstance(value, list | dict) else value)


def as_json(columns: Columns) -> Iterator[str]:
    """A list of objects, one for each row; times as ISO 8601."""
    cells = {name: _json_cells(values) for name, values in columns.items()}
    row = "{" + ", ".join(f"{json_text(name).replace('%', '%%')}: %s" for name in columns) + "}"
    before = "["
    for part in in_parts(cells):
        yield before + ", ".join(map(row.__mod__, part))
        before = ", "
    yield "]\n" if before == ", " else "[]\n"


def _json_cells(values: Sequence[Any]) -> Column:
    """A column as what JSON has for each value, written with %s."""
    column = as_column(values)
    if column.kind == "i":
        return column
    if column.kind == "f":
        return column.written(lambda one: "null" if one is None else one)
    plain: dict[str, Callable[[Any], Any]] = {"b": {True: "true", False: "false"}.get, "M": '"{}"'.format}
    return column.written(plain.get(column.kind, json_text))


def as_markdown(columns: Columns) -> str:
    texts = [
        place
        for place, values in enumerate(columns.values())
        if not all(isinstance(value, int | float) or value is None for value in values)
    ]
    rows = [[_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
    return markdown.table([markdown_text(name) for name in columns], rows, left=texts) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ", "milliseconds").removesuffix("+00:00")
    return rounded(value, 4) if isinstance(value, float) and abs(value) < 1e6 else markdown_text(str(value))


def as_parquet(columns: Columns) -> bytes:
    need("A Parquet file", "pyarrow", instead="CSV and JSON need nothing more.")
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(as_arrow(columns), buffer)
    return buffer.getvalue()
