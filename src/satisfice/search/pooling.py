"""Pooled variance: what all arms together say about the spread of one, where nobody declared it.

It only steers the search: evidence is made of an arm's own results.
"""

from math import sqrt

from satisfice.arrays import Floats, Integers
from satisfice.noise.kinds import NoiseTable
from satisfice.noise.unknown_scale import squares_around_mean

VARIANCE, WEIGHT = 0, 1
"""The rows of what all arms say about the spread of a metric: a variance, and how many results it is worth."""

MOST_WEIGHT = 30.0
"""What all arms together say about the spread of one is worth no more results than that, and fewer if they differ."""


def first_pooling(arms: int, first_round: int) -> int:
    """After how many results in all, a first round included, variances are pooled for the first time."""
    return first_round + max(16, arms // 64)


def next_pooling(first_round: int, total_pulls: int) -> int:
    """When to do it again, having done it now: seldom enough to cost nothing, since it takes a look at every arm."""
    return first_round + 4 * (total_pulls - first_round)


def pool(pooled: Floats, deficits: Floats, more: Floats, pulls: Integers, noise: NoiseTable) -> None:
    """Pool the variances of each metric whose process does so."""
    for metric in range(pooled.shape[1]):
        if noise.pooled[metric] == 1:
            pool_metric(pooled, deficits, more, pulls, metric)


def pool_metric(pooled: Floats, deficits: Floats, more: Floats, pulls: Integers, metric: int) -> None:
    """Pool the variances of one metric, of which the arms have `pulls` (K,) results."""
    total = 0.0
    freedom = 0.0
    for arm in range(pulls.shape[0]):
        if pulls[arm] > 1:
            total += squares_around_mean(pulls[arm], deficits[arm, metric], more[arm, metric, 0])
            freedom += pulls[arm] - 1.0
    variance = total / max(freedom, 1.0)
    unlike = unlikeness(deficits, more, pulls, metric, variance) if variance > 0.0 else 0.0
    pooled[VARIANCE, metric] = variance
    pooled[WEIGHT, metric] = min(freedom, 2.0 / max(unlike, 2.0 / MOST_WEIGHT))


def unlikeness(deficits: Floats, more: Floats, pulls: Integers, metric: int, variance: float) -> float:
    """The relative variance of the arms' true variances, as far as two standard errors cannot explain it.

    With d degrees of freedom a sample variance over the true one, less 1, has the second moment 2/d, and its square the
    variance (8 d + 48)/d^3. Arms count with their d.
    """
    excess = 0.0
    chance = 0.0
    freedom = 0.0
    for arm in range(pulls.shape[0]):
        if pulls[arm] > 1:
            d = pulls[arm] - 1.0
            off = squares_around_mean(pulls[arm], deficits[arm, metric], more[arm, metric, 0]) / (d * variance) - 1.0
            excess += d * off * off - 2.0
            chance += 8.0 + 48.0 / d
            freedom += d
    return (excess - 2.0 * sqrt(chance)) / max(freedom, 1.0)
