"""Past evaluations in a file, as arms to simulate from."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, unknown_name
from satisfice.extras import need
from satisfice.problem.problem import Problem
from satisfice.simulation.arms import RecordedArms
from satisfice.simulation.observed import ObservedArms, observed_arms
from satisfice.simulation.protocol import Arms
from satisfice.statistics import Percentile

PARQUET = (".parquet", ".pq")
"""How names of Parquet files end; any other file is read as CSV."""


def recorded_arms(
    path: str | Path, metrics: Sequence[str], *, arm_column: str = "arm"
) -> tuple[RecordedArms, tuple[str, ...]]:
    """Arms from a CSV or Parquet file whose rows are past evaluations: a column names the arm, and each metric has one.

    Returns the arms and their names, in order of first appearance.
    """
    columns = _read_columns(Path(path), [arm_column, *metrics])
    labels = [str(label) for label in columns[arm_column]]
    values = np.empty((len(labels), len(metrics)))
    for index, metric in enumerate(metrics):
        try:
            values[:, index] = np.array(columns[metric], dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInstance(f"{path}: column {metric!r} must hold numbers; some of its cells do not.") from None
    if not np.isfinite(values).all():
        row, column = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
        raise InvalidInstance(
            f"{path}: row {row + 1}, column {metrics[column]!r} is {values[row, column]}. "
            "Every cell must be a finite number."
        )
    names = tuple(dict.fromkeys(labels))
    if not names:
        raise InvalidInstance(f"{path} has no rows. Give at least one past evaluation of each arm.")
    groups = _grouped(values, labels, names)
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    means = np.array([group.mean(axis=0) for group in groups])
    return RecordedArms(means, np.concatenate(groups), starts), names


def recorded_through(problem: Problem, arms: Arms) -> ObservedArms:
    """Past evaluations as the problem's statistics observe them; their truths are those of the evaluations at hand."""
    beside = [metric.limited for metric in problem.metrics if metric.beside_baseline]
    if beside or not isinstance(arms, RecordedArms):
        what = repr(beside[0]) if beside else "percentiles, shares, geometric and clipped means"
        raise InvalidInstance(
            f"These arms cannot be simulated with {what}: make them with arms_for(problem, means), which knows how."
        )
    rows = arms.rows.copy()
    truths = np.empty_like(arms.means)
    for place, metric in enumerate(problem.metrics):
        column = rows[:, place]
        groups = [column[start:end].copy() for start, end in pairwise(arms.starts.tolist())]
        if isinstance(metric.statistic, Percentile):
            share = metric.statistic.share
            truths[:, place] = [np.quantile(group, share, method="inverted_cdf") for group in groups]
        else:
            rows[:, place] = [metric.observed(value).value for value in column.tolist()]
            shown = metric.statistic.shown
            ends = pairwise(arms.starts.tolist())
            truths[:, place] = [shown(float(rows[start:end, place].mean())) for start, end in ends]
    return observed_arms(problem, truths, RecordedArms(truths, rows, arms.starts))


def _grouped(values: Floats, labels: list[str], names: tuple[str, ...]) -> list[Floats]:
    places: dict[str, list[int]] = {name: [] for name in names}
    for index, label in enumerate(labels):
        places[label].append(index)
    return [values[places[name]] for name in names]


def _read_columns(path: Path, wanted: Sequence[str]) -> dict[str, list[object]]:
    need("A file of past evaluations", "pyarrow")
    import pyarrow  # noqa: PLC0415 - heavy, and only needed for recorded arms
    from pyarrow import csv, parquet  # noqa: PLC0415 - heavy, and an extra

    if not path.is_file():
        raise InvalidInstance(f"Expected past evaluations in {path}, but there is no such file.")
    try:
        table = parquet.read_table(path) if path.suffix in PARQUET else csv.read_csv(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise InvalidInstance(
            f"{path} cannot be read as {'Parquet' if path.suffix in PARQUET else 'CSV'}: {error}."
        ) from None
    for name in wanted:
        if name not in table.column_names:
            raise unknown_name(f"column of {path.name}", name, table.column_names)
    return {name: table[name].to_pylist() for name in wanted}
