"""Counts: errors an hour, requests a second. Results are 0, 1, 2, ... with a Poisson distribution.

For a bet l the likelihood ratio of the mean theta + l sqrt(theta) to theta is exp(x ln(1 + l/sqrt(theta)) - l
sqrt(theta)) for each result x: its mean is 1 if that of x is theta, and at most 1 if it is less, given the whole past.
So the weighted average over a grid of bets is evidence that the mean is above theta, of pulls and total alone.
Evidence that it is below theta takes means theta - l sqrt(theta), at least theta/100. Both are the larger the further
theta is on the other side, so that a confidence limit is one root.

theta <= 0: no counts have such a mean but zeros alone: one event is infinite evidence that the mean is above it.
"""

from collections.abc import Callable
from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.layout.numbers import counted, rounded
from satisfice.noise.betting import BETS, LARGEST_STAKE, LOG_WEIGHTS
from satisfice.noise.process import (
    OWN,
    TOLERANCE,
    Bet,
    Distribution,
    Interval,
    Numbers,
    Process,
    Shape,
    Sums,
    finite,
)

THRESHOLD, SLOPE = OWN, OWN + 1

SURE = 1e9
ROUNDING = 1e-12
"""Of a total: far more than all terms of a likelihood ratio can be off."""


class Poisson(NamedTuple):
    """Counts whose variance is their mean."""

    @property
    def scale(self) -> None:
        return None

    @property
    def process(self) -> Process:
        return COUNTS

    def __eq__(self, other: object) -> bool:  # a tuple without elements equals every other
        return isinstance(other, Poisson)

    def __hash__(self) -> int:
        return hash("poisson")

    def __str__(self) -> str:
        return "poisson"


def log_evidence_poisson(pulls: int, total: float, theta: float, above: bool) -> float:
    """ln of the evidence that the mean is above theta, or below it, from `pulls` counts with the sum `total`."""
    if theta <= 0.0:
        return inf if above and (total > 0.0 or theta < 0.0) else 0.0
    root = sqrt(theta)
    largest = -inf
    found = 0.0
    for j in range(BETS.shape[0]):
        step = BETS[j] / root if above else -min(BETS[j] / root, LARGEST_STAKE)
        capital = LOG_WEIGHTS[j] + total * log(1.0 + step) - pulls * theta * step
        if capital > largest:
            found = found * exp(largest - capital) + 1.0
            largest = capital
        else:
            found += exp(capital - largest)
    return largest + log(found)


def most(pulls: int, total: float, theta: float, above: bool) -> float:
    """An upper bound of ln of the evidence: that of the likeliest mean, and 0 if that is on the other side of theta."""
    if theta <= 0.0:
        return inf
    expected = pulls * theta
    if total <= expected if above else total >= expected:
        return 0.0
    ratio = total * log(total / expected) if total > 0.0 else 0.0
    return ratio - total + expected + ROUNDING * (total + expected)


def total_of(pulls: int, deficit: float, numbers: Numbers) -> float:
    """The total count, which is whole."""
    return max(0.0, 1.0 * int(pulls * numbers[THRESHOLD] + deficit / numbers[SLOPE] + 0.5))


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    slope = numbers[SLOPE]
    theta = numbers[THRESHOLD] + numbers[TOLERANCE] / slope
    return log_evidence_poisson(pulls, total_of(pulls, deficit, numbers), theta, slope < 0.0)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    total = total_of(pulls, deficit, numbers)
    return log_evidence_poisson(pulls, total, numbers[THRESHOLD], numbers[SLOPE] > 0.0)


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    slope = numbers[SLOPE]
    theta = numbers[THRESHOLD] + numbers[TOLERANCE] / slope
    return most(pulls, total_of(pulls, deficit, numbers), theta, slope < 0.0)


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, total_of(pulls, deficit, numbers), numbers[THRESHOLD], numbers[SLOPE] > 0.0)


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """The signed root of twice the relative entropy of one result, half an event added to the total."""
    mean = (total_of(pulls, deficit, numbers) + 0.5) / (pulls + 1.0)
    edge = max(numbers[THRESHOLD], 1e-300)
    root = sqrt(max(2.0 * (mean * log(mean / edge) - mean + edge), 0.0))
    passes = mean > edge if numbers[SLOPE] < 0.0 else mean < edge
    return (root if passes else -root), abs(numbers[SLOPE]) * sqrt(mean)


