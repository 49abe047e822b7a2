"""Relative entropies: how fast the best evidence grows."""

from math import inf, log

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.noise.process import Distribution

SURE = 1e9
"""Stands for an infinite logarithm: a result that cannot happen under one of two distributions decides."""


def binary_relative_entropy(x: float, y: float) -> float:
    """d(x, y) = x ln(x/y) + (1-x) ln((1-x)/(1-y)), between coins of probabilities x and y (paper, Definition 4).

    With 0 ln 0 = 0, so d(0, 0) = d(1, 1) = 0; infinite where y is 0 or 1 and x is not the same.
    """
    for name, value in (("x", x), ("y", y)):
        if not 0.0 <= value <= 1.0:
            raise InvalidProblem(
                f"The binary relative entropy d(x, y) is between two probabilities, got {name} = {value!r}. "
                "Rescale the metric so that its means and its threshold lie in [0, 1]."
            )
    if x == y:
        return 0.0
    if y in (0.0, 1.0):
        return inf
    heads = x * (log(x) - log(y)) if x > 0.0 else 0.0
    tails = (1.0 - x) * (log(1.0 - x) - log(1.0 - y)) if x < 1.0 else 0.0
    return max(heads + tails, 0.0)  # rounding may put it below


def least_relative_entropy(points: Floats, weights: Floats, theta: float) -> tuple[float, float]:
    """KL_inf of a law on [0, 1] against means of theta or less, and the bet l that attains it (Honda, Takemura 2010).

    The maximum over 0 <= l <= 1/theta of E ln(1 + l (x - theta)), which is concave in l.
    """
    if theta <= 0.0:
        return inf, SURE
    steps = points - theta
    if weights @ steps <= 0.0:
        return 0.0, 0.0

    def slope(bet: float) -> float:
        growth = 1.0 + bet * steps
        return float(weights @ (steps / growth)) if (growth > 0.0).all() else -inf

    low, high = 0.0, 1.0 / theta
    if slope(high) >= 0.0:
        low = high
    while high - low > 1e-13 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    return float(weights @ np.log1p(low * steps)), low


def least_relative_entropy_in(
    low: float, high: float, mean: float, edge: float, known: Distribution | None
) -> tuple[float, float]:
    """The same for results in a range, which are taken to [0, 1] so that the mean is above the edge."""
    if known is None:
        raise InvalidInstance("how its results are distributed must be known")
    points, theta = (np.array(known.points) - low) / (high - low), (edge - low) / (high - low)
    if mean < edge:
        points, theta = 1.0 - points, 1.0 - theta
    return least_relative_entropy(points, np.array(known.weights), theta)
