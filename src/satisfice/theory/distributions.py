"""How the results of one metric of one arm are distributed: what information numbers need beyond the mean."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.given import shown
from satisfice.layout.numbers import written
from satisfice.noise.process import Distribution
from satisfice.problem.means import checked_means
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem

Distributions = Sequence[Sequence[Distribution | None]]
"""K rows of M distributions; None where nothing is known beyond the declared noise."""


def empirical_distribution(results: ArrayLike) -> Distribution:
    """Past results, drawn again with equal weights."""
    points, counts = np.unique(np.asarray(results, dtype=np.float64), return_counts=True)
    weights = counts / counts.sum()
    mean = float(weights @ points)
    sd = float(np.sqrt(weights @ (points - mean) ** 2))
    return Distribution(mean, sd, tuple(points.tolist()), tuple(weights.tolist()))


def distribution_of(metric: Metric, mean: float, spread: float) -> Distribution | None:
    """The one with that mean and standard deviation that the metric's noise suggests, where it leaves that open."""
    make = metric.process.distribution
    if not metric.process.open_spread or make is None:
        return None
    try:
        return make(metric.noise, mean, spread)
    except InvalidInstance as error:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}: {error}, got {written(mean)}."
        ) from None


def distributions_for(problem: Problem, means: ArrayLike, spread: ArrayLike | None) -> Distributions:
    """Distributions for arms with these means, of shape (K, M).

    `spread` is the standard deviation of one evaluation: a number, one for each metric, or of shape (K, M). It is for
    metrics whose noise model does not say it: normal of unknown scale, and bounded.
    """
    table = checked_means(means, problem.metric_names)
    if spread is None:
        return [[None] * table.shape[1]] * table.shape[0]
    spreads = spread_table(spread, table.shape)
    return [
        [distribution_of(metric, mean, sd) for metric, mean, sd in zip(problem.metrics, row, sds, strict=True)]
        for row, sds in zip(table.tolist(), spreads.tolist(), strict=True)
    ]


def spread_table(spread: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Standard deviations of shape (K, M), all positive, from a number, one for each metric, or a table."""
    try:
        table = np.broadcast_to(np.asarray(spread, dtype=np.float64), shape)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.shape != shape or not (np.isfinite(table).all() and (table > 0).all()):
        raise InvalidInstance(
            f"Expected the spread as one positive number, {shape[1]} of them (one for each metric) or {shape[0]} rows "
            f"of {shape[1]} (one for each arm), got {shown(spread, 60)}. It is the standard deviation of an evaluation."
        )
    return table
