"""What is believed of an arm's means: normal approximations of their posteriors, good enough to choose by.

Validity never depends on them: they steer the search, the judge decides.
"""

from math import log, log1p, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.problem import Direction, Problem

KNOWN_SCALE, BERNOULLI, SAMPLED_SCALE, SHARED_SCALE = 0, 1, 2, 3

VARIANCE, WEIGHT = 0, 1
"""The rows of what all arms say about the spread of a metric: a variance, and how many results it is worth."""

MOST_WEIGHT = 30.0
"""What all arms together say about the spread of one is worth no more results than that, and fewer if they differ."""


class NoiseCodes(NamedTuple):
    """How noisy one evaluation is in each metric, in units of deficits.

    `kinds` of shape (M,): KNOWN_SCALE has the scale `scales`; BERNOULLI that of the estimated chance, where a deficit
    is stretch * (passing chance at the threshold - share of passing results), with these `stretches` and `chances`;
    SAMPLED_SCALE that of the sample, SHARED_SCALE that of the sample and of the other arms' samples. `tolerances` are
    in units of deficits, `ratios` (K, M), or without rows, are each arm's scale over the largest, and `shared`
    says whether any metric has a SHARED_SCALE.
    """

    kinds: Integers
    scales: Floats
    stretches: Floats
    chances: Floats
    tolerances: Floats
    ratios: Floats
    shared: bool


def noise_codes(problem: Problem, arms: int) -> NoiseCodes:
    """The declarations of the problem's metrics as numbers."""
    slopes = np.abs(problem.standardisation().slopes)
    kinds, scales, chances = [], [], []
    for metric, slope in zip(problem.metrics, slopes, strict=True):
        model = metric.noise
        at_least = metric.direction is Direction.AT_LEAST
        kinds.append(
            BERNOULLI
            if isinstance(model, Bernoulli)
            else SAMPLED_SCALE
            if isinstance(model, Bounded)
            else SHARED_SCALE
            if model.scale is None
            else KNOWN_SCALE
        )
        scales.append(slope * (1.0 if model.scale is None else model.scale))
        chances.append(metric.threshold if at_least else 1.0 - metric.threshold)
    tolerances = np.array(problem.standardisation().tolerances)
    ratios = problem.noise_ratios(arms)
    return NoiseCodes(
        kinds=np.array(kinds, dtype=np.int64),
        scales=np.array(scales),
        stretches=slopes,
        chances=np.array(chances),
        tolerances=tolerances,
        ratios=ratios,
        shared=SHARED_SCALE in kinds,
    )


def believe(
    strengths: Floats,
    slacks: Floats,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
    noise: NoiseCodes,
    spreads: Floats,
) -> None:
    """Write the arm's strengths and slacks: its margins beyond the thresholds and the tolerances in units of noise.

    A strength is a score of the results against the threshold over the root of their number, where the score is
    distributed nearly as a standard normal variable if the mean is there: with few results of unknown spread, or few
    zeros and ones, a mean over a standard error would be far too sure of itself.
    """
    for metric in range(strengths.shape[1]):
        mean = deficits[arm, metric] / pulls
        scale = noise.scales[metric]
        if noise.ratios.shape[0] > 0:
            scale *= noise.ratios[arm, metric]
        strength = -mean / scale
        if noise.kinds[metric] == BERNOULLI:
            limit = noise.chances[metric]
            chance = (pulls * (limit - mean / noise.stretches[metric]) + 0.5) / (pulls + 1.0)
            chance = min(max(chance, 0.5 / (pulls + 1.0)), 1.0 - 0.5 / (pulls + 1.0))
            scale = noise.stretches[metric] * sqrt(chance * (1.0 - chance))
            strength = signed_root_entropy(chance, limit)
        elif noise.kinds[metric] >= SAMPLED_SCALE:
            around_mean = squares_around_mean(deficits, squares, arm, metric, pulls)
            scale = sqrt((around_mean + mean * mean) / pulls)  # with one pull, the only scale in sight
            freedom = pulls - 1.0
            if spreads[WEIGHT, metric] > 0.0:
                freedom += spreads[WEIGHT, metric]
                around_mean += spreads[WEIGHT, metric] * spreads[VARIANCE, metric]
                scale = sqrt(around_mean / freedom)
            strength = normal_strength(-mean, around_mean, freedom, pulls)
        strengths[arm, metric] = strength
        slacks[arm, metric] = noise.tolerances[metric] / scale if scale > 0.0 else 0.0


def signed_root_entropy(chance: float, limit: float) -> float:
    """The signed root of twice the relative entropy of two chances, a score of one result; `chance` is in (0, 1)."""
    if limit <= 0.0 or limit >= 1.0:
        return 1.0 if limit <= 0.0 else -1.0
    entropy = chance * log(chance / limit) + (1.0 - chance) * log((1.0 - chance) / (1.0 - limit))
    root = sqrt(max(2.0 * entropy, 0.0))
    return root if chance >= limit else -root


def normal_strength(mean: float, around_mean: float, freedom: float, pulls: int) -> float:
    """Student's t over the root of the pulls, moved to where a normal variable is as rare (Wallace 1959)."""
    if mean == 0.0:
        return 0.0
    if freedom == 0.0:
        return 0.5 if mean > 0.0 else -0.5
    score = sqrt(freedom * log1p(pulls * mean * mean / around_mean)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    strength = score / sqrt(1.0 * pulls)
    return strength if mean > 0.0 else -strength


def squares_around_mean(deficits: Floats, squares: Floats, arm: int, metric: int, pulls: int) -> float:
    """The sum of squared distances from the arm's mean; never zero unless the mean is."""
    mean = deficits[arm, metric] / pulls
    return float(max(squares[arm, metric] - pulls * mean * mean, 1e-12 * mean * mean))


def share_spreads(spreads: Floats, deficits: Floats, squares: Floats, pulls: Integers, noise: NoiseCodes) -> None:
    """Join what all arms say about the spread of each metric whose noise scale nobody declared."""
    for metric in range(spreads.shape[1]):
        if noise.kinds[metric] == SHARED_SCALE:
            total = 0.0
            freedom = 0.0
            for arm in range(pulls.shape[0]):
                if pulls[arm] > 1:
                    total += squares_around_mean(deficits, squares, arm, metric, pulls[arm])
                    freedom += pulls[arm] - 1.0
            variance = total / max(freedom, 1.0)
            unlike = unlikeness(deficits, squares, pulls, metric, variance) if variance > 0.0 else 0.0
            spreads[VARIANCE, metric] = variance
            spreads[WEIGHT, metric] = min(freedom, 2.0 / max(unlike, 2.0 / MOST_WEIGHT))


def first_sharing(arms: int) -> int:
    """After how many pulls in all to do that for the first time."""
    return arms + max(16, arms // 64)


def next_sharing(arms: int, total_pulls: int) -> int:
    """When to do it again, having done it now: seldom enough to cost nothing, since it takes a look at every arm."""
    return arms + 4 * (total_pulls - arms)


def unlikeness(deficits: Floats, squares: Floats, pulls: Integers, metric: int, variance: float) -> float:
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
            off = squares_around_mean(deficits, squares, arm, metric, pulls[arm]) / (d * variance) - 1.0
            excess += d * off * off - 2.0
            chance += 8.0 + 48.0 / d
            freedom += d
    return (excess - 2.0 * sqrt(chance)) / max(freedom, 1.0)


def needs_squares(noise: NoiseCodes) -> bool:
    """Whether sums of squares must be kept."""
    return bool((noise.kinds >= SAMPLED_SCALE).any())
