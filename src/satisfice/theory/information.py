"""How much one evaluation says: the information number of one metric of one arm, in nats.

An answer is safe once every instance on which it would be wrong has been told from the true one. What one evaluation
contributes to that is the relative entropy between the true law P of the metric and the nearest law under which the
answer is wrong: inf KL(P, Q) over the laws Q of the declared noise model whose mean is `edge` or worse. The edge is the
end of the tolerance for accepting an arm and the threshold itself for rejecting it. With gap = |mean - edge|:

    noise                     information number
    normal(sd)                gap^2 / (2 sd^2)
    subgaussian(scale)        gap^2 / (2 scale^2), that of normal P; other P have no less (Donsker and Varadhan 1975)
    bernoulli                 d(p, edge), the relative entropy of two coins
    normal, sd unknown        1/2 ln(1 + gap^2/sd^2), Q being normal with mean `edge` and variance sd^2 + gap^2
                              (Cowan, Honda and Katehakis 2018)
    bounded(low, high)        max over l of E ln(1 + l (x - edge)), results taken to [0, 1] and 0 <= l <= 1/edge
                              (Honda and Takemura 2010)

An oracle that knows the arm's law attains it with a fixed bet on every evaluation: `best_bet`. Each of these bets has
expectation 1 or less under every law of the model whose mean is the edge or worse, so its product is evidence. For
unknown sd it is the ratio of the normal densities of P and of the Q above: under normal laws of mean `edge` and any
variance its expectation is largest, 1, for that of Q, and means beyond the edge only lower it.
"""

from enum import Enum
from math import inf, log
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.problem import Direction, Metric, known_scale
from satisfice.theory.distributions import Law, range_of
from satisfice.theory.gaps import ROUNDING
from satisfice.theory.lower import binary_relative_entropy

SURE = 1e9
"""Stands for an infinite logarithm: a result that cannot happen under one of two laws decides."""


class Side(Enum):
    """What is to be shown of a mean: that it is within tolerance, or that it misses its threshold."""

    ACCEPT = "accept"
    REJECT = "reject"


class Bet(NamedTuple):
    """What a result x adds to ln of the evidence.

    constant + linear * y + square * y^2 with y = x - edge, or where `multiplies` is 1 ln(1 + linear * y).
    """

    edge: float
    multiplies: float = 0.0
    constant: float = 0.0
    linear: float = 0.0
    square: float = 0.0


def information(metric: Metric, mean: float, side: Side, law: Law | None = None) -> float:
    """Nats that one evaluation gives on average towards that side; 0 where the mean is not on it, possibly infinite.

    The law is needed where the noise model does not fix it: normal of unknown scale, and bounded.
    """
    edge, above = edge_of(metric, side)
    gap = _gap(metric, mean, edge, above, law)
    if gap <= 0.0:
        return 0.0
    match metric.noise:
        case Bernoulli():
            return inf if not 0.0 <= edge <= 1.0 else binary_relative_entropy(_probability(metric, mean), edge)
        case Bounded():
            return _bounded(metric, edge, above, needed_law(metric, law))[0]
        case noise if noise.scale is None:
            ratio = gap / needed_law(metric, law).sd if needed_law(metric, law).sd > 0.0 else inf
            return 0.5 * log(1.0 + ratio * ratio)
    ratio = gap / known_scale(metric)
    return 0.5 * ratio * ratio


def best_bet(metric: Metric, mean: float, side: Side, law: Law | None = None) -> Bet:
    """The fixed bet whose ln grows by `information` an evaluation on average."""
    edge, above = edge_of(metric, side)
    match metric.noise:
        case Bernoulli():
            one, zero = _log_ratio(mean, edge), _log_ratio(1.0 - mean, 1.0 - edge)
            return Bet(0.0, constant=zero, linear=one - zero)
        case Bounded(low, high):
            stake = _bounded(metric, edge, above, needed_law(metric, law))[1]
            return Bet(edge, 1.0, linear=(stake if above else -stake) / (high - low))
        case noise if noise.scale is None:
            gap, variance = mean - edge, needed_law(metric, law).sd ** 2
            wider = variance + gap * gap
            constant = 0.5 * log(wider / variance) - gap * gap / (2.0 * variance)
            return Bet(edge, 0.0, constant, gap / variance, -0.5 * (1.0 / variance - 1.0 / wider))
    precision = known_scale(metric) ** -2
    return Bet(edge, 0.0, -0.5 * precision * (mean - edge) ** 2, precision * (mean - edge))


def edge_of(metric: Metric, side: Side) -> tuple[float, bool]:
    """The mean that must be told from the true one, and whether the true one is to be above it."""
    at_least = metric.direction is Direction.AT_LEAST
    if side is Side.REJECT:
        return metric.threshold, not at_least
    return metric.threshold + (-metric.tolerance if at_least else metric.tolerance), at_least


def needed_law(metric: Metric, law: Law | None) -> Law:
    """The law, or a sentence about what is missing."""
    if law is None:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, which leaves open how much its results vary, and "
            "so how many evaluations it takes. Give `spread`, the standard deviation of one evaluation of each metric."
        )
    return law


def _gap(metric: Metric, mean: float, edge: float, above: bool, law: Law | None) -> float:
    """How far the mean is on its side; what floating point cannot tell from nothing is nothing."""
    scale = metric.noise.scale if metric.noise.scale is not None else needed_law(metric, law).sd
    gap = mean - edge if above else edge - mean
    return gap if gap > ROUNDING * scale else 0.0


def _bounded(metric: Metric, edge: float, above: bool, law: Law) -> tuple[float, float]:
    """KL_inf and its bet, results taken to [0, 1] so that more is better."""
    low, high = range_of(metric)
    points = (np.array(law.points) - low) / (high - low)
    theta = (edge - low) / (high - low)
    if not above:
        points, theta = 1.0 - points, 1.0 - theta
    return least_relative_entropy(points, np.array(law.weights), theta)


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


def _probability(metric: Metric, mean: float) -> float:
    if not 0.0 <= mean <= 1.0:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared bernoulli, so its means must lie in [0, 1], got {mean:g}."
        )
    return mean


def _log_ratio(x: float, y: float) -> float:
    if x <= 0.0:
        return -SURE
    return SURE if y <= 0.0 else log(x / y)
