"""Simulated arms whose results are observed through a statistic: percentiles, shares, means beside a baseline.

What is drawn is what an evaluation would return, as one number; what the search gets is what the statistic makes of it.
A baseline is taken to be 1 and without noise, so that means beside it are parts of it. A percentile is that of normal
results with the given standard deviation; a share is one of zeros and ones. Of a set of items the next is drawn from
those that are left.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats, Integers
from satisfice.noise.sets import COUNT, SUM
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.simulation.protocol import Arms
from satisfice.statistics import Percentile

AS_DRAWN, MOVED, COUNTED, OF_SET = range(4)
"""What becomes of a drawn number: nothing, a second one that is better by the tolerance, whether it passes; or it is
not used, and the next of a set of zeros and ones is drawn."""


class ObservedArms(NamedTuple):
    """Arms of which `inner` draws; `means` (K, M) are the statistics themselves.

    `kinds` (M,) say what becomes of what is drawn. Where it is counted, a result is `shares` - `units` if it passes,
    and `shares` if not; `tolerances` (M,) are those of what is drawn, as deficits. `sizes` (M,) are those of sets of
    items, of which `passing` (K, M) pass.
    """

    means: Floats
    inner: Arms
    kinds: Integers
    shares: Floats
    units: Floats
    tolerances: Floats
    sizes: Floats
    passing: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        """As an evaluation would return it."""
        self.inner.draw(rng, arm, results)

    def draw_both(self, rng: np.random.Generator, arm: int, more: Floats, results: Floats, within: Floats) -> None:
        """Against the limits, and against the limits with their tolerances; `more` are the arm's sums so far."""
        self.inner.draw(rng, arm, results)
        self.observe(rng, arm, more, results, within)

    def observe(self, rng: np.random.Generator, arm: int, more: Floats, results: Floats, within: Floats) -> None:
        """Make of what an evaluation would return what the statistics make of it."""
        for metric in range(results.shape[0]):
            value = results[metric]
            if self.kinds[metric] == COUNTED:
                passes = self.shares[metric] - self.units[metric]
                results[metric] = passes if value <= 0.0 else self.shares[metric]
                within[metric] = passes if value <= self.tolerances[metric] else self.shares[metric]
            elif self.kinds[metric] == MOVED:
                within[metric] = value - self.tolerances[metric]
            elif self.kinds[metric] == OF_SET:
                left = self.sizes[metric] - more[metric, COUNT]
                chance = (self.passing[arm, metric] - more[metric, SUM]) / left if left > 0.5 else 0.0
                passed = 1.0 if rng.random() < chance else 0.0
                results[metric] = self.shares[metric] - self.units[metric] * passed if left > 0.5 else 0.0
                within[metric] = results[metric]
            else:
                within[metric] = value

    def note_drawn(self, results: Floats, more: Floats) -> None:
        """Add what was drawn from sets of items to an arm's sums."""
        for metric in range(results.shape[0]):
            if self.kinds[metric] == OF_SET:
                more[metric, COUNT] += 1.0
                more[metric, SUM] += 1.0 if results[metric] < self.shares[metric] else 0.0

    def rescaled(self, offset: Floats, slope: Floats) -> "ObservedArms":
        return self._replace(inner=self.inner.rescaled(offset, slope))


def observed_arms(problem: Problem, means: ArrayLike, inner: Arms) -> ObservedArms:
    """Arms that draw as `inner` does, observed through the problem's statistics, which have these means."""
    slopes = np.abs(problem.standardisation().slopes)
    kinds = [_kind(metric) for metric in problem.metrics]
    table = np.asarray(means, dtype=np.float64)
    sizes = np.array([float(metric.set_size) for metric in problem.metrics])
    at_least = np.array([metric.limit.at_least for metric in problem.metrics])
    limits = np.array([metric.asked.threshold for metric in problem.metrics])
    return ObservedArms(
        table,
        inner,
        np.array(kinds, dtype=np.int64),
        slopes * np.where(at_least | (sizes == 0.0), limits, 1.0 - limits),
        slopes,
        np.array(
            [
                metric.tolerance if kind == COUNTED else slope * metric.tolerance_ratio
                for metric, kind, slope in zip(problem.metrics, kinds, slopes.tolist(), strict=True)
            ]
        ),
        sizes,
        np.round(sizes * np.where(at_least, table, 1.0 - table)),
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
    if metric.set_size:
        return OF_SET
    if isinstance(metric.statistic, Percentile):
        return COUNTED
    return MOVED if metric.two_sided else AS_DRAWN
