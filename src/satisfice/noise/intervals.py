"""Confidence limits that hold at all times at once: the theta against which there is not enough evidence.

The evidence against "mean <= m", m being the true mean, ever reaches 1/a with probability at most a. Where evidence is
smaller the larger theta is, the theta with ln E >= level = ln(1/a) are those below one limit, and

    P(the lower limit is ever above the mean) <= a.

That is on one event, so a lower limit may be raised to the largest it ever was, and to every theta whose own evidence
ever reached the level: what was once accepted at level a stays above theta at level a. Upper limits are lower limits
of the reflected results. A two-sided interval spends half of its error rate on each side (Howard et al. 2021).

Sums are about an `origin`: total = sum of (x - origin), squares = sum of (x - origin)^2, so that those kept for the
evidence about theta can be used. Student's and the bounded limits are as exact as the sums: take an origin near the
results.
"""

from math import inf, log, sqrt

from satisfice.arrays import Floats
from satisfice.noise.betting import BETS, LOG_WEIGHTS, log_evidence_moments
from satisfice.noise.half_normal import ROUNDING, total_needed_normal
from satisfice.noise.half_student import EARLY, Mixture, ratio_needed_student
from satisfice.noise.process import Interval


def interval_normal(pulls: int, total: float, origin: float, scale: float, error_rate: float) -> Interval:
    """For the mean of normal or sub-Gaussian results of known scale."""
    level = log(2.0 / error_rate)
    return Interval(
        lower_limit_normal(pulls, total, origin, scale, level),
        -lower_limit_normal(pulls, -total, -origin, scale, level),
    )


def interval_student(pulls: int, total: float, squares: float, origin: float, error_rate: float) -> Interval:
    """For the mean of normal results of unknown scale."""
    level = log(2.0 / error_rate)
    return Interval(
        lower_limit_student(pulls, total, squares, origin, level),
        -lower_limit_student(pulls, -total, squares, -origin, level),
    )


def interval_bernoulli(pulls: int, ones: int, error_rate: float) -> Interval:
    """For the mean of results that are 0 or 1."""
    level = log(2.0 / error_rate)
    return Interval(
        lower_limit_bernoulli(pulls, ones, level, BETS, LOG_WEIGHTS),
        1.0 - lower_limit_bernoulli(pulls, pulls - ones, level, BETS, LOG_WEIGHTS),
    )


def interval_bounded(pulls: int, total: float, squares: float, error_rate: float) -> Interval:
    """For the mean of results in [0, 1], from their sum and the sum of their squares (origin 0)."""
    level = log(2.0 / error_rate)
    reflected = pulls - 2.0 * total + squares + ROUNDING * pulls  # of 1 - x; rounded up, which widens the interval
    return Interval(
        lower_limit_bounded(pulls, total, squares, level, BETS, LOG_WEIGHTS),
        1.0 - lower_limit_bounded(pulls, pulls - total, reflected, level, BETS, LOG_WEIGHTS),
    )


def lower_limit_normal(pulls: int, total: float, origin: float, scale: float, level: float) -> float:
    """S falls by n/scale for each unit of theta: the limit is where it is what is needed."""
    if pulls == 0:
        return -inf
    return origin + (total - scale * total_needed_normal(pulls, level)) / pulls


def lower_limit_student(
    pulls: int,
    total: float,
    squares: float,
    origin: float,
    level: float,
    mixture: Mixture = EARLY,
) -> float:
    """With d = mean - theta and W = sum of (x - mean)^2, u = n d/sqrt(W + n d^2) is what is needed."""
    needed = ratio_needed_student(pulls, level, mixture) if pulls > 0 else inf
    room = pulls - needed * needed
    if room <= 0.0:
        return -inf
    scatter = max(0.0, squares - total * total / pulls) + ROUNDING * squares
    return origin + total / pulls - needed * sqrt(scatter / (pulls * room))


def lower_limit_bernoulli(pulls: int, ones: int, level: float, bets: Floats, log_weights: Floats) -> float:
    """The bounded limit, whose bound of the evidence is exact for results that are 0 or 1."""
    return lower_limit_bounded(pulls, 1.0 * ones, 1.0 * ones, level, bets, log_weights)


def lower_limit_bounded(
    pulls: int, total: float, squares: float, level: float, bets: Floats, log_weights: Floats
) -> float:
    """By bisection: evidence is infinite at 0 if a result was positive, and at most 1 at the mean, as 1 + y <= e^y."""
    if total <= 0.0:
        return 0.0
    low = 0.0
    high = total / pulls
    for _ in range(60):
        middle = 0.5 * (low + high)
        if log_evidence_moments(pulls, total, squares, middle, bets, log_weights) >= level:
            low = middle
        else:
            high = middle
    return low
