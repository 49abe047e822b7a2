"""A noise model of one's own in one file: counts with a Poisson distribution, such as errors per hour.

In a threshold string: errors <= 3 ~ 0.3 : examples.own_noise:Poisson
"""

from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.errors import InvalidInstance
from satisfice.noise.process import OWN, TOLERANCE, Bet, Interval, Process, Shape, finite

THRESHOLD, SLOPE = OWN, OWN + 1
"""The places of this model's own constants."""

BETS = np.geomspace(0.01, 10.0, 12)
"""How many standard deviations the means that are tried lie beyond theta."""


class Poisson(NamedTuple):
    """Counts, whose variance is their mean: there is no scale to declare."""

    @property
    def scale(self):
        return None

    @property
    def process(self):
        return COUNTS

    def __str__(self):
        return f"{__name__}:Poisson"


def log_evidence(pulls, total, theta, above):
    """ln of the average likelihood ratio of means above theta (or below it) to theta."""
    if theta <= 0.0:
        return inf if above and total > 0.0 else 0.0
    found = 0.0
    largest = -inf
    for bet in BETS:
        step = bet / sqrt(theta) if above else -min(bet / sqrt(theta), 0.99)
        ratio = total * log(1.0 + step) - pulls * theta * step
        found = found * exp(min(largest - ratio, 0.0)) + exp(min(ratio - largest, 0.0))
        largest = max(largest, ratio)
    return largest + log(found / 12.0)


def total_of(pulls, deficit, numbers):
    """The total count, from the sum of slope * (count - threshold); it is a whole number."""
    return max(0.0, 1.0 * int(pulls * numbers[THRESHOLD] + deficit / numbers[SLOPE] + 0.5))


def within(pulls, deficit, more, numbers, ratio):
    """Against "the mean misses the threshold by the tolerance or more"."""
    theta = numbers[THRESHOLD] + numbers[TOLERANCE] / numbers[SLOPE]
    return log_evidence(pulls, total_of(pulls, deficit, numbers), theta, numbers[SLOPE] < 0.0)


def below(pulls, deficit, more, numbers, ratio):
    """Against "the mean reaches the threshold"."""
    return log_evidence(pulls, total_of(pulls, deficit, numbers), numbers[THRESHOLD], numbers[SLOPE] > 0.0)


def margin(pulls, deficit, more, numbers, ratio, variance, weight):
    """By how many standard deviations of one count the threshold is passed, and that deviation in deficits."""
    mean = (total_of(pulls, deficit, numbers) + 0.5) / (pulls + 1.0)
    sd = sqrt(mean)
    beyond = (mean - numbers[THRESHOLD]) / sd
    return (beyond if numbers[SLOPE] < 0.0 else -beyond), abs(numbers[SLOPE]) * sd


def draw(rng, mean, unused):
    """How many events happen in a time of length `mean`, if the times between them are exponential."""
    count = 0.0
    time = rng.standard_exponential()
    while time <= mean:
        count += 1.0
        time += rng.standard_exponential()
    return count


def fits(model, value):
    return finite(model, value) and value >= 0 and value == int(value)


def interval(model, sums, error_rate):
    """Every mean against which the evidence is smaller than 2/error_rate, on either side."""
    total, level = round(sums.pulls * sums.origin + sums.total), log(2.0 / error_rate)
    mean = total / sums.pulls
    low = limit(lambda theta: log_evidence(sums.pulls, total, theta, True) < level, 0.0, mean)
    high = limit(lambda theta: log_evidence(sums.pulls, total, theta, False) >= level, mean, 10.0 * (mean + level))
    return Interval(low, high)


def limit(holds, low, high):
    """Where a condition that fails at `low` begins to hold, by bisection."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def information(model, mean, edge, known):
    """The relative entropy of counts with that mean to counts with a mean at the edge."""
    if edge <= 0.0:
        return inf
    return (mean * log(mean / edge) if mean > 0.0 else 0.0) - mean + edge


def best_bet(model, mean, edge, known):
    """The log likelihood ratio: edge - mean + x ln(mean/edge)."""
    return Bet(0.0, constant=edge - mean, linear=log(mean / edge))


def simulated(model, mean, spread, concentration):
    if mean < 0.0:
        raise InvalidInstance("its means must be zero or more")
    return Shape(0.0, 1.0, mean)


def mean_beyond(model, edge, effect, spread):
    """So many standard deviations beyond the edge, on the scale of logarithms: no mean is below 0."""
    return edge * exp(effect / sqrt(edge))


COUNTS = Process(
    name="counts",
    within=within,
    below=below,
    margin_and_sd=margin,
    draw=draw,
    scale_at=lambda model, threshold: sqrt(threshold),
    expected=lambda model: "a whole number, zero or more",
    fits=fits,
    bounds=lambda model: (0.0, inf),
    constants=lambda model, threshold, slope: (threshold, slope),
    assumption=lambda model: "every result is a count with a Poisson distribution",
    interval=interval,
    information=information,
    best_bet=best_bet,
    simulated=simulated,
    mean_beyond=mean_beyond,
    extra=0,
    transferable=True,
    open_spread=False,
    mean_fixes_spread=True,
)