def draw_count(rng: np.random.Generator, first: float, second: float) -> float:
    return 1.0 * rng.poisson(first)


def _fits(model: Poisson, value: object) -> bool:
    return finite(model, value) and float(value) >= 0.0 and float(value).is_integer()  # type: ignore[arg-type]  # finite


def _interval(model: Poisson, sums: Sums, error_rate: float) -> Interval:
    """By bisection: evidence falls, or rises, with theta."""
    level, total = log(2.0 / error_rate), round(sums.pulls * sums.origin + sums.total)
    mean = total / sums.pulls
    farther = 1.0 + mean
    while log_evidence_poisson(sums.pulls, total, farther, above=False) < level:
        farther *= 2.0
    low = _root(lambda theta: log_evidence_poisson(sums.pulls, total, theta, above=True) >= level, 0.0, mean)
    high = _root(lambda theta: log_evidence_poisson(sums.pulls, total, theta, above=False) < level, mean, farther)
    return Interval(low if total else 0.0, high)


def _root(lower: Callable[[float], bool], low: float, high: float) -> float:
    """Where the predicate, true at the left end, ceases to hold."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if lower(middle) else (low, middle)
    return low


def _contradiction(model: Poisson, sums: Sums, doubt: float) -> str | None:
    """Whether results vary far more than counts do: their variance is their mean.

    The sum of squared distances from the mean, over the mean, is about chi-square distributed where the total is large;
    its bound (as for normal noise) is doubled, since counts have a longer tail.
    """
    mean = sums.origin + sums.total / sums.pulls
    freedom = sums.pulls - 1
    around_mean = float(sums.more[0]) - sums.total * sums.total / sums.pulls
    if mean * sums.pulls < 30 or around_mean <= 2 * mean * (freedom + 2 * sqrt(freedom * doubt) + 2 * doubt):
        return None
    return (
        f"the variance of {counted(sums.pulls, 'count')} is {rounded(around_mean / freedom)} with a mean of "
        f"{rounded(mean)}. The guarantee does not hold then: events come in clusters. Leave the noise to be estimated, "
        "or count over longer times"
    )


def _information(model: Poisson, mean: float, edge: float, known: Distribution | None) -> float:
    _check(mean)
    if edge <= 0.0:
        return inf
    return (mean * log(mean / edge) if mean > 0.0 else 0.0) - mean + edge


def _best_bet(model: Poisson, mean: float, edge: float, known: Distribution | None) -> Bet:
    linear = SURE if edge <= 0.0 else log(mean / edge) if mean > 0.0 else -SURE
    return Bet(0.0, constant=edge - mean, linear=linear)


def _simulated(model: Poisson, mean: float, spread: float | None, concentration: float) -> Shape:
    return Shape(0.0, 1.0, _check(mean))


def _mean_beyond(model: Poisson, edge: float, effect: float, spread: float) -> float:
    """Effects in standard deviations at the edge, on the scale of logarithms, since means cannot go below 0."""
    return edge * exp(effect / sqrt(edge))


def _check(mean: float) -> float:
    if mean < 0.0:
        raise InvalidInstance("its means must be zero or more")
    return mean


COUNTS = Process(
    name="poisson",
    within=within,
    below=below,
    margin_and_sd=margin,
    most_within=most_within,
    most_below=most_below,
    draw=draw_count,
    scale_at=lambda model, threshold: sqrt(max(threshold, 1e-12)),
    expected=lambda model: "a whole number, zero or more",
    fits=_fits,
    bounds=lambda model: (0.0, inf),
    constants=lambda model, threshold, slope: (threshold, slope),
    assumption=lambda model: "every result is a count with a Poisson distribution",
    condition=lambda model: "has Poisson counts",
    interval=_interval,
    contradiction=_contradiction,
    information=_information,
    best_bet=_best_bet,
    simulated=_simulated,
    mean_beyond=_mean_beyond,
    extra=0,
    transferable=True,
    increasing=True,
    open_spread=False,
    mean_fixes_spread=True,
)
