"""Whether the evidence about an arm suffices: comparisons with tables, and evidence computed anew where needed."""

from collections.abc import Sequence
from math import exp, inf, log1p

from satisfice.arrays import Floats
from satisfice.noise.capital import log_evidence_moments
from satisfice.noise.coins import log_evidence_bernoulli
from satisfice.noise.half_normal import log_evidence_normal
from satisfice.noise.half_student import log_evidence_student, scale_free_ratio
from satisfice.noise.mixtures import LN2

KNOWN_SCALE, UNKNOWN_SCALE, ZERO_OR_ONE, BOUNDED = 0, 1, 2, 3
"""Which e-process a metric has."""

KIND, TOLERANCE, ORIGIN, UNIT = 0, 1, 2, 3
"""The columns of a judge's constants."""

ACCEPTING, REJECTING = 0, 1

UNIT_ROUNDING = 4e-16
"""Of one operation, several times over."""


def squares_rounded_up(pulls: int, squares: float, terms: float) -> float:
    """A sum of squares that is a difference of sums, made larger by what rounding may have taken off it.

    `terms` is the size of what was added and subtracted, summed over so many pulls. With less noise than a part in 10^7
    of the tolerance nothing but rounding would be left of the difference, and too small a spread is too much evidence.
    """
    return squares + UNIT_ROUNDING * pulls * terms


def squares_around_limit(pulls: int, deficit: float, square: float, tolerance: float) -> float:
    """The sum of (deficit - tolerance)^2 over the pulls, rounded up, from the sums of deficits and of their squares."""
    exact = square - tolerance * (2.0 * deficit - pulls * tolerance)
    return squares_rounded_up(pulls, exact, square + pulls * tolerance * tolerance)


def squares_from_zero(pulls: int, below: float, square: float, origin: float) -> float:
    """The sum of (origin - below)^2 over the pulls, rounded up, from the sums of what is below and of its squares."""
    level = pulls * origin * origin
    return squares_rounded_up(pulls, level - 2.0 * origin * below + square, level + square)


