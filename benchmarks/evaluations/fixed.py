"""Uniform with fixed repeats: every arm as often as a union bound asks for, then one look.

The arm with the largest margin over the cuts is named if it passes all of them. The cut of a metric lies between
threshold - tolerance and threshold, where both have the same Chernoff exponent C: n evaluations put a mean on the wrong
side with probability at most exp(-n C). At most K - 1 wrong arms can be named and M metrics of a good arm can fail, so
n = ln((K - 1 + M)/delta)/C (C from Hoeffding 1963, theorem 1, for results in an interval; sub-Gaussian ones have
C = eps^2/(8 sigma^2)).
"""

from math import ceil, inf, log
from typing import NamedTuple

import numpy as np

from benchmarks.evaluations.draws import Draws
from satisfice import Bernoulli, Bounded, Direction, Instance, Metric, Problem


class Cut(NamedTuple):
    """Where a metric's mean is cut, and the exponent of the chance to be on the wrong side."""

    value: float
    exponent: float


def repeats(problem: Problem, arms: int) -> int | None:
    """How often each arm is evaluated; None where no number is enough: no tolerance, or noise of unknown scale."""
    if any(metric.tolerance == 0 or metric.noise.scale is None for metric in problem.metrics):
        return None
    weakest = min(cut_of(metric).exponent for metric in problem.metrics)
    return ceil(log((arms - 1 + len(problem.metrics)) / problem.error_rate) / weakest)


def cut_of(metric: Metric) -> Cut:
    """The cut between threshold and the end of the tolerance."""
    away = -metric.tolerance if metric.direction is Direction.AT_LEAST else metric.tolerance
    edge = metric.threshold + away
    if isinstance(metric.noise, Bernoulli | Bounded):
        low, high = (0.0, 1.0) if isinstance(metric.noise, Bernoulli) else (metric.noise.low, metric.noise.high)
        cut = _chernoff((edge - low) / (high - low), (metric.threshold - low) / (high - low))
        return Cut(low + (high - low) * cut.value, cut.exponent)
    scale = metric.noise.scale or inf
    return Cut((edge + metric.threshold) / 2, metric.tolerance**2 / (8 * scale**2))


def _chernoff(one: float, other: float) -> Cut:
    """Where KL(cut, one) = KL(cut, other), by halving."""
    low, high = min(one, other), max(one, other)
    near, far = low, high
    for _ in range(100):
        middle = (near + far) / 2
        near, far = (middle, far) if divergence(middle, low) < divergence(middle, high) else (near, middle)
    return Cut(near, divergence(near, low))


def divergence(share: float, chance: float) -> float:
    """KL between coins."""
    if not 0 < chance < 1:
        return 0.0 if share == chance else inf
    first = share * log(share / chance) if share > 0 else 0.0
    return first + ((1 - share) * log((1 - share) / (1 - chance)) if share < 1 else 0.0)


def wrong_answers(instance: Instance, draws: Draws, count: int, runs: int, rng: np.random.Generator) -> int:
    """How many of these runs are wrong, with `count` evaluations of each arm."""
    problem = instance.problem
    cuts = np.array([cut_of(metric).value for metric in problem.metrics])
    towards_passing = np.array([1.0 if metric.direction is Direction.AT_LEAST else -1.0 for metric in problem.metrics])
    units = np.array([metric.noise.scale for metric in problem.metrics])
    named = np.empty(runs, np.int64)
    for run in range(runs):
        margins = (towards_passing * (draws.sample_means(instance, count, rng) - cuts) / units).min(axis=1)
        best = int(np.argmax(margins))
        named[run] = best if margins[best] >= 0 else -1
    return int(instance.is_wrong(named, named < 0).sum())
