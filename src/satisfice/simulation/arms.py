"""Simulated arms: normal ones, mixed ones, and past evaluations drawn again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidInstance, unknown_name
from satisfice.extras import need
from satisfice.given import shown
from satisfice.layout.numbers import written
from satisfice.noise import PROCESSES
from satisfice.noise.process import Distribution, Process, Shape
from satisfice.past_tables import read_parquet
from satisfice.problem.means import checked_means
from satisfice.problem.metric import Metric, known_scale
from satisfice.problem.problem import Problem
from satisfice.simulation.observed import ObservedArms, observed_arms
from satisfice.simulation.protocol import Arms
from satisfice.statistics import Percentile

OUTSIDE = "outside"
"""The module of classes made for processes from outside: their compiled code is not kept on disk."""


class GaussianArms(NamedTuple):
    """Independent normal metrics; means have shape (K, M), and so have sds, or (1, M) if all arms have the same."""

    means: Floats
    sds: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        row = min(arm, self.sds.shape[0] - 1)
        for metric in range(results.shape[0]):
            unit = rng.standard_normal()  # first: what is loaded before it would have to be laid aside
            results[metric] = self.means[arm, metric] + self.sds[row, metric] * unit

    def rescaled(self, offset: Floats, slope: Floats) -> "GaussianArms":
        same = bool((self.sds == self.sds[0]).all())
        return GaussianArms(offset + slope * self.means, slope * (self.sds[:1] if same else self.sds))


class CorrelatedArms(NamedTuple):
    """Normal metrics with one correlation matrix, given by its lower Cholesky factor of shape (M, M)."""

    means: Floats
    sds: Floats
    factor: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        for metric in range(results.shape[0]):
            results[metric] = rng.standard_normal()
        for metric in range(results.shape[0] - 1, -1, -1):  # backwards: only earlier draws are still needed
            mixed = 0.0
            for source in range(metric + 1):
                mixed += self.factor[metric, source] * results[source]
            results[metric] = self.means[arm, metric] + self.sds[arm, metric] * mixed

    def rescaled(self, offset: Floats, slope: Floats) -> "CorrelatedArms":
        return CorrelatedArms(offset + slope * self.means, slope * self.sds, self.factor)


class _MixedFields(NamedTuple):
    means: Floats
    kinds: Integers
    low: Floats
    spread: Floats
    first: Floats
    second: Floats


def _rescaled(self: _MixedFields, offset: Floats, slope: Floats) -> _MixedFields:
    return self._replace(means=offset + slope * self.means, low=offset + slope * self.low, spread=slope * self.spread)


@cache
def mixed_arms_class(outside: tuple[Process, ...]) -> Callable[..., Arms]:
    """Independent metrics of several noise models: result = low + spread * Z.

    `kinds` of shape (M,) says whose Z it is, by the place of the process in the catalogue and `outside`; `first` and
    `second` are its parameters. The other arrays have shape (K, M).
    """
    processes = (*PROCESSES, *outside)
    lines = ["def draw(self, rng, arm, results):", "    for metric in range(results.shape[0]):"]
    for kind in range(len(processes)):
        test = "if" if kind == 0 else "elif" if kind + 1 < len(processes) else "else"
        condition = f" self.kinds[metric] == {kind}" if test != "else" else ""
        lines.append(f"        {test}{condition}:")
        lines.append(f"            unit = draw_{kind}(rng, self.first[arm, metric], self.second[arm, metric])")
    lines.append("        results[metric] = self.low[arm, metric] + self.spread[arm, metric] * unit")
    functions: dict[str, Any] = {f"draw_{kind}": process.draw for kind, process in enumerate(processes)}
    exec("\n".join(lines), functions)  # the template above, nothing that a user wrote
    module = OUTSIDE if outside else __name__
    fields = {"draw": functions["draw"], "rescaled": _rescaled, "__module__": module, "__slots__": ()}
    return type("MixedArms" if not outside else "OutsideArms", (_MixedFields,), fields)


MixedArms = mixed_arms_class(())
"""Arms whose metrics have noise models of this package; compiled code on disk finds it under this name."""


def mixed_distribution(arms: Arms, metric: Metric, arm: int, place: int) -> Distribution | None:
    """How one metric of one arm is distributed, if the arms are mixed ones and the metric's model knows."""
    shape_known = metric.process.of_shape
    if not isinstance(arms, _MixedFields) or shape_known is None:
        return None
    fields = (arms.low, arms.spread, arms.first, arms.second)
    return shape_known(Shape(*(float(each[arm, place]) for each in fields)))


