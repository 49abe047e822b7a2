"""Studies as tables, and the formats of such tables: CSV, Parquet, JSON, Markdown.

A format is a function from columns to a text or bytes. `satisfice.catalogue` finds ours and those of others.
"""

import csv
import io
from math import isfinite
from pathlib import Path
from typing import Any

from satisfice.catalogue import export_formats
from satisfice.errors import InvalidCommand, writing
from satisfice.extras import need
from satisfice.layout import markdown
from satisfice.layout.escape import csv_cell, json_text, markdown_text, without_commands
from satisfice.layout.numbers import compact, with_interval
from satisfice.noise.process import Interval
from satisfice.show.as_json import DECISIONS, finite
from satisfice.study import Study, StudyView
from satisfice.study.evaluations import columns_and_rows

Columns = dict[str, list[Any]]
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
    names, rows = columns_and_rows(study.spec, study.evaluations())
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def config_table(view: StudyView) -> Columns:
    """One row for each configuration: parameters, decision, estimates and intervals."""
    configs, statuses = view.configs, view.statuses
    keys = list(dict.fromkeys(key for parameters in configs.values() for key in parameters))
    columns: Columns = {"config": [status.name for status in statuses]}
    columns |= {key: [configs[status.name].get(key) for status in statuses] for key in keys if key != "config"}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    columns |= _cost_columns(view)
    for place, metric in enumerate(view.problem.metric_names):
        columns[metric] = [finite(status.means[place]) for status in statuses]
        columns[f"{metric}_low"] = [finite(status.intervals[place].low) for status in statuses]
        columns[f"{metric}_high"] = [finite(status.intervals[place].high) for status in statuses]
    return columns


def _cost_columns(view: StudyView) -> Columns:
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
    columns: Columns = {"config": [status.name for status in statuses]}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    columns |= _cost_columns(view)
    for place, metric in enumerate(view.problem.metrics):
        columns[metric.limited] = [
            estimated(status.means[place], status.intervals[place]) if status.pulls else None for status in statuses
        ]
    return columns


def written(table: str | bytes, form: str, out: Path | None) -> str | None:
    """Write the table to a file, or return it as text if there is none."""
    if out is None:
        if isinstance(table, bytes):
            raise InvalidCommand(f"{form.capitalize()} is for files: give one with --out FILE.{form}.")
        return table
    with writing("The table", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(table.encode() if isinstance(table, str) else table)
    return None


def as_csv(columns: Columns) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, columns))
    writer.writerows(map(csv_cell, row) for row in zip(*columns.values(), strict=True))
    return without_commands(text.getvalue())


def as_json(columns: Columns) -> str:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return json_text(rows) + "\n"


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
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e6 else markdown_text(str(value))


def as_parquet(columns: Columns) -> bytes:
    need("A Parquet file", "pyarrow", instead="CSV and JSON need nothing more.")
    import pyarrow as pa  # noqa: PLC0415 - heavy, and for this format only
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # several types in one column, or integers beyond 2^63
        table = pa.table({name: _one_type(values) for name, values in columns.items()})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _one_type(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    large = any(isinstance(value, int) and value.bit_length() > 63 for value in values)
    return values if len(kinds) <= 1 and not large else [None if value is None else str(value) for value in values]
