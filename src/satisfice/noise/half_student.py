"""Evidence that a mean is above theta when the noise is normal and its scale is not known.

Let S = sum of (x - theta), Q = sum of (x - theta)^2 and u = S/sqrt(Q). Give the scale the right Haar measure
d(scale)/scale on both sides of the likelihood ratio of "mean = theta + d scale" to "mean = theta". With 1/scale =
V/sqrt(Q) it is

    E_d = E exp(d u V - n d^2/2),    V chi-distributed with n degrees of freedom,

the likelihood ratio of the scale-free data x_1/|x_1|, x_2/|x_1|, ... (Lai 1976), hence a martingale of *their*
filtration at mean = theta, whatever the scale. Average it over a half-normal d of precision c (density as in
`normal`): first over d, which gives 2 sqrt(c/(n + c)) exp(u^2 V^2/(2 (n + c))) Phi(u V/sqrt(n + c)), then over V,
where the exponential turns V into V/sqrt(1 - y), y = u^2/(n + c), and a factor (1 - y)^(-n/2) comes out. What is left
is the chance that a normal variable is below u V/sqrt(n + c - u^2), a Student one. So

    E = sqrt(c/(n + c)) (1 - y)^(-n/2) 2 F_n(t),    t = sqrt(n) u/sqrt(n + c - u^2),

F_n being Student's distribution function with n degrees of freedom. Without 2 F_n it is the two-sided t-mixture of
Wang and Ramdas (2023).

* |u| <= sqrt(n) (Cauchy and Schwarz), so n + c - u^2 >= c: rounding is clipped to that.
* E is increasing and convex in u, even its logarithm is: it is an average of exponentials in u with d V > 0.
* Mean below theta: subtract the difference from every result. The spread stays, every S falls, u falls, and E with
  it: the path is below that of a mean at theta. Both are statements about an arm's whole tape, so they hold for any
  sampling rule; but given the *raw* past E is no supermartingale. Never average or multiply it with evidence from
  elsewhere, unless that is independent of it (`stopping.error_budget`).
* Q = 0 has probability zero for every normal distribution. u is 0 then: no evidence either way.

Precisions 1 and 200: an unknown scale makes the first few pulls dear, since E <= 2 ((n + c)/c)^((n - 1)/2) whatever
the results. Pulls until ln E >= ln 1000, relative to the sequential test that knows gap and scale (1500 paths; in
brackets the pulls themselves):

    gap            .01   .05   .1    .2    .5         1          2          5          10
    1 and 200      1.39  1.20  1.21  1.30  1.38 (79)  1.67 (26)  2.9 (12)   7.5 (8.6)  (8)
    4 and 500      1.32  1.19  1.25  1.28  1.36 (77)  1.81 (28)  3.6 (16)   11 (12)    (12)
    20 and 600     1.29  1.17  1.20  1.23  1.53 (87)  2.48 (38)  5.9 (25)   19 (22)    (21)
    known scale    1.32  1.19  1.25  1.26  1.22 (70)  1.30 (20)  1.6 (6.7)  2.0 (2.3)  (1)
"""

from math import exp, expm1, inf, log, log1p, pi, sqrt
from typing import NamedTuple

from satisfice.noise.half_normal import ROUNDING, log_average_of_two


class Mixture(NamedTuple):
    """Two half-normal distributions of the gap, by their precisions, and the share of the one for large gaps."""

    large_gaps: float
    small_gaps: float
    share: float


EARLY = Mixture(1.0, 200.0, 0.5)
"""For decisions after a handful of results, where they are clear."""

LN_3_OVER_2 = log(1.5)
SQRT_PI = sqrt(pi)


LEAST_SPREAD = 1e-290
"""A sum of squares below it has lost its digits: it says nothing about a spread."""


def scale_free_ratio(total: float, squares: float) -> float:
    """u = S/sqrt(Q), all that the evidence needs besides the number of pulls; 0 where all results equal theta."""
    return total / sqrt(squares) if squares >= LEAST_SPREAD else 0.0


def log_evidence_student(pulls: int, ratio: float, mixture: Mixture = EARLY) -> float:
    """ln E_n for `ratio` = u: increasing in it."""
    gammas = gamma_ratio(pulls)
    return log_average_of_two(
        log_half_student(pulls, ratio, mixture.large_gaps, gammas) + log(2.0 * mixture.share),
        log_half_student(pulls, ratio, mixture.small_gaps, gammas) + log(2.0 - 2.0 * mixture.share),
    )


def log_half_student(pulls: int, ratio: float, precision: float, gammas: float) -> float:
    """ln of the mixture with one precision: exact for u >= 0, and a lower bound for u far below 0."""
    spread = pulls + precision
    square = min(ratio * ratio, 1.0 * pulls)
    log_rest = _log_rest(square, spread)
    growth = -0.5 * pulls * log_rest
    scale = -0.5 * log1p(pulls / precision)
    if ratio >= 0.0:
        return scale + growth + log1p(central_probability(pulls, square / spread, growth, gammas))
    if growth < 12.0:
        return scale + growth + log1p(-central_probability(pulls, square / spread, growth, gammas))
    # 1 - central has lost its digits. P(T > t) >= f(t) (1 + t^2/n) t/(n/(n + 2) + t^2), where f is Student's density:
    # the right side goes to 0 at infinity and falls no faster than f.
    t_square = pulls * square / (spread - square)
    density = 2.0 * gammas / sqrt(pi * pulls)
    return scale - 0.5 * log_rest + log(density * sqrt(t_square) / (pulls / (pulls + 2.0) + t_square))


