"""Earlier results: they steer which arms are looked at, and count for nothing.

Each metric of an arm has a margin in its earlier results, which stands beside that of the new ones as if some results
more had said so. Rules that look at margins go by both together; evidence is made of an arm's new results alone. So the
guarantee is what it is without them, however wrong they are: it holds under any sampling rule.
"""

from collections.abc import Iterable
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise.process import TOLERANCE
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.search.state import SearchState
from satisfice.statistics.raw import Raw

MOST_WORTH = 16
"""Earlier results of a metric of an arm count as that many at most: what is wrong about them is soon outweighed."""


MARGIN, WORTH = 0, 1
"""The places of `SearchState.earlier`."""


class Earlier(NamedTuple):
    """What earlier results say of K arms with M metrics, (K, M) each, and how many results it is worth: 0 if nothing.

    Margins are beyond the thresholds and tolerances as wide, both in standard deviations of one result.
    """

    margins: Floats
    tolerances: Floats
    worth: Integers


class Hint(NamedTuple):
    """What earlier results say of one metric of one arm."""

    results: int
    margin: float
    tolerance: float


def hint_of(metric: Metric, results: Iterable[tuple[Raw, Raw | None]]) -> Hint:
    """The margin of results, each with the baseline's beside it or None, that the metric's model allows."""
    problem = Problem((metric,))
    noise, standard = problem.noise(1), problem.standardisation()
    slope, threshold = standard.slopes[0], standard.thresholds[0]
    count, total, more = 0, 0.0, np.zeros(max(1, noise.extra))
    for raw, beside in results:
        observed = metric.observed(raw, beside)
        deficit = slope * (observed.within - threshold)
        count, total = count + 1, total + deficit
        more[0] += deficit * deficit
        if noise.own_sums:
            noise.fold(0, more, deficit, observed.weight)
    if not count:
        return Hint(0, 0.0, 0.0)
    with np.errstate(all="ignore"):
        margin, sd = noise.margin_and_sd(0, count, total, more, 1.0, 0.0, 0.0)
    tolerance = noise.numbers[0][TOLERANCE] / sd if sd > 0.0 else 0.0
    usable = bool(np.isfinite(margin) and np.isfinite(tolerance))
    return Hint(count, float(margin), float(tolerance)) if usable else Hint(0, 0.0, 0.0)


def worth(state: SearchState, arm: int) -> int:
    """How many results the arm's earlier ones are worth now, in the metric in which they are worth least."""
    if state.earlier.shape[1] == 0:
        return 0
    least = state.earlier_worth[arm, 0]
    for metric in range(1, state.earlier_worth.shape[1]):
        least = min(least, state.earlier_worth[arm, metric])
    return int(least) if least > 1.0 else int(least > 0.0)


def steer(state: SearchState, arm: int, pulls: int) -> None:
    """Turn the margins of an arm's new results into those of new and earlier ones together."""
    for metric in range(state.margins.shape[1]):
        if state.margins[arm, metric] == inf:
            continue  # nothing is left to know
        count = state.earlier_worth[arm, metric]
        apart = state.earlier[MARGIN, arm, metric] - state.margins[arm, metric]
        state.margins[arm, metric] += apart * count / (pulls + count)


def doubted(counts: Floats, variances: Floats, apart: Floats) -> Floats:
    """How many new results earlier ones are worth, `counts` at first, given how far apart both turn out to be.

    For those arms and metrics of which there are both, `apart` has what lies between their means and `variances` what
    chance contributes to it. What is left beyond chance, and one standard deviation of that, is what earlier results
    are off by (the estimate of DerSimonian and Laird 1986), of all arms alike: 1/(1/n + off), n the results.
    """
    excess = float((apart**2 / variances).sum()) - apart.size - sqrt(2.0 * apart.size)
    off = max(excess, 0.0) / max(float((1.0 / variances).sum()), 1.0)
    with np.errstate(divide="ignore"):
        return 1.0 / (1.0 / counts + off)
