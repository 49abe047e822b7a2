"""Simulated arms whose results are observed through a statistic: percentiles, shares, means beside a baseline.

What is drawn is what an evaluation would return, as one number; what the search gets is what the statistic makes of it.
A baseline is taken to be 1 and without noise, so that means beside it are parts of it. A percentile is that of normal
results with the given standard deviation; a share is one of zeros and ones.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats, Integers
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.statistics import Percentile

AS_DRAWN, MOVED, COUNTED = range(3)
"""What becomes of a drawn number: nothing, a second one that is better by the tolerance, or whether it passes."""


class ObservedArms(NamedTuple):
    """Arms of which `inner` draws; `means` (K, M) are the statistics themselves.

    `kinds` (M,) say what becomes of what is drawn. Where it is counted, a result is `shares` - `units` if it passes,
    and `shares` if not; `tolerances` (M,) are those of what is drawn, as deficits.
    """

    means: Floats
    inner: Any
    kinds: Integers
    shares: Floats
    units: Floats
    tolerances: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        """As an evaluation would return it."""
        self.inner.draw(rng, arm, results)

    def draw_both(self, rng: np.random.Generator, arm: int, results: Floats, within: Floats) -> None:
        """Against the limits, and against the limits with their tolerances."""
        self.inner.draw(rng, arm, results)
        for metric in range(results.shape[0]):
            value = results[metric]
            if self.kinds[metric] == COUNTED:
                passes = self.shares[metric] - self.units[metric]
                results[metric] = passes if value <= 0.0 else self.shares[metric]
                within[metric] = passes if value <= self.tolerances[metric] else self.shares[metric]
            elif self.kinds[metric] == MOVED:
                within[metric] = value - self.tolerances[metric]
            else:
                within[metric] = value

    def rescaled(self, offset: Floats, slope: Floats) -> "ObservedArms":
        return self._replace(inner=self.inner.rescaled(offset, slope))


def observed_arms(problem: Problem, means: ArrayLike, inner: Any) -> ObservedArms:
    """Arms that draw as `inner` does, observed through the problem's statistics, which have these means."""
    slopes = np.abs(problem.standardisation().slopes)
    kinds = [_kind(metric) for metric in problem.metrics]
    return ObservedArms(
        np.asarray(means, dtype=np.float64),
        inner,
        np.array(kinds, dtype=np.int64),
        slopes * [metric.asked.threshold for metric in problem.metrics],
        slopes,
        np.array(
            [
                metric.tolerance if kind == COUNTED else slope * metric.tolerance_ratio
                for metric, kind, slope in zip(problem.metrics, kinds, slopes.tolist(), strict=True)
            ]
        ),
    )


def drawn_deficits(problem: Problem) -> tuple[Floats, Floats]:
    """Offset and slope of the affine map from what is drawn to deficits."""
    standard = problem.standardisation()
    thresholds, slopes = list(standard.thresholds), list(standard.slopes)
    for place, metric in enumerate(problem.metrics):
        if _kind(metric) == COUNTED:
            thresholds[place], slopes[place] = metric.threshold, -1.0 if metric.limit.at_least else 1.0
    slope = np.array(slopes)
    return -slope * np.array(thresholds), slope


def _kind(metric: Metric) -> int:
    if isinstance(metric.statistic, Percentile):
        return COUNTED
    return MOVED if metric.two_sided else AS_DRAWN