class RecordedArms(NamedTuple):
    """Past evaluations, drawn again with replacement, whole rows at a time.

    Arm i owns the rows starts[i] to starts[i + 1] of `rows`, which has shape (N, M).
    """

    means: Floats
    rows: Floats
    starts: Integers

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        first = self.starts[arm]
        row = first + int(rng.random() * (self.starts[arm + 1] - first))
        for metric in range(results.shape[0]):
            results[metric] = self.rows[row, metric]

    def rescaled(self, offset: Floats, slope: Floats) -> "RecordedArms":
        return RecordedArms(offset + slope * self.means, offset + slope * self.rows, self.starts)


def gaussian_arms(
    means: ArrayLike, sds: ArrayLike, correlation: ArrayLike | None = None
) -> GaussianArms | CorrelatedArms:
    """Normal arms: means of shape (K, M); sds a number, one for each metric (M,), or (K, M).

    `correlation` between the metrics is one number for all pairs or a matrix of shape (M, M).
    """
    table = checked_means(means)
    spread = _spread(sds, table.shape)
    if correlation is None:
        return GaussianArms(table, spread)
    return CorrelatedArms(table, spread, _cholesky(correlation, table.shape[1]))


def arms_for(
    problem: Problem,
    means: ArrayLike,
    *,
    sds: ArrayLike | None = None,
    concentration: ArrayLike = 10.0,
    correlation: ArrayLike | None = None,
) -> Arms:
    """Arms with these means, of shape (K, M), and noise as the problem's metrics declare it.

    `sds` replaces the declared scales of normal metrics; `concentration` is the sum of a Beta's two parameters, for
    bounded metrics: a number, or one for each metric. Correlated metrics must all be normal.
    """
    table = checked_means(means, metrics=problem.metric_names)
    if not all(metric.is_drawn_alone for metric in problem.metrics):
        return _observed(problem, table, sds, concentration, correlation)
    gaussian = [metric.process.gaussian for metric in problem.metrics]
    if sds is None:
        scales = [
            _declared_sd(metric) if is_normal else 1.0
            for metric, is_normal in zip(problem.metrics, gaussian, strict=True)
        ]
        ratios = problem.noise_ratios(len(table))
        spread = _spread(np.array(scales) * (ratios if ratios.size else 1.0), table.shape)
    else:
        spread = _spread(sds, table.shape)
    if all(gaussian):
        return gaussian_arms(table, spread, correlation)
    if correlation is not None:
        other = next(metric.name for metric, is_normal in zip(problem.metrics, gaussian, strict=True) if not is_normal)
        raise InvalidInstance(
            f"A correlation needs normal noise in every metric, but {other!r} has another. Drop the correlation, or "
            "declare normal(SD), or use recorded arms, which keep whatever dependence the data have."
        )
    return _mixed_arms(problem, table, spread, concentration)


def _observed(
    problem: Problem,
    means: Floats,
    sds: ArrayLike | None,
    concentration: ArrayLike,
    correlation: ArrayLike | None,
) -> Arms:
    """Arms whose statistics are these, drawn as a plain problem's are."""
    drawn = Problem(
        tuple(replace(metric.drawn, name=f"{metric.name}.{place}") for place, metric in enumerate(problem.metrics))
    )
    spread = _spread([_declared_sd(metric) for metric in drawn.metrics] if sds is None else sds, means.shape)
    table = [
        [
            metric.statistic.drawn_mean(value, sd, metric.limit)
            for metric, value, sd in zip(problem.metrics, row, own, strict=True)
        ]
        for row, own in zip(means.tolist(), spread.tolist(), strict=True)
    ]
    inner = arms_for(drawn, table, sds=spread, concentration=concentration, correlation=correlation)
    return observed_arms(problem, means, inner)


