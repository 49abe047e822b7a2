"""What reports say of an arm: intervals in a metric's own unit, p-values, and doubts about what was declared."""

from collections.abc import Sequence
from math import exp, log, sqrt
from typing import Any

from satisfice.noise.intervals import (
    Interval,
    interval_bernoulli,
    interval_bounded,
    interval_normal,
    interval_student,
)
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.problem import Metric, Setting
from satisfice.stopping.decision import passes


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


def p_value(stopping: Any, setting: Setting, pulls: int, excess: float, evidence: Sequence[float] | None) -> float:
    """The least error rate at which the arm would be accepted now; it is a p-value whenever one looks.

    With evidence: K e^-min_m ln E_m, since one metric of a failing arm is null and the arm may be any of K (the least
    of the K arms' p-values, times K). A boundary is asked at ever other error rates: with smaller ones it is wider.
    """
    if evidence is not None:
        return float(min(1.0, setting.arms * exp(-min(evidence))))

    def accepted_at(log_rate: float) -> bool:
        return passes(excess, stopping.width(pulls, setting._replace(error_rate=exp(log_rate))))

    low, high = -700.0, -1e-9
    if not hasattr(stopping, "width") or not accepted_at(high):
        return 1.0
    if accepted_at(low):
        return exp(low)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if accepted_at(middle) else (middle, high)
    return exp(high)


DOUBT = 1e-3
"""How often, at most, noise that is as declared is called contradictory in one search."""


def contradiction(
    metric: Metric, arm: str, pulls: int, deficit: float, squares: float, noise_scale: float, cells: int
) -> str | None:
    """A sentence if the sample variance is far above the declared one, which would void the guarantee.

    For normal noise (n - 1) variance/sd^2 is chi-square distributed, and exceeds d + 2 sqrt(d x) + 2 x, d = n - 1, with
    probability at most e^-x (Laurent and Massart 2000); x leaves room for every metric, every arm (`cells` in all) and
    every n. `deficit` and `squares` are sums in units in which the declared scale is `noise_scale`.
    """
    if metric.noise.scale is None or isinstance(metric.noise, Bernoulli | Bounded) or pulls < 2:
        return None
    freedom = pulls - 1
    around_mean = squares - deficit * deficit / pulls
    x = log(cells * pulls * (pulls + 1) / DOUBT)
    if around_mean <= noise_scale**2 * (freedom + 2 * sqrt(freedom * x) + 2 * x):
        return None
    seen = metric.noise.scale * sqrt(around_mean / freedom) / noise_scale
    return (
        f"{metric.name} of {arm}: {metric.noise} was declared, but the standard deviation of {pulls} results is "
        f"{seen:.3g}. The guarantee does not hold then. Declare a larger scale, or leave it to be estimated: "
        f"'{metric.name} {metric.direction} {metric.threshold:g} : normal'."
    )
