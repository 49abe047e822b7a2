"""Normal noise of unknown scale: a mixture over effect sizes, free of the scale (`half_student`).

To choose by, Student's t is moved to where a normal variable is as rare. Arms lend each other what they know of their
spread, which steers the search and decides nothing: evidence is made of an arm's own results.
"""

from math import log1p, sqrt

from satisfice.arrays import Floats
from satisfice.noise.half_normal import LN2
from satisfice.noise.half_student import (
    EARLY,
    LEAST_SPREAD,
    Mixture,
    log_evidence_student,
    ratio_needed_student,
    scale_free_ratio,
)
from satisfice.noise.process import TOLERANCE, Numbers

UNIT_ROUNDING = 4e-16
"""Of one operation, several times over."""


def squares_around_limit(pulls: int, deficit: float, squares: float, tolerance: float) -> float:
    """The sum of (deficit - tolerance)^2 over the pulls, rounded up, from the sums of deficits and of their squares.

    Made larger by what rounding may have taken off it: with less noise than a part in 10^7 of the tolerance nothing but
    rounding would be left of the difference, and too small a spread is too much evidence.
    """
    exact = squares - tolerance * (2.0 * deficit - pulls * tolerance)
    return exact + UNIT_ROUNDING * pulls * (squares + pulls * tolerance * tolerance)


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    spread = squares_around_limit(pulls, deficit, more[0], numbers[TOLERANCE])
    return log_evidence_student(pulls, scale_free_ratio(pulls * numbers[TOLERANCE] - deficit, spread))


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_evidence_student(pulls, scale_free_ratio(deficit, more[0]))


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return ratio_needed_student(pulls, level) ** 2


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    total = pulls * numbers[TOLERANCE] - deficit
    spread = squares_around_limit(pulls, deficit, more[0], numbers[TOLERANCE])
    return total > 0.0 and spread >= LEAST_SPREAD and total * total >= need * spread


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return deficit > 0.0 and more[0] >= LEAST_SPREAD and deficit * deficit >= need * more[0]


def most(pulls: int, total: float, squares: float, mixture: Mixture = EARLY) -> float:
    """An upper bound of ln of the evidence, since 2 F <= 2 in either mixture."""
    if total <= 0.0:
        return LN2
    square = min(total * total / squares, 1.0 * pulls) if squares >= LEAST_SPREAD else 0.0
    large = pulls * log1p(-square / (pulls + mixture.large_gaps)) + log1p(pulls / mixture.large_gaps)
    small = pulls * log1p(-square / (pulls + mixture.small_gaps)) + log1p(pulls / mixture.small_gaps)
    return LN2 - 0.5 * min(large, small)


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    spread = squares_around_limit(pulls, deficit, more[0], numbers[TOLERANCE])
    return most(pulls, pulls * numbers[TOLERANCE] - deficit, spread)


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, deficit, more[0])


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    mean = deficit / pulls
    around_mean = squares_around_mean(pulls, deficit, more[0])
    sd = sqrt((around_mean + mean * mean) / pulls)  # with one pull, the only scale in sight
    freedom = pulls - 1.0
    if weight > 0.0:
        freedom += weight
        around_mean += weight * variance
        sd = sqrt(around_mean / freedom)
    return student_margin(-mean, around_mean, freedom, pulls), sd


def squares_around_mean(pulls: int, deficit: float, squares: float) -> float:
    """The sum of squared distances from the arm's mean; never zero unless the mean is."""
    mean = deficit / pulls
    return float(max(squares - pulls * mean * mean, 1e-12 * mean * mean))


def student_margin(mean: float, around_mean: float, freedom: float, pulls: int) -> float:
    """Student's t over the root of the pulls, moved to where a normal variable is as rare (Wallace 1959)."""
    if mean == 0.0 or around_mean <= 0.0:
        return 0.0
    if freedom == 0.0:
        return 0.5 if mean > 0.0 else -0.5
    score = sqrt(freedom * log1p(pulls * mean * mean / around_mean)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    found = score / sqrt(1.0 * pulls)
    return found if mean > 0.0 else -found
