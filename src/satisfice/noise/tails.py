"""Sums that show the shape of results, and the level up to which their variance is trusted.

Let c = PULLS_PER_SKEWNESS. At a level L the variance counts c L^2 g^2/n times where that is more than once, so it is
trusted up to the level sqrt(n/c)/g. g is the larger of two numbers.

* The sample skewness, if the longer tail is on the side that endangers the claim. With the sums of the squares and
  cubes of the distances from the mean, M2 and M3, g^2 = n M3^2/M2^3.
* What both tails together ask for. As long as the failing tail has not shown itself, a heavy passing tail hides it:
  skewness is small or negative. Let F and P be the sums of the cubes of what fails and of what passes, in standard
  deviations, over n. Both are about 0.8 where results are normal, E|Z|^3/2. Then, with p = P - 0.8, halved where it is
  beyond 1, and f = F - 0.8,

      g = p + f                              if f <= 0: a short failing tail speaks for the claim
      g = p                                  if 0 < f <= 0.15, as chance makes it
      g = p + 5.5 (f - 0.15) min(1, P/0.8)   beyond: with one tail only P is small, and skewness says all

A metric with results of one sign only, with the failing tail towards zero, has a second bound. Standardised results of
at least -h have a skewness of at least 1/h - h, since E (Z + h)(Z - 1/h)^2 >= 0; so g is at most h - 1/h there, with
h = mean/sd. This takes for granted that results never change sign: the verdict says so where it matters.

The sums are updated about the running mean (Welford 1962; Pebay 2008), so that a threshold far away costs no digits.
Sums of |x - mean|^3 cannot be updated so. F and P are of the distances from the mean of the results *before*, times
sqrt((i - 1)/i) for the i-th: their squares add up to M2, and for normal results they are as independent and as wide as
the results are (recursive residuals: Brown, Durbin and Evans 1975).
"""

from math import inf, sqrt

from satisfice.arrays import Floats
from satisfice.noise.process import OWN, Numbers

PULLS_PER_SKEWNESS = 12.5
"""c. Wrong over allowed at 5 % for c = 8, 11, 13, 15, 17 by skewness alone, of 2,000 paths of 20,000 results:
lognormal(.5) 1.20, 1.09, 1.03, .96, .94; lognormal(1) 1.10, .81, .67, .57, .53; Pareto(3) 1.34, 1.09, .91, .79, .66;
exponential .97, .84, .78, .72, .64; normal .62 for all. Variances that count (c L^2 g^2/n)^p times err more on heavier
tails with p = 1/3 (as though noise without skewness were added), 1/2 and 3/4.
"""

ONE_SIDE = 0.8
"""F and P of normal results."""

BY_CHANCE = 0.15
"""By how much F may be larger before it counts: without it normal results took 2 to 5 % more evaluations."""

STEEP = 5.5
"""How much a longer failing tail counts beside a passing one.

Wrong over allowed at 5 and .44 % by skewness alone, and with 5 and 6, of 5,000 paths of 15,000 results (standard error
.07 and .2): skewed t (3 df, gamma 2) 1.55; 1.86, 1.41; 1.50, 1.27; 1.18. LN(1) less LN(.5), 1.72; 1.55, 1.42; 1.09,
1.20; .86. Skewed t (2.5 df, 1.5) 2.06; 4.23, 1.20; 1.27, .99; 1.27. Symmetric t with 3 df, passing by half an sd, takes
1.5 and 2.1 or 1.6 and 2.3 times as many evaluations as by skewness alone.
"""

SAME = 1e-9
"""Results that differ by a smaller part of themselves and of their threshold are the same, but for rounding."""

SPREAD_OF_ONE = 1e-3
"""Results that differ by a smaller part of their standard deviation count as one value: a coin's, with a jitter."""

FEWEST_VALUES = 3
"""Two values are a coin's, one is no noise at all."""

LEAST_SQUARES, MOST_SQUARES = 1e-190, 1e190
"""Between them neither M2^(3/2) nor M3 leaves the range of floating-point numbers."""

SHARE, ROOT, ZERO, RARER_SHARE = range(OWN, OWN + 4)
"""The model's own numbers: -ln(1 - r), the root of c, a result of 0 as a deficit, and -ln(1 - r/6)."""