def all_certain(
    constants: Floats,
    tables: Floats,
    bets: Floats,
    ratios: Floats,
    level: float,
    deficits: Floats,
    squares: Floats,
    latched: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether every metric of the arm has been within tolerance beyond doubt at some time; remembered in `latched`."""
    certain = True
    for metric in range(deficits.shape[1]):
        if latched[arm, metric] == 0.0:
            kind = constants[metric, KIND]
            tolerance = constants[metric, TOLERANCE]
            deficit = deficits[arm, metric]
            margin = pulls * tolerance - deficit
            need = tables[ACCEPTING, metric, pulls]
            if ratios.shape[0] > 0 and kind == KNOWN_SCALE:
                need *= ratios[arm, metric]
            enough = margin >= need
            if kind == UNKNOWN_SCALE:
                spread = squares_around_limit(pulls, deficit, squares[arm, metric], tolerance)
                enough = margin > 0.0 and margin * margin >= need * spread
            elif kind != KNOWN_SCALE:
                origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
                if kind == ZERO_OR_ONE:
                    enough = pulls * origin - unit * deficit + 0.5 > need
                else:
                    theta = origin - unit * tolerance
                    enough = bounded_above(pulls, deficit, squares[arm, metric], origin, unit, theta, level, bets)
            if enough:
                latched[arm, metric] = 1.0
            else:
                certain = False
    return certain


def hopeless(
    constants: Floats,
    tables: Floats,
    bets: Floats,
    ratios: Floats,
    level: float,
    product_level: float,
    noise_scale: float,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether some mean of the arm misses its threshold beyond doubt.

    `product_level` is infinite unless the metrics were declared independent.
    """
    doubtful = False
    certain = False
    for metric in range(deficits.shape[1]):
        kind = constants[metric, KIND]
        deficit = deficits[arm, metric]
        need = tables[REJECTING, metric, pulls]
        if kind == KNOWN_SCALE:
            if ratios.shape[0] > 0:
                need *= ratios[arm, metric]
            doubtful |= deficit >= need
        elif kind == UNKNOWN_SCALE:
            certain |= deficit > 0.0 and deficit * deficit >= need * squares[arm, metric]
        else:
            origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
            if kind == ZERO_OR_ONE:
                doubtful |= pulls - pulls * origin + unit * deficit + 0.5 > need
            else:
                doubtful |= unit * deficit > level * (1.0 - origin)
    if doubtful and not certain:
        certain = average_reaches(constants, bets, ratios, level, noise_scale, deficits, squares, arm, pulls)
    if product_level < inf and not certain:
        certain = product_level <= log_product_below(
            constants, bets, ratios, noise_scale, deficits, squares, arm, pulls
        )
    return certain


def log_product_below(
    constants: Floats,
    bets: Floats,
    ratios: Floats,
    noise_scale: float,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
) -> float:
    """ln of the product of all metrics' evidence against the arm: evidence only if they are independent."""
    total = 0.0
    for metric in range(deficits.shape[1]):
        kind = constants[metric, KIND]
        deficit = deficits[arm, metric]
        square = squares[arm, metric] if squares.shape[0] > 0 else 0.0
        if kind == UNKNOWN_SCALE:
            total += log_evidence_student(pulls, scale_free_ratio(deficit, square))
        else:
            scale = noise_scale * ratios[arm, metric] if ratios.shape[0] > 0 else noise_scale
            origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
            total += evidence_below(kind, pulls, deficit, square, scale, origin, unit, bets)
    return total


def average_reaches(
    constants: Floats,
    bets: Floats,
    ratios: Floats,
    level: float,
    noise_scale: float,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether the average evidence against the arm, of the metrics that may be averaged, reaches the level."""
    total = 0.0
    averaged = 0
    for metric in range(deficits.shape[1]):
        kind = constants[metric, KIND]
        if kind != UNKNOWN_SCALE:
            averaged += 1
            square = squares[arm, metric] if kind == BOUNDED else 0.0
            origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
            scale = noise_scale * ratios[arm, metric] if ratios.shape[0] > 0 else noise_scale
            evidence = evidence_below(kind, pulls, deficits[arm, metric], square, scale, origin, unit, bets)
            total += exp(min(evidence - level, 700.0))
    return total >= averaged


def bounded_above(
    pulls: int, deficit: float, square: float, origin: float, unit: float, theta: float, level: float, bets: Floats
) -> bool:
    """Whether bounded results, rescaled to [0, 1], have a mean above theta beyond doubt."""
    total = pulls * origin - unit * deficit
    if theta > 0.0 and total <= pulls * theta + level * theta:
        return False  # ln(1 + l (x - theta)) <= l (x - theta) and l < 1/theta
    squares = squares_from_zero(pulls, unit * deficit, unit * unit * square, origin)
    return log_evidence_moments(pulls, total, squares, theta, bets[0], bets[1]) >= level


def evidence_below(
    kind: float,
    pulls: int,
    deficit: float,
    square: float,
    noise_scale: float,
    origin: float,
    unit: float,
    bets: Floats,
) -> float:
    """ln of the evidence that the metric's mean is below its threshold, for kinds whose evidence may be averaged."""
    if kind == KNOWN_SCALE:
        return log_evidence_normal(pulls, deficit / noise_scale)
    failed = pulls - pulls * origin + unit * deficit  # the sum of 1 - x
    if kind == ZERO_OR_ONE:
        return log_evidence_bernoulli(pulls, int(failed + 0.5), 1.0 - origin, bets[0], bets[1])
    rest = 1.0 - origin
    squares = squares_from_zero(pulls, -unit * deficit, unit * unit * square, rest)
    return log_evidence_moments(pulls, failed, squares, 1.0 - origin, bets[0], bets[1])


def evidence_within(
    kind: float,
    pulls: int,
    deficit: float,
    square: float,
    tolerance: float,
    noise_scale: float,
    origin: float,
    unit: float,
    bets: Floats,
) -> float:
    """ln of the evidence that the metric's mean is within its tolerance, for any kind."""
    margin = pulls * tolerance - deficit
    if kind == KNOWN_SCALE:
        return log_evidence_normal(pulls, margin / noise_scale)
    if kind == UNKNOWN_SCALE:
        return log_evidence_student(
            pulls, scale_free_ratio(margin, squares_around_limit(pulls, deficit, square, tolerance))
        )
    total = pulls * origin - unit * deficit
    theta = origin - unit * tolerance
    if kind == ZERO_OR_ONE:
        return log_evidence_bernoulli(pulls, int(total + 0.5), theta, bets[0], bets[1])
    squares = squares_from_zero(pulls, unit * deficit, unit * unit * square, origin)
    return log_evidence_moments(pulls, total, squares, theta, bets[0], bets[1])


def most_evidence(
    kind: float,
    pulls: int,
    sum_above: float,
    square: float,
    noise_scale: float,
    theta: float,
    precisions: Sequence[float],
) -> float:
    """At least ln of the evidence, in a few operations: by leaving away 2 Phi <= 2, or by the best bet in hindsight.

    `sum_above` is the sum of (x - theta), in deficits for normal noise, else after rescaling to [0, 1].
    """
    if sum_above <= 0.0:
        return LN2
    if kind == KNOWN_SCALE:
        z = sum_above / noise_scale
        return LN2 + max(0.5 * (z * z / (pulls + r) - log1p(pulls / r)) for r in precisions)
    if kind == UNKNOWN_SCALE:
        y = min(sum_above * sum_above / square, 1.0 * pulls) if square > 0.0 else 0.0
        return LN2 - 0.5 * min(pulls * log1p(-y / (pulls + c)) + log1p(pulls / c) for c in precisions)
    if not 0.0 < theta < 1.0:
        return inf
    mean = min(theta + sum_above / pulls, 1.0)
    if kind == BOUNDED:  # ln(1 + l (x - theta)) is concave in x, and l < 1/theta
        return pulls * log1p((mean - theta) / theta)
    rest = (1.0 - mean) * log1p((theta - mean) / (1.0 - theta)) if mean < 1.0 else 0.0
    return pulls * (mean * log1p((mean - theta) / theta) + rest)
