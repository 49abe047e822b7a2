"""Studies as tables in files: CSV, Parquet, JSON, Markdown."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from satisfice.cli.as_json import DECISIONS, finite
from satisfice.errors import InvalidCommand, unknown_name, writing
from satisfice.layout import markdown
from satisfice.show.numbers import with_interval
from satisfice.study import Study
from satisfice.study.evaluations import columns_of

FORMATS = {"csv": ".csv", "parquet": ".parquet", "json": ".json", "markdown": ".md"}
Columns = dict[str, list[Any]]


def format_of(form: str | None, out: Path | None) -> str:
    """The format that is named, or that of the file's ending."""
    if form is None:
        endings = {ending: name for name, ending in FORMATS.items()}
        if out is not None and out.suffix.lower() not in endings:
            raise InvalidCommand(
                f"Expected a file that ends with {', '.join(endings)}, or --format beside it, got {str(out)!r}."
            )
        return endings[out.suffix.lower()] if out is not None else "csv"
    if form not in FORMATS:
        raise unknown_name("format", form, FORMATS)
    if form == "parquet" and out is None:
        raise InvalidCommand("Parquet is for files: give one with --out FILE.parquet.")
    return form


def evaluation_table(study: Study) -> Columns:
    """One row for each evaluation, in the order in which they were recorded."""
    names = columns_of(study.spec)
    rows = [one.row() for one in study.evaluations()]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def config_table(study: Study) -> Columns:
    """One row for each configuration: parameters, decision, estimates and intervals."""
    configs, statuses = study.configs, study.statuses()
    keys = list(dict.fromkeys(key for parameters in configs.values() for key in parameters))
    columns: Columns = {"config": [status.name for status in statuses]}
    columns |= {key: [configs[status.name].get(key) for status in statuses] for key in keys if key != "config"}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    for place, metric in enumerate(study.problem.metric_names):
        columns[metric] = [finite(status.means[place]) for status in statuses]
        columns[f"{metric}_low"] = [finite(status.intervals[place].low) for status in statuses]
        columns[f"{metric}_high"] = [finite(status.intervals[place].high) for status in statuses]
    return columns


def summary_table(study: Study) -> Columns:
    """The same for people: one column for each metric, estimate and interval together."""
    statuses = study.statuses()
    columns: Columns = {"config": [status.name for status in statuses]}
    columns["decision"] = [DECISIONS.get(status.decision, "undecided") for status in statuses]
    columns["evaluations"] = [status.pulls for status in statuses]
    for place, metric in enumerate(study.problem.metrics):
        columns[f"{metric.name} {metric.direction} {metric.threshold:g}"] = [
            with_interval(status.means[place], status.intervals[place]) if status.pulls else None for status in statuses
        ]
    return columns


def written(columns: Columns, form: str, out: Path | None) -> str | None:
    """Write the table to a file, or return it as text if there is none."""
    if out is None:
        return WRITERS[form](columns)
    with writing("The table", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        if form == "parquet":
            _write_parquet(columns, out)
        else:
            out.write_text(WRITERS[form](columns), encoding="utf-8")
    return None


def _csv(columns: Columns) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _json(columns: Columns) -> str:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return json.dumps(rows) + "\n"


def _markdown(columns: Columns) -> str:
    texts = [
        place
        for place, values in enumerate(columns.values())
        if not all(isinstance(value, int | float) or value is None for value in values)
    ]
    rows = [[_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
    return markdown.table(list(columns), rows, left=texts) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)


def _write_parquet(columns: Columns, out: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and for this format only
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # parameters of several types in one column
        table = pa.table({name: _one_type(values) for name, values in columns.items()})
    pq.write_table(table, out)


def _one_type(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    return values if len(kinds) <= 1 else [None if value is None else str(value) for value in values]


WRITERS = {"csv": _csv, "json": _json, "markdown": _markdown}
