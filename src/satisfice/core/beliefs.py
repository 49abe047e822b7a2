"""What is believed of an arm's means: normal approximations of their posteriors, good enough to choose by.

Validity never depends on them: they steer the search, the judge decides.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from satisfice.core.noise import Bernoulli, Bounded
from satisfice.core.problem import Direction, Problem
from satisfice.core.statistics import Floats, Integers

KNOWN_SCALE, BERNOULLI, SAMPLED_SCALE = 0, 1, 2


class NoiseCodes(NamedTuple):
    """How noisy one evaluation is in each metric, in units of deficits.

    `kinds` of shape (M,): KNOWN_SCALE has the scale `scales`; BERNOULLI that of the estimated chance, where a deficit
    is stretch * (passing chance at the threshold - share of passing results), with these `stretches` and `chances`;
    SAMPLED_SCALE that of the sample.
    """

    kinds: Integers
    scales: Floats
    stretches: Floats
    chances: Floats


def noise_codes(problem: Problem) -> NoiseCodes:
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
            if isinstance(model, Bounded) or model.scale is None
            else KNOWN_SCALE
        )
        scales.append(slope * (1.0 if model.scale is None else model.scale))
        chances.append(metric.threshold if at_least else 1.0 - metric.threshold)
    return NoiseCodes(np.array(kinds, dtype=np.int64), np.array(scales), slopes, np.array(chances))


def believe(strengths: Floats, deficits: Floats, squares: Floats, arm: int, pulls: int, noise: NoiseCodes) -> None:
    """Write the arm's strengths: its mean margins beyond the thresholds in units of one evaluation's noise."""
    for metric in range(strengths.shape[1]):
        mean = deficits[arm, metric] / pulls
        scale = noise.scales[metric]
        if noise.kinds[metric] == BERNOULLI:
            passing = pulls * (noise.chances[metric] - mean / noise.stretches[metric])
            chance = min(max((passing + 0.5) / (pulls + 1.0), 0.5 / (pulls + 1.0)), 1.0 - 0.5 / (pulls + 1.0))
            scale = noise.stretches[metric] * sqrt(chance * (1.0 - chance))
        elif noise.kinds[metric] == SAMPLED_SCALE:
            around_mean = max(squares[arm, metric] - pulls * mean * mean, 0.0)
            scale = sqrt((around_mean + mean * mean) / pulls)  # with one pull, the only scale in sight
        strengths[arm, metric] = -mean / scale if scale > 0.0 else 0.0


def needs_squares(noise: NoiseCodes) -> bool:
    """Whether sums of squares must be kept."""
    return bool((noise.kinds == SAMPLED_SCALE).any())