def _declared_sd(metric: Metric) -> float:
    """The standard deviation of normal results, where the declaration says it."""
    return (
        known_scale(metric) if metric.process.open_spread else metric.process.scale_at(metric.noise, metric.threshold)
    )


def _mixed_arms(problem: Problem, means: Floats, spread: Floats, concentration: ArrayLike) -> Arms:
    strengths = np.broadcast_to(np.asarray(concentration, dtype=np.float64), means.shape[1:])
    if not ((strengths > 0) & (strengths < np.inf)).all():
        raise InvalidInstance(f"The concentration of a Beta must be positive and finite, got {shown(concentration)}.")
    processes = [metric.process for metric in problem.metrics]
    outside = tuple(dict.fromkeys(process for process in processes if process not in PROCESSES))
    known = (*PROCESSES, *outside)
    shapes = np.array(
        [
            [_simulated(metric, mean, sd, strength, arm) for metric, mean, sd, strength in columns]
            for arm, row in enumerate(zip(means.tolist(), spread.tolist(), strict=True))
            for columns in [zip(problem.metrics, *row, strengths.tolist(), strict=True)]
        ]
    )
    parts = [np.ascontiguousarray(shapes[:, :, field]) for field in range(4)]
    kinds = np.array([known.index(process) for process in processes], np.int64)
    return mixed_arms_class(outside)(means, kinds, *parts)


def _simulated(metric: Metric, mean: float, sd: float, concentration: float, arm: int) -> Shape:
    if metric.process.simulated is None or metric.process.draw is None:
        raise InvalidInstance(f"Metric {metric.name!r} is declared {metric.noise}, which cannot be simulated.")
    try:
        return metric.process.simulated(metric.noise, mean, sd, concentration)
    except InvalidInstance as error:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, so {error}, but arm {arm + 1} has {written(mean)}."
        ) from None


def _spread(sds: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        spread = np.broadcast_to(np.asarray(sds, dtype=np.float64), shape).copy()
    except (TypeError, ValueError):
        raise InvalidInstance(
            f"Expected the standard deviations as one number, {shape[1]} numbers (one for each metric) or {shape[0]} "
            f"rows of {shape[1]} numbers (one for each arm), got {shown(sds, 60)}."
        ) from None
    if not (np.isfinite(spread).all() and (spread >= 0).all()):
        raise InvalidInstance("Every standard deviation must be zero or more and finite.")
    return spread


def _cholesky(correlation: ArrayLike, metrics: int) -> Floats:
    try:
        matrix = np.asarray(correlation, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim == 0:
        matrix = np.where(np.eye(metrics, dtype=bool), 1.0, matrix)
    if matrix.shape != (metrics, metrics) or not np.array_equal(matrix, matrix.T) or not (np.diag(matrix) == 1).all():
        raise InvalidInstance(
            f"Expected the correlation as one number or a symmetric {metrics} x {metrics} matrix with ones on its "
            "diagonal."
        )
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InvalidInstance(
            "The correlation matrix is not positive definite: no metrics can be correlated like that. "
            "Bring the numbers nearer to 0."
        ) from None


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
    from pyarrow import csv  # noqa: PLC0415 - heavy, and an extra

    if not path.is_file():
        raise InvalidInstance(f"Expected past evaluations in {path}, but there is no such file.")
    try:
        table = read_parquet(path) if path.suffix in PARQUET else csv.read_csv(path)
    except (pyarrow.ArrowException, ValueError, OSError) as error:
        raise InvalidInstance(
            f"{path} cannot be read as {'Parquet' if path.suffix in PARQUET else 'CSV'}: {error}."
        ) from None
    for name in wanted:
        if name not in table.column_names:
            raise unknown_name(f"column of {path.name}", name, table.column_names)
    return {name: table[name].to_pylist() for name in wanted}
