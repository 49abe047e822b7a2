"""Beta distributions: what results in a range are taken for when they are simulated."""

from functools import lru_cache
from math import exp, isfinite, log

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.layout.numbers import rounded, written
from satisfice.noise.process import Distribution

CELLS = 2000
"""Into how many cells a Beta distribution is cut, twice over."""

FAR = 30.0
"""How far log odds go beyond both ends of what matters; what is left there is known exactly."""


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
            f"with the mean {written(mean)} its standard deviation lies between 0 and "
            f"{rounded(largest * (high - low), 4)}, got {written(spread)}. Give a spread in between"
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
        raise InvalidInstance(f"its means must lie strictly inside [{written(low)}, {written(high)}]")
    return share


@lru_cache(maxsize=4096)
def _beta_cells(first: float, second: float) -> tuple[Floats, Floats]:
    """Beta(first, second) cut into cells: their exact conditional means and probabilities.

    Cells are cut on the scale of log odds, where the density is smooth whatever the parameters: evenly as far as there
    is anything, and more finely within nine standard deviations. An expectation of a concave function comes out too
    large by the curvature within cells, a few parts in 10^5. Steps are counted from where the density is largest, and
    densities in units of that: large parameters lose no digits.
    """
    total, mean, middle = first + second, first / (first + second), log(first / second)
    least = min(-FAR, log((first + 1.0) / second) - FAR) - middle
    most = max(FAR, FAR - log((second + 1.0) / first)) - middle
    around = (1.0 / first + 1.0 / second) ** 0.5 * np.linspace(-9.0, 9.0, CELLS)
    edges = np.unique(np.concatenate([np.linspace(least, most, CELLS), np.clip(around, least, most)]))
    nodes, weights = np.polynomial.legendre.leggauss(4)
    halves = 0.5 * np.diff(edges)[:, None]
    steps = edges[:-1, None] + halves * (1.0 + nodes)
    above = mean * np.expm1(steps)
    parts = np.exp(first * steps - total * np.log1p(above)) * halves * weights
    inside, shares = parts.sum(axis=1), mean * np.exp(steps) / (1.0 + above)
    bottom = exp(first * least - total * log(second / total)) / first
    top = exp(-second * most - total * log(mean)) / second
    masses = np.array([bottom, *inside, top])
    lowest = first / (first + 1.0) / (1.0 + exp(-least - middle))
    highest = 1.0 - second / (second + 1.0) / (1.0 + exp(most + middle))
    kept = masses > 0.0
    moments = np.array([lowest * bottom, *(parts * shares).sum(axis=1), highest * top])
    return np.minimum(moments[kept] / masses[kept], 1.0), masses[kept] / masses.sum()
