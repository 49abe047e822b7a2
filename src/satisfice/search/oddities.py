"""What may be odd about results, one after the other: when it is, how odd, what that means and what to do.

Each takes the running sums and the z that results which fit exceed with the allowed probability only, and gives its
number, or None. Drift and lag-1 autocorrelation are odd whatever was declared, and whatever the shape of results.
"""

from collections.abc import Callable
from math import asinh, erfc, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

from satisfice.layout.numbers import counted, percent, rounded
from satisfice.search.running_sums import (
    AT_LARGEST,
    COUNT,
    FIRST,
    LAGGED,
    LAGGED_SQUARES,
    LARGEST,
    MEAN,
    REPEATS,
    REPEATS_AT_LARGEST,
    SECOND,
    SIZE,
    SMALLEST,
    THIRD,
    TREND,
    Row,
)

ROUNDING = 1e-12
"""A standard deviation that is a smaller part of the mean is rounding."""

LEAST_SQUARES, MOST_SQUARES = 1e-140, 1e140
"""Between them the squares of what is summed up stay within the range of floating-point numbers."""

FAR = 2.0
"""How many times as far from the others' mean as any other result a first one must be: long tails alone make the
first one the farthest in one configuration of n."""

LARGE_SHARE = 0.1
"""One result with a tenth of the sum moves the mean by as much."""

MOSTLY = 0.5
"""Normal results that are rounded repeat each other that often only if the unit is twice their standard deviation."""

FEWEST_AT_CAP, CAP_SHARE, COARSE_SHARE = 5, 0.05, 0.02
"""A cap is where that many results and that share of them are exactly the largest, unless others repeat as well: in
more than 2 % of all, which rounded results do."""


class Oddity(NamedTuple):
    """`share` is its part of the false alarms; `of_normal`: it is odd only for what is taken for about normal.

    One that `explains` comes first, and those that would follow from it are then not told. A check that `fails` speaks
    against what the verdict rests on: one that is odd whatever was declared, or that contradicts a declared `normal`.
    `clause` says so in a line.
    """

    kind: str
    share: float
    number: Callable[[Row, float], float | None]
    words: Callable[[float, int], str]
    advice: str
    of_normal: bool = True
    explains: bool = False
    follows: bool = False
    fails: bool = True
    clause: str = "results are not normal as declared"


def spreads(row: Row) -> bool:
    """Whether results vary by more than rounding, and by numbers to compute with."""
    return LEAST_SQUARES < row[SECOND] < MOST_SQUARES and row[SECOND] > row[COUNT] * (ROUNDING * row[MEAN]) ** 2


def z_of_share(share: float, count: float) -> float:
    """The z of a regressor that takes that share of the sum of squares: Student's t as normal (Wallace 1959)."""
    freedom = count - 2.0
    left = max(1.0 - share, 1e-300)
    return (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) * sqrt(-freedom * log(min(left, 1.0)))


def share_of_one(row: Row, value: float) -> float:
    """The share of the sum of squares that one result takes beside the mean of the others."""
    return row[COUNT] / (row[COUNT] - 1.0) * (value - row[MEAN]) ** 2 / row[SECOND]


def drift(row: Row, z: float) -> float | None:
    """How many standard deviations the trend goes up over all results; two sides."""
    count = row[COUNT]
    if not spreads(row):
        return None
    steps = count * (count * count - 1.0) / 12.0
    share = min(row[TREND] ** 2 / (steps * row[SECOND]), 1.0)
    if z_of_share(share, count) < two_sided(z):
        return None
    around = max(row[SECOND] * (1.0 - share) / (count - 2.0), 1e-300)
    return row[TREND] / steps * (count - 1.0) / sqrt(around)


def autocorrelation(row: Row, z: float) -> float | None:
    """Of each result with the one before, if it is positive: by products of residuals over the root of their summed
    squares, which few large results that happen to be neighbours do not make large (de la Pena 1999)."""
    if not spreads(row) or row[LAGGED] <= z * sqrt(row[LAGGED_SQUARES]):
        return None
    return min(row[LAGGED] / row[SECOND], 1.0)


def pooled_autocorrelation(lagged: float, squares: float, second: float, z: float) -> float | None:
    """The same of sums over all configurations, each about its own mean."""
    return min(lagged / second, 1.0) if second > LEAST_SQUARES and lagged > z * sqrt(squares) else None


def skewness(row: Row, z: float) -> float | None:
    """Of the sample, by D'Agostino's normal approximation (1970); two sides."""
    if not spreads(row):
        return None
    n = row[COUNT]
    found = sqrt(n) * row[THIRD] / row[SECOND] ** 1.5
    y = found * sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    b = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    w = sqrt(2.0 * (b - 1.0)) - 1.0
    as_normal = asinh(y / sqrt(2.0 / (w - 1.0))) / sqrt(0.5 * log(w))
    return found if abs(as_normal) >= two_sided(z) else None


