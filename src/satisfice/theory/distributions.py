"""How the results of one metric of one arm are distributed: what information numbers need beyond the mean."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.means import checked_means
from satisfice.problem.problem import Metric, Problem

CELLS = 2000
"""Into how many cells a Beta distribution is cut, twice over."""


class Law(NamedTuple):
    """Mean, standard deviation, and the distribution as weighted points, of shape (N,), where its shape matters."""

    mean: float
    sd: float
    points: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()


Laws = Sequence[Sequence[Law | None]]
"""K rows of M laws; None where nothing is known beyond the declared noise."""


def normal_law(mean: float, sd: float) -> Law:
    """Normal results."""
    return Law(float(mean), float(sd))


def empirical_law(results: ArrayLike) -> Law:
    """Past results, drawn again with equal weights."""
    points, counts = np.unique(np.asarray(results, dtype=np.float64), return_counts=True)
    weights = counts / counts.sum()
    mean = float(weights @ points)
    return Law(mean, float(np.sqrt(weights @ (points - mean) ** 2)), tuple(points.tolist()), tuple(weights.tolist()))


def beta_law(low: float, high: float, first: float, second: float) -> Law:
    """low + (high - low) Z with Z ~ Beta(first, second)."""
    nodes, weights = _beta_cells(float(first), float(second))
    span = high - low
    share = first / (first + second)
    sd = span * (share * (1.0 - share) / (first + second + 1.0)) ** 0.5
    return Law(low + span * share, sd, tuple((low + span * nodes).tolist()), tuple(weights.tolist()))


def law_of_spread(metric: Metric, mean: float, spread: float) -> Law | None:
    """The law with that mean and standard deviation that the metric's noise suggests; for bounded results a Beta."""
    match metric.noise:
        case Bounded(low, high):
            first, second = beta_parameters(metric, mean, spread)
            return beta_law(low, high, first, second)
        case noise if noise.scale is None:
            return normal_law(mean, spread)
    return None


def range_of(metric: Metric) -> tuple[float, float]:
    """The range of a bounded metric."""
    if not isinstance(metric.noise, Bounded):
        raise InvalidInstance(f"Expected a bounded metric, but {metric.name!r} is declared {metric.noise}.")
    return metric.noise.low, metric.noise.high


def beta_parameters(metric: Metric, mean: float, spread: float) -> tuple[float, float]:
    """Of the Beta distribution on a bounded metric's range with that mean and standard deviation."""
    low, high = range_of(metric)
    share, unit = (mean - low) / (high - low), spread / (high - low)
    if not 0.0 < share < 1.0:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, so its means must lie strictly inside "
            f"[{low:g}, {high:g}], got {mean:g}."
        )
    largest = (share * (1.0 - share)) ** 0.5
    if not 0.0 < unit < largest:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}: with the mean {mean:g} its standard deviation lies "
            f"between 0 and {largest * (high - low):.4g}, got {spread:g}. Give a spread in between."
        )
    concentration = share * (1.0 - share) / unit**2 - 1.0
    return share * concentration, (1.0 - share) * concentration


def laws_for(problem: Problem, means: ArrayLike, spread: ArrayLike | None) -> Laws:
    """Laws for arms with these means, of shape (K, M).

    `spread` is the standard deviation of one evaluation: a number, one for each metric, or of shape (K, M). It is for
    metrics whose noise model does not say it: normal of unknown scale, and bounded.
    """
    table = checked_means(means, problem.metric_names)
    if spread is None:
        return [[None] * table.shape[1]] * table.shape[0]
    spreads = spread_table(spread, table.shape)
    return [
        [law_of_spread(metric, mean, sd) for metric, mean, sd in zip(problem.metrics, row, sds, strict=True)]
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
            f"Expected the spread as one positive number, {shape[1]} of them (one a metric) or {shape[0]} rows of "
            f"{shape[1]} (one an arm), got {spread!r:.60}. It is the standard deviation of one evaluation."
        )
    return table


def needs_law(metric: Metric) -> bool:
    """Whether the metric's noise model leaves open how results are spread."""
    return isinstance(metric.noise, Bounded) or (not isinstance(metric.noise, Bernoulli) and metric.noise.scale is None)


@lru_cache(maxsize=4096)
def _beta_cells(first: float, second: float) -> tuple[Floats, Floats]:
    """Beta(first, second) cut into cells: their exact conditional means and probabilities.

    Cells end at quantiles and, for a distribution that is nearly 0 or 1, at points that crowd towards both ends. An
    expectation of a concave function comes out too large by the curvature within cells, a few parts in 10^5.
    """
    from scipy.special import betainc, betaincinv  # noqa: PLC0415 - heavy, and needed for bounded metrics only

    steps = np.linspace(-30.0, 30.0, CELLS)
    towards_the_ends = 1.0 / (1.0 + np.exp(-steps))
    edges = np.unique(np.concatenate([[0.0, 1.0], towards_the_ends, betaincinv(first, second, towards_the_ends)]))
    masses = np.diff(betainc(first, second, edges))
    parts = first / (first + second) * np.diff(betainc(first + 1.0, second, edges))
    kept = masses > 0.0
    points = np.clip(parts[kept] / masses[kept], edges[:-1][kept], edges[1:][kept])
    return points, masses[kept] / masses.sum()
