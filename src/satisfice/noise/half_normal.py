"""Evidence that a mean is above theta when the noise is normal, or sub-Gaussian, with known scale.

Let S = sum of (x - theta)/scale over n pulls. For every l > 0, exp(l S - n l^2/2) is a supermartingale given the whole
past if the mean is at most theta, since E exp(l (x - theta)/scale) <= exp(l^2/2) then. So is its average over a
half-normal l of precision r (density 2 sqrt(r/(2 pi)) exp(-r l^2/2) on l > 0), which completing the square makes

    E = sqrt(r/(n + r)) exp(z^2/2) 2 Phi(z),    z = S/sqrt(n + r)

(Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021, one-sided normal mixture). Evidence that a mean is below theta
is the same function of -S.

The evidence here is the average of two such, a third of it with precision 6 and the rest with 300. A single precision
r is at its best for gaps around 1/sqrt(r) scales: it spends ln sqrt(n/(4 r)) nats on not having known the gap, and
r gap^2/2 nats on betting too small, so too large an r is dear for large gaps and too small an r is cheap for small
ones. Pulls until ln E >= ln 1000, relative to the sequential probability ratio test that knows the gap (1500 paths,
gaps in scales):

    gap           .01   .02   .05   .1    .2    .3    .5    .7    1     2
    6, 300        1.31  1.23  1.16  1.18  1.26  1.28  1.28  1.33  1.44  1.82
    4, 500 half   1.33  1.25  1.18  1.23  1.24  1.22  1.20  1.24  1.29  1.56
    20, 600 half  1.30  1.22  1.16  1.18  1.19  1.22  1.35  1.52  1.75  2.54
    30 alone      1.44  1.35  1.19  1.12  1.11  1.17  1.33  1.56  1.84  2.79

The precision with the smallest S at n is n/(2 level + ln(2 level) - 1) to within two percent for levels from 3 to 30
(found numerically): at levels from 5 to 8, 6 and 300 are tuned to 70 to 100 and to 3,300 to 5,300 pulls.

Averages of evidence, computed in logarithms so that nothing overflows.

If every E_j is a nonnegative supermartingale of one filtration that starts at 1, so is every average of them with
weights chosen beforehand, and Ville (1939) gives P(sup_n E >= 1/a) <= a.
"""

from math import erf, erfc, exp, inf, log, log1p, pi, sqrt

LN2 = log(2.0)


def log_average_of_two(first: float, second: float) -> float:
    """ln((e^first + e^second)/2)."""
    larger = max(first, second)
    if abs(larger) == inf:
        return larger
    return larger - LN2 + log1p(exp(min(first, second) - larger))


def log_mixture_of_two(first: float, second: float, share: float) -> float:
    """ln(share e^first + (1 - share) e^second)."""
    larger = max(first, second)
    if abs(larger) == inf:
        return larger
    return larger + log(share * exp(first - larger) + (1.0 - share) * exp(second - larger))


PRECISION_FOR_LARGE_GAPS = 6.0
PRECISION_FOR_SMALL_GAPS = 300.0
SHARE_FOR_LARGE_GAPS = 1.0 / 3.0
SHARE_FOR_SMALL_GAPS = 2.0 / 3.0

ROUNDING = 2e-15
"""Relative error of a logarithm of evidence as computed, generously: inverses aim this much too high."""
SQRT_HALF = sqrt(0.5)
SQRT_2_OVER_PI = sqrt(2.0 / pi)
HALF_LN_PI = 0.5 * log(pi)


def log_evidence_normal(pulls: int, total: float) -> float:
    """ln E_n for `total` = S: increasing and convex in it, and 0 before the first pull."""
    return log_mixture_of_two(
        log_half_normal(pulls, total, PRECISION_FOR_LARGE_GAPS),
        log_half_normal(pulls, total, PRECISION_FOR_SMALL_GAPS),
        SHARE_FOR_LARGE_GAPS,
    )


def log_half_normal(pulls: int, total: float, precision: float) -> float:
    """ln of the half-normal mixture with one precision."""
    return -0.5 * log1p(pulls / precision) + log_tilted_tail(total / sqrt(pulls + precision))


def log_tilted_tail(z: float) -> float:
    """z^2/2 + ln(2 Phi(z)), accurate for all z: for z < 0 it is ln(exp(x^2) erfc(x)) with x = -z/sqrt(2)."""
    if z >= 0.0:
        return 0.5 * z * z + log1p(erf(z * SQRT_HALF))
    x = -z * SQRT_HALF
    if x < 5.0:
        return 0.5 * z * z + log(erfc(x))
    # Laplace's continued fraction, erfc(x) = exp(-x^2)/sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))))
    rest = 0.0
    for k in range(24, 0, -1):
        rest = 0.5 * k / (x + rest)
    return -HALF_LN_PI - log(x + rest)


def total_needed_normal(pulls: int, level: float) -> float:
    """The smallest S with ln E_n >= level, rounded up, for level >= 0 (for one that S = 0 reaches: 0).

    Newton's method from the right of the root of an increasing convex function never leaves that side.
    """
    if level == inf:
        return inf
    slack = ROUNDING * (24.0 + abs(level))
    target = level + slack
    total = min(
        _enough(pulls, target - log(SHARE_FOR_LARGE_GAPS), PRECISION_FOR_LARGE_GAPS),
        _enough(pulls, target - log(SHARE_FOR_SMALL_GAPS), PRECISION_FOR_SMALL_GAPS),
    )
    for _ in range(60):
        first = log_half_normal(pulls, total, PRECISION_FOR_LARGE_GAPS)
        second = log_half_normal(pulls, total, PRECISION_FOR_SMALL_GAPS)
        excess = log_mixture_of_two(first, second, SHARE_FOR_LARGE_GAPS) - target
        if excess <= slack or total <= 0.0:
            break
        total = max(0.0, total - excess / _slope(pulls, total, second - first))
    step = total * ROUNDING
    while step > 0.0 and log_evidence_normal(pulls, total) < target:  # the last of Newton's steps may round down
        total += step
        step += step
    return total


def _enough(pulls: int, level: float, precision: float) -> float:
    """An S at which one half-normal mixture surely reaches the level, since 2 Phi(z) >= 1 for z >= 0."""
    return sqrt((pulls + precision) * max(0.0, 2.0 * level + log1p(pulls / precision)))


def _slope(pulls: int, total: float, apart: float) -> float:
    """The derivative of ln E_n in S >= 0, where ln of the second mixture less that of the first is `apart`."""
    share = 1.0 / (1.0 + SHARE_FOR_SMALL_GAPS / SHARE_FOR_LARGE_GAPS * exp(min(apart, 700.0)))
    of_first = _half_normal_slope(pulls, total, PRECISION_FOR_LARGE_GAPS)
    of_second = _half_normal_slope(pulls, total, PRECISION_FOR_SMALL_GAPS)
    return share * of_first + (1.0 - share) * of_second


def _half_normal_slope(pulls: int, total: float, precision: float) -> float:
    root = sqrt(pulls + precision)
    z = total / root
    return (z + SQRT_2_OVER_PI * exp(-0.5 * z * z) / (1.0 + erf(z * SQRT_HALF))) / root
