"""Confidence intervals for reports, in a metric's own unit, from the sums that are kept of its deficits."""

from satisfice.core.evidence.intervals import (
    Interval,
    interval_bernoulli,
    interval_bounded,
    interval_normal,
    interval_student,
)
from satisfice.core.noise import Bernoulli, Bounded
from satisfice.core.problem import Metric


def metric_interval(
    metric: Metric, slope: float, pulls: int, deficit: float, squares: float, error_rate: float
) -> Interval:
    """Where the metric's mean is, missed ever with probability at most `error_rate`.

    `deficit` and `squares` are the sums of the deficits slope * (result - threshold) and of their squares.
    """
    total, around = deficit / slope, squares / (slope * slope)  # of results - threshold
    match metric.noise:
        case Bernoulli():
            return interval_bernoulli(pulls, round(pulls * metric.threshold + total), error_rate)
        case Bounded(low, high):
            width, origin = high - low, metric.threshold - low
            moved = pulls * origin + total
            rescaled = (around + 2 * origin * total + pulls * origin * origin) / (width * width)
            share = interval_bounded(pulls, moved / width, rescaled, error_rate)
            return Interval(low + width * share.low, low + width * share.high)
        case noise if noise.scale is not None:
            return interval_normal(pulls, total, metric.threshold, noise.scale, error_rate)
    return interval_student(pulls, total, around, metric.threshold, error_rate)
