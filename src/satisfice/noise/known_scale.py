"""Noise of known scale: normal or sub-Gaussian. The evidence is a mixture over bets (`half_normal`).

Every result x has E exp(l (x - mean)) <= exp(l^2 scale^2/2) for all l, with equality for normal noise.
"""

from math import frexp, inf, sqrt

from satisfice.arrays import Floats
from satisfice.noise.half_normal import (
    LN2,
    PRECISION_FOR_LARGE_GAPS,
    PRECISION_FOR_SMALL_GAPS,
    log_evidence_normal,
    total_needed_normal,
)
from satisfice.noise.process import SCALE, TOLERANCE, Numbers

ROOM = 1e-9
"""A range of calm is narrower by this part than it could be: far more than sums and bounds are rounded by."""
FAR = 1e300
"""No sum is as far away as that."""


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_evidence_normal(pulls, (pulls * numbers[TOLERANCE] - deficit) / (numbers[SCALE] * ratio))


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_evidence_normal(pulls, deficit / (numbers[SCALE] * ratio))


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return total_needed_normal(pulls, level)


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return bool(pulls * numbers[TOLERANCE] - deficit >= need * numbers[SCALE] * ratio)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return bool(deficit >= need * numbers[SCALE] * ratio)


def most(pulls: int, total: float) -> float:
    """At least ln of the evidence for the sum `total` in scales, since 2 Phi <= 2 in either mixture."""
    if total <= 0.0:
        return LN2
    square = total * total
    large = square / (pulls + PRECISION_FOR_LARGE_GAPS) - least_log(1.0 + pulls / PRECISION_FOR_LARGE_GAPS)
    small = square / (pulls + PRECISION_FOR_SMALL_GAPS) - least_log(1.0 + pulls / PRECISION_FOR_SMALL_GAPS)
    return LN2 + 0.5 * max(large, small)


def least_log(number: float) -> float:
    """At most ln of a number, by 0.06 or less: on the line from one power of two to the next, without a logarithm."""
    part, power = frexp(number)
    return LN2 * (power - 2.0 + 2.0 * part)


def needed_at_least(pulls: int, level: float, numbers: Numbers) -> float:
    """At most the sum in scales that `most` takes for the level, with whatever rounding."""
    rest = 2.0 * (level - LN2)
    if not rest > 0.0:
        return -inf
    large = (pulls + PRECISION_FOR_LARGE_GAPS) * (rest + least_log(1.0 + pulls / PRECISION_FOR_LARGE_GAPS))
    small = (pulls + PRECISION_FOR_SMALL_GAPS) * (rest + least_log(1.0 + pulls / PRECISION_FOR_SMALL_GAPS))
    return (1.0 - ROOM) * sqrt(min(large, small))


def between(
    pulls: int,
    last: int,
    need_within: float,
    need_below: float,
    least_total: float,
    numbers: Numbers,
    ratio: float,
) -> tuple[float, float]:
    """Needs of a sum never fall with more results, and the tolerance adds the more to it the more there are."""
    scale = numbers[SCALE] * ratio
    low = max(last * numbers[TOLERANCE] - need_within * scale, -FAR)
    high = min(need_below * scale, pulls * numbers[TOLERANCE] - least_total * scale, FAR)
    room = scale + last * numbers[TOLERANCE]
    return low + ROOM * (room + abs(low)), high - ROOM * (room + abs(high))


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, (pulls * numbers[TOLERANCE] - deficit) / (numbers[SCALE] * ratio))


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, deficit / (numbers[SCALE] * ratio))


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    sd = numbers[SCALE] * ratio
    return -(deficit / pulls) / sd, sd