def central_probability(pulls: int, y: float, growth: float, gammas: float) -> float:
    """P(|T| <= t) for Student's T with n degrees of freedom, y = t^2/(n + t^2) and (1 - y)^(n/2) = exp(-growth).

    The incomplete beta function I_y(1/2, n/2) as a series of positive terms (DLMF 8.17.8): what is cut off only lowers
    it. Its distance from 1 is at most exp(-growth), since P(Z > k V) <= E exp(-k^2 V^2/2)/2 for k >= 0.
    """
    if growth > 40.0:
        return 1.0
    term = 1.0
    total = 1.0
    numerator = pulls + 1.0
    denominator = 3.0
    while term > 1e-17 * total:
        term *= y * numerator / denominator
        total += term
        numerator += 2.0
        denominator += 2.0
    return min(1.0, 2.0 * gammas * sqrt(y) * exp(-growth) * total / SQRT_PI)


def gamma_ratio(pulls: int) -> float:
    """Gamma((n + 1)/2)/Gamma(n/2), from Stirling's series for n >= 60 and by its recurrence below."""
    factor = 1.0
    n = 1.0 * pulls
    while n < 60.0:
        factor *= n / (n + 1.0)
        n += 2.0
    z = 2.0 / n
    z2 = z * z
    correction = z * (-1.0 / 8.0 + z2 * (1.0 / 192.0 + z2 * (-1.0 / 640.0 + z2 * (17.0 / 14336.0))))
    return factor * sqrt(0.5 * n) * exp(correction)


def ratio_needed_student(pulls: int, level: float, mixture: Mixture = EARLY) -> float:
    """The smallest u with ln E_n >= level, rounded up, for level >= 0 (for one that u = 0 reaches: 0).

    Infinite where no results could suffice after so few pulls. Newton's method as in `normal`.
    """
    gammas = gamma_ratio(pulls)
    slack = ROUNDING * (24.0 + abs(level))
    target = level + slack
    most = sqrt(1.0 * pulls)
    if log_evidence_student(pulls, most, mixture) < target:
        return inf
    ratio = min(
        _enough(pulls, target - log(mixture.share), mixture.large_gaps),
        _enough(pulls, target - log(1.0 - mixture.share), mixture.small_gaps),
    )
    for _ in range(60):
        excess = log_evidence_student(pulls, ratio, mixture) - target
        if excess <= slack or ratio <= 0.0:
            break
        ratio = max(0.0, ratio - excess / _slope(pulls, ratio, mixture, gammas))
    step = ratio * ROUNDING
    while step > 0.0 and log_evidence_student(pulls, ratio, mixture) < target:
        ratio += step
        step += step
    ratio += ratio * ROUNDING  # u itself is rounded, and for few pulls a unit of its last place is worth many of ln E
    return ratio if ratio <= most else inf


def _log_rest(square: float, spread: float) -> float:
    """ln(1 - y), y = square/spread."""
    return log1p(-square / spread) if square < 0.5 * spread else log((spread - square) / spread)


def _enough(pulls: int, level: float, precision: float) -> float:
    """A u at which one mixture reaches the level if any u does.

    2 F_n(t) >= 2 - (1 - y)^(n/2), so A (2 X - 1) is below E for A = sqrt(c/(n + c)) and X = (1 - y)^(-n/2), and
    X = (3/2) e^level/A suffices as long as e^level/A >= 1.
    """
    log_needed = max(0.0, level + 0.5 * log1p(pulls / precision)) + LN_3_OVER_2
    return sqrt(min(1.0 * pulls, -(pulls + precision) * expm1(-2.0 * log_needed / pulls)))


def _slope(pulls: int, ratio: float, mixture: Mixture, gammas: float) -> float:
    """The derivative of ln E_n in u >= 0."""
    first = log_half_student(pulls, ratio, mixture.large_gaps, gammas)
    second = log_half_student(pulls, ratio, mixture.small_gaps, gammas)
    odds = (1.0 - mixture.share) / mixture.share
    share = 1.0 / (1.0 + odds * exp(min(second - first, 700.0)))
    of_first = _half_student_slope(pulls, ratio, mixture.large_gaps, gammas)
    of_second = _half_student_slope(pulls, ratio, mixture.small_gaps, gammas)
    return share * of_first + (1.0 - share) * of_second


def _half_student_slope(pulls: int, ratio: float, precision: float, gammas: float) -> float:
    spread = pulls + precision
    square = min(ratio * ratio, 1.0 * pulls)
    growth = -0.5 * pulls * _log_rest(square, spread)
    rest = (spread - square) / spread
    central = central_probability(pulls, square / spread, growth, gammas)
    of_central = 2.0 * gammas * exp(-growth) / (rest * SQRT_PI * sqrt(spread))
    return pulls * ratio / (spread - square) + of_central / (1.0 + central)
