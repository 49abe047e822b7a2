"""Beta distributions: what results in a range are taken for when they are simulated."""

from functools import lru_cache
from math import isfinite

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.noise.process import Distribution

CELLS = 2000
"""Into how many cells a Beta distribution is cut, twice over."""


def beta_distribution(low: float, high: float, first: float, second: float) -> Distribution:
    """low + (high - low) Z with Z ~ Beta(first, second)."""
    nodes, weights = _beta_cells(float(first), float(second))
    span = high - low
    share = first / (first + second)
    sd = span * (share * (1.0 - share) / (first + second + 1.0)) ** 0.5
    return Distribution(low + span * share, sd, tuple((low + span * nodes).tolist()), tuple(weights.tolist()))


def beta_parameters(low: float, high: float, mean: float, spread: float) -> tuple[float, float]:
    """Of the Beta distribution on the range with that mean and standard deviation."""
    share, unit = share_of(low, high, mean), spread / (high - low)
    largest = (share * (1.0 - share)) ** 0.5
    if not 0.0 < unit < largest:
        raise InvalidInstance(
            f"with the mean {mean:g} its standard deviation lies between 0 and {largest * (high - low):.4g}, got "
            f"{spread:g}. Give a spread in between"
        )
    concentration = share * (1.0 - share) / unit**2 - 1.0
    return share * concentration, (1.0 - share) * concentration


def concentration_of(bounds: tuple[float, float], mean: float, spread: float) -> float:
    """The sum of a Beta's parameters that gives it that standard deviation; 1 where there is no range."""
    low, high = bounds
    share, unit = (mean - low) / (high - low), spread / (high - low)
    inside = isfinite(high - low) and 0.0 < share < 1.0 and unit * unit < share * (1.0 - share)
    return sum(beta_parameters(low, high, mean, spread)) if inside else 1.0


def share_of(low: float, high: float, mean: float) -> float:
    """Where the mean lies in the range, strictly between 0 and 1."""
    share = (mean - low) / (high - low)
    if not 0.0 < share < 1.0:
        raise InvalidInstance(f"its means must lie strictly inside [{low:g}, {high:g}]")
    return share


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