def warm_up(row: Row, z: float) -> float | None:
    """How many standard deviations of the others the first result is above their mean; two sides."""
    if not spreads(row):
        return None
    count, first = row[COUNT], row[FIRST]
    mean = (row[COUNT] * row[MEAN] - first) / (count - 1.0)
    others = max(row[LARGEST] - mean, mean - row[SMALLEST])
    share = min(share_of_one(row, first), 1.0)
    if abs(first - mean) < FAR * others or z_of_share(share, count) < two_sided(z):
        return None
    around = max(row[SECOND] * (1.0 - share) / (count - 2.0), 1e-300)
    return (first - mean) / sqrt(around)


def largest(row: Row, z: float) -> float | None:
    """The share of the sum in the result that is farthest from the mean; any of them may be it."""
    if not spreads(row):
        return None
    farthest = max((row[FIRST], row[LARGEST], row[SMALLEST]), key=lambda value: abs(value - row[MEAN]))
    share = abs(farthest) / row[SIZE]
    of_any = -NormalDist().inv_cdf(max(tail(z) / (2.0 * row[COUNT]), 1e-300))
    odd = z_of_share(min(share_of_one(row, farthest), 1.0), row[COUNT]) >= of_any
    return share if odd and share >= LARGE_SHARE else None


def repeats(row: Row, z: float) -> float | None:
    """The share of results that are exactly as the one before: 0 if results are continuous."""
    share = (row[REPEATS] + row[REPEATS_AT_LARGEST]) / (row[COUNT] - 1.0)
    return share if share >= MOSTLY else None


def cap(row: Row, z: float) -> float | None:
    """The share of results that are exactly the largest, if hardly any others repeat."""
    count = row[COUNT]
    share = row[AT_LARGEST] / count
    many = row[AT_LARGEST] >= FEWEST_AT_CAP and share >= CAP_SHARE
    return share if many and row[REPEATS] <= COARSE_SHARE * count else None


def two_sided(z: float) -> float:
    """The z of half the probability."""
    return -NormalDist().inv_cdf(max(0.5 * tail(z), 1e-300))


def tail(z: float) -> float:
    """The probability of more than z, accurate however small it is, as 1 - P(at most z) is not."""
    return 0.5 * erfc(z * sqrt(0.5))


def _way(number: float) -> str:
    return "up" if number > 0.0 else "down"


CARRY_OVER = Oddity(
    "autocorrelation",
    0.05,
    autocorrelation,
    lambda r, n: (
        f"carries over: lag-1 autocorrelation {rounded(r, 2)} over {counted(n, 'result')}, so that they tell less "
        "than as many independent ones"
    ),
    "Reset what is left of the evaluation before (caches, queues, heat), pause in between, or make several one "
    "evaluation",
    of_normal=False,
    clause="results carry over",
)

POOLED_SHARE = 0.15
"""The part of the false alarms that the autocorrelation of all configurations together has, when a study ends."""

ALL = (
    Oddity(
        "repeats",
        0.0,
        repeats,
        lambda share, n: f"repeats itself: {percent(share)} of {counted(n, 'result')} are exactly as the one before",
        "Are results cached, or made with the same seed? What is always the same is ': exact', zeros and ones are "
        "': bernoulli', counts ': poisson', other steps ': bounded(LOW, HIGH)'",
        explains=True,
    ),
    Oddity(
        "warm_up",
        0.05,
        warm_up,
        lambda sds, n: (
            f"began with {rounded(abs(sds))} standard deviations {'more' if sds > 0.0 else 'less'} than the "
            f"other {counted(n - 1, 'result')}"
        ),
        "If that was warming up (caches, compilation, connections), let each evaluation warm up before it measures",
        explains=True,
        fails=False,
    ),
    Oddity(
        "cap",
        0.0,
        cap,
        lambda share, n: (
            f"is exactly its largest value in {percent(share)} of {counted(n, 'result')}, as if cut off there"
        ),
        "If a time limit or a queue cuts it off, the mean is too low: raise the limit, declare ': bounded(LOW, HIGH)', "
        "or limit a percentile below it, such as p95({0})",
        follows=True,
    ),
    Oddity(
        "drift",
        0.65,
        drift,
        lambda sds, n: f"drifts {_way(sds)}: by {rounded(abs(sds), 2)} standard deviations over {counted(n, 'result')}",
        "Something changes while you measure (heat, load, growing data, leaks): find it, or compare pairs with a "
        "baseline, '{0} <= baseline + 3%', where it cancels",
        of_normal=False,
        clause="results drift",
    ),
    CARRY_OVER,
    Oddity(
        "skew",
        0.05,
        skewness,
        lambda g, n: f"is skewed: {rounded(g, 2)} after {counted(n, 'result')}, where a normal distribution has 0",
        "A mean then takes many evaluations: limit a percentile, p95({0}), compare pairs with a baseline, or declare "
        "': spread(SD)'",
        follows=True,
    ),
    Oddity(
        "largest",
        0.03,
        largest,
        lambda share, n: f"has {percent(share)} of its sum in one of {counted(n, 'result')}",
        "A stall or a mistake? The mean hangs on how often that happens: look at that evaluation, limit a percentile, "
        "p95({0}), or declare ': spread(SD)'",
        follows=True,
    ),
)
"""In the order in which they are looked at; their shares of the false alarms add up to less than 1. A drift of one
standard deviation is the hardest to see, and has most of them; repeats and caps do not happen to continuous results."""