COUNT, MEAN, SECOND, THIRD, ABOVE, BELOW, LOW, HIGH, MIDDLE = range(1, 10)
"""The further sums: how many results, their mean, M2, M3, the cubes of F and P or of P and F, the least and the largest
result, and of the others the one that is farthest from both, as far as is known."""

EXTRA = MIDDLE + 1


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    pulls = more[COUNT] + 1.0
    off = value - more[MEAN]
    step = off / pulls
    squared = off * step * (pulls - 1.0)
    if more[SECOND] + squared <= MOST_SQUARES:
        more[THIRD] += squared * step * (pulls - 2.0) - 3.0 * step * more[SECOND]
        more[ABOVE if off > 0.0 else BELOW] += squared * sqrt(squared)
    more[SECOND] += squared
    more[MEAN] += step
    more[COUNT] = pulls
    if pulls == 1.0:
        more[LOW] = more[HIGH] = more[MIDDLE] = value
    else:
        keep_ends(more, value)


def keep_ends(more: Floats, value: float) -> None:
    """Keep the value, or the end that it takes the place of, if it is farther from both ends than what was between."""
    low, high = more[LOW], more[HIGH]
    between = value
    if value < low:
        between, low = low, value
        more[LOW] = value
    elif value > high:
        between, high = high, value
        more[HIGH] = value
    if min(between - low, high - between) > min(more[MIDDLE] - low, high - more[MIDDLE]):
        more[MIDDLE] = between


def different(more: Floats, numbers: Numbers) -> int:
    """How many different values there are, at most FEWEST_VALUES."""
    low, high, middle = more[LOW], more[HIGH], more[MIDDLE]
    if high - low <= SAME * (max(abs(low), abs(high)) + abs(numbers[ZERO])):
        return 1
    near = max(SAME * (abs(middle) + abs(numbers[ZERO])), SPREAD_OF_ONE * sqrt(more[SECOND] / more[COUNT]))
    return 2 if min(middle - low, high - middle) <= near else FEWEST_VALUES


def has_spread(more: Floats, numbers: Numbers) -> bool:
    return bool(LEAST_SQUARES <= more[SECOND] <= MOST_SQUARES and different(more, numbers) >= FEWEST_VALUES)


def trusted_by_skewness(more: Floats, numbers: Numbers, side: float) -> float:
    """The level up to which skewness leaves the variance as it is, for a claim that tails on that side endanger."""
    tail = numbers[ROOT] * side * more[THIRD]
    return float(inf if tail <= 0.0 else more[SECOND] * sqrt(more[SECOND]) / tail)


def trusted_by_tails(more: Floats, numbers: Numbers, side: float) -> float:
    """The same by both tails: infinite where they ask for nothing."""
    asked = numbers[ROOT] * min(both_tails(more, side), most_skewness(more, numbers, side))
    return float(inf if asked <= 0.0 else sqrt(more[COUNT]) / asked)


def both_tails(more: Floats, side: float) -> float:
    """g by both tails, 0 or less where they ask for nothing."""
    cube = more[SECOND] * sqrt(more[SECOND] / more[COUNT])
    failing = more[ABOVE if side > 0.0 else BELOW] / cube - ONE_SIDE
    passing = more[BELOW if side > 0.0 else ABOVE] / cube - ONE_SIDE
    long = min(passing, 0.5 + 0.5 * passing)
    if failing <= BY_CHANCE:
        return float(long + min(failing, 0.0))
    return float(long + STEEP * (failing - BY_CHANCE) * min(1.0, passing / ONE_SIDE + 1.0))


def most_skewness(more: Floats, numbers: Numbers, side: float) -> float:
    """h - 1/h where all results are on one side of zero and what fails is towards it, else infinite.

    A threshold of zero says nothing about signs: a result beyond it would be all that is asked about.
    """
    zero = numbers[ZERO]
    room = zero - more[HIGH] if side > 0.0 else more[LOW] - zero
    if zero == 0.0 or room < 0.0:
        return inf
    sds = side * (zero - more[MEAN]) / sqrt(more[SECOND] / more[COUNT])
    return float(max(0.0, sds - 1.0 / sds)) if sds > 0.0 else inf
