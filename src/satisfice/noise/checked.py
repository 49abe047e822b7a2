"""Results of which nothing was declared: the evidence for normal ones, as far as their own shape bears it out.

Without an assumption about tails no test on a mean has power (Bahadur and Savage 1956), and Student's evidence
(`unknown_scale`) is too large where a long tail on the failing side has not shown itself yet. So it is capped:

    ln E = min(ln E_student, -n ln(1 - r) - ln 2, sqrt(n/c)/g),    0 at most with fewer than three different values.

* -n ln(1 - r) - ln 2: what happens in a share r of the evaluations has not happened in n of them with probability
  (1 - r)^n. At a level L = ln(1/a) that is a/2 at most. Where it has been seen Student's evidence may still err, with a
  probability of about a: one and a half times a together, which is what a shape may cost. (Without ln 2 both errors
  together were 1.7 times a where one result in ten is far off.)
* sqrt(n/c)/g: a level L takes n >= c L^2 g^2, with g the sample skewness where the longer tail is on the side that
  endangers the claim: failing results for `within`, passing ones for `below`. With the sums of the squares and cubes of
  the distances from the mean, M2 and M3, g^2 = n M3^2/M2^3 and the cap is sqrt(M2^3/c)/M3: n cancels.
* Few different values are no continuous law: constants have no spread at all until the other value comes.

Waiting is always valid: for normal results this is evidence because Student's is, and it costs next to nothing, for
what can decide nothing in the first results need not bet on gaps that a few of them would show (LATE). For others it is
approximate; docs/method/shapes.md has the error rates by shape, and what cannot be detected.

The sums are updated about the running mean (Welford 1962; Pebay 2008), so that a threshold far away costs no digits.
"""

from math import e, inf, log, log1p, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import rounded, written
from satisfice.noise.half_student import Mixture, log_evidence_student, ratio_needed_student, scale_free_ratio
from satisfice.noise.intervals import lower_limit_student
from satisfice.noise.mixtures import LN2
from satisfice.noise.normal import UNKNOWN_SCALE
from satisfice.noise.process import OWN, TOLERANCE, UNLIMITED, Claim, Gain, Interval, KnownGain, Numbers, Process, Sums
from satisfice.noise.shape_in_words import few_values_in_words, skewness_in_words
from satisfice.noise.unknown_scale import most as most_student
from satisfice.noise.unknown_scale import most_after as most_student_after

RAREST = 0.1
"""What happens in a tenth of the evaluations is seen before anything is decided, unless declared otherwise."""

PULLS_PER_SKEWNESS = 11.0
"""c: the least whole number with which no long tail to choose on is wrong more often than allowed.

Wrong over allowed at 5 % for c = 0, 8, 9, 11, 14, of 4,000 paths of 60,000 results, by Student's bets (`EARLY`):
lognormal(1) 3.3, 1.28, 1.20, 1.00, .78; Pareto(3) 4.1, 1.28, 1.13, .98, .75; exponential 1.5, .81, .75, .67, .58;
normal .5 for all. By the bets below, for c = 11, of 2,000 paths of 20,000 results: .81, .66, .77, .7, and 1.14 for
lognormal(.5), the worst to choose on. docs/method/shapes.md judges it on other shapes.
"""

LATE = Mixture(4.0, 200.0, 0.7)
"""The bets (`half_student`) of what decides after 36 results or more: none on gaps that a handful would show.

Evaluations over those of declared normal results at 5 %, gaps of .5, .4, .3, .2, .1 and .02 sd: 1.14, .99, .92, .92,
1.00, 1.05; with the bets of those, `EARLY`, 1.23, 1.12, 1.07, 1.03, 1.02, 1.01.
"""

FURTHER = (64, 16, 4)
"""Of so many further results it is asked whether they can reach a level."""

FEWEST_VALUES = 3
"""Two values are a coin's, one is no noise at all."""

SAME = 1e-12
"""Results that differ by a smaller part of themselves and of their threshold are the same, but for rounding."""

LEAST_SQUARES, MOST_SQUARES = 1e-190, 1e190
"""Between them neither M2^(3/2) nor M3 leaves the range of floating-point numbers."""

SHARE, ROOT, SIZE = OWN, OWN + 1, OWN + 2
"""The model's own numbers: -ln(1 - r), the root of c, and the threshold as a deficit, for what rounding is worth."""

COUNT, MEAN, SECOND, THIRD, DIFFERENT, VALUES = range(1, 7)
"""The further sums: how many results, their mean, M2, M3, how many different values (at most FEWEST_VALUES), and all
of them but the last."""

EXTRA = VALUES + FEWEST_VALUES - 1


class Checked(NamedTuple):
    """Nothing is declared; what happens in a share of `rarest` of the evaluations, or more, must have been seen."""

    rarest: float = RAREST

    @property
    def scale(self) -> None:
        return None

    @property
    def process(self) -> Process:
        return CHECKED

    def __str__(self) -> str:
        return "checked" if self.rarest == RAREST else f"checked({written(self.rarest)})"


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    pulls = more[COUNT] + 1.0
    off = value - more[MEAN]
    step = off / pulls
    squared = off * step * (pulls - 1.0)
    if more[SECOND] + squared <= MOST_SQUARES:
        more[THIRD] += squared * step * (pulls - 2.0) - 3.0 * step * more[SECOND]
    more[SECOND] += squared
    more[MEAN] += step
    more[COUNT] = pulls
    if more[DIFFERENT] < FEWEST_VALUES:
        keep_value(more, value, SAME * (abs(value) + numbers[SIZE]))


def keep_value(more: Floats, value: float, rounding: float) -> None:
    """Count the value, and keep it for comparison, unless it is there already."""
    known = int(more[DIFFERENT])
    for place in range(VALUES, VALUES + known):
        if abs(value - more[place]) <= rounding:
            return
    if known < FEWEST_VALUES - 1:
        more[VALUES + known] = value
    more[DIFFERENT] += 1.0


def cap(pulls: int, more: Floats, numbers: Numbers, side: float) -> float:
    """The most that ln E may be, for a claim that long tails endanger on that side of the deficits."""
    if more[DIFFERENT] < FEWEST_VALUES or not LEAST_SQUARES <= more[SECOND] <= MOST_SQUARES:
        return 0.0
    by_share = numbers[SHARE] * pulls - LN2
    tail = numbers[ROOT] * side * more[THIRD]
    return float(by_share if tail <= 0.0 else min(by_share, more[SECOND] * sqrt(more[SECOND]) / tail))


def squares_around(pulls: int, total: float, more: Floats) -> float:
    """The sum of squared distances from a limit from which the distances themselves add up to `total`."""
    return float(more[SECOND] + total * total / pulls)


def student(pulls: int, total: float, more: Floats) -> float:
    return log_evidence_student(pulls, scale_free_ratio(total, squares_around(pulls, total, more)), LATE)


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return ratio_needed_student(pulls, level, LATE) ** 2


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    total = pulls * numbers[TOLERANCE] - deficit
    return min(student(pulls, total, more), cap(pulls, more, numbers, 1.0))


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return min(student(pulls, deficit, more), cap(pulls, more, numbers, -1.0))


def enough(pulls: int, total: float, more: Floats, numbers: Numbers, side: float, need: float) -> bool:
    """Student's test by its table; only where it is passed the level is made of `need` again, and asked of the cap."""
    if total <= 0.0 or total * total < need * squares_around(pulls, total, more):
        return False
    most = cap(pulls, more, numbers, side)
    return most > 0.0 and most >= log_evidence_student(pulls, sqrt(need), LATE)


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0, need)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, deficit, more, numbers, -1.0, need)


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    total = pulls * numbers[TOLERANCE] - deficit
    student_at_most = most_student(pulls, total, squares_around(pulls, total, more), LATE)
    return min(student_at_most, cap(pulls, more, numbers, 1.0))


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    student_at_most = most_student(pulls, deficit, squares_around(pulls, deficit, more), LATE)
    return min(student_at_most, cap(pulls, more, numbers, -1.0))


def gain(pulls: int, total: float, more: Floats, numbers: Numbers, level: float) -> Gain:
    """As many as cannot reach the level whatever they are: they are too few, or Student's evidence stays below it."""
    squares = squares_around(pulls, total, more)
    for further in FURTHER:
        by_share = numbers[SHARE] * (pulls + further) - LN2
        if by_share < level or most_student_after(pulls, total, squares, further, LATE) < level:
            return 1.0 / further, 0.0
    return UNLIMITED


def gain_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, level: float) -> Gain:
    return gain(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, level)


def gain_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, level: float) -> Gain:
    return gain(pulls, deficit, more, numbers, level)


def own_unit(more: Floats, slope: float, threshold: float) -> Floats:
    """The further sums of results, from those of deficits; values and mean as they are, not as distances."""
    found = more.copy()
    found[0] /= slope**2
    found[SECOND] /= slope**2
    found[THIRD] /= slope**3
    for place in (MEAN, *range(VALUES, EXTRA)):
        found[place] = threshold + more[place] / slope
    return found


def skewness(sums: Sums) -> float:
    """Of the sample, in the metric's own unit; 0 where there is no spread."""
    second = float(sums.more[SECOND])
    return sqrt(sums.pulls) * float(sums.more[THIRD]) / second**1.5 if second > LEAST_SQUARES else 0.0


def _checked(model: Checked) -> Checked:
    share = model.rarest
    if not is_number(share) or not 0.0 < float(share) <= RAREST:
        raise InvalidProblem(
            f"checked(SHARE) expects a number above 0 and at most {written(RAREST)}, got {shown(share)}: what happens "
            "in that share of the evaluations, or more, is seen before anything is decided."
        )
    return Checked(float(share))


def _constants(model: Checked, threshold: float, slope: float) -> tuple[float, ...]:
    return -log1p(-model.rarest), sqrt(PULLS_PER_SKEWNESS), abs(threshold * slope)


def _assumption(model: Checked) -> str:
    seen = f"1 in {rounded(1.0 / model.rarest, 4)} evaluations"
    return f"results have no rarer long tail than was seen (anything that happens in {seen} or more was seen)"


def _interval(model: Checked, sums: Sums, error_rate: float) -> Interval:
    """Student's limits, and none on a side on which the cap is below the level: the inversion of the evidence."""
    level = log(2.0 / error_rate)
    numbers = np.array((0.0, 0.0, *_constants(model, 0.0, 1.0)))
    mean, squares = sums.origin + sums.total / sums.pulls, float(sums.more[SECOND])
    capped = [cap(sums.pulls, sums.more, numbers, side) < level for side in (-1.0, 1.0)]
    return Interval(
        -inf if capped[0] else lower_limit_student(sums.pulls, 0.0, squares, mean, level, LATE),
        inf if capped[1] else -lower_limit_student(sums.pulls, 0.0, squares, -mean, level, LATE),
    )


def evaluations_for(level: float, skewed: float, rarest: float = RAREST) -> float:
    """How many results of a configuration it takes until the cap lets ln of the evidence reach a level."""
    return max((level + LN2) / -log1p(-rarest), PULLS_PER_SKEWNESS * (level * skewed) ** 2)


EXAMPLES = {"normal": 0.0, "exponential": 2.0, "lognormal(1)": (e + 2.0) * sqrt(e - 1.0)}
"""Skewnesses, to say what others than normal results cost."""


def _least_pulls(model: Checked, level: float) -> dict[str, float]:
    return {name: evaluations_for(level, skewed, model.rarest) for name, skewed in EXAMPLES.items()}


def _waiting(model: Checked, sums: Sums, claim: Claim) -> str | None:
    """Too few different values, or a skewness that normal results do not have, and for which there are too few results.

    The skewness of n normal results has the variance 6/n or less.
    """
    if sums.more[DIFFERENT] < FEWEST_VALUES:
        values = [float(value) for value in sums.more[VALUES : VALUES + int(sums.more[DIFFERENT])]]
        return few_values_in_words(values, sums.pulls) if sums.pulls * model.rarest >= 1.0 else None
    skewed = skewness(sums)
    needed = evaluations_for(claim.level, skewed, model.rarest)
    if claim.side * skewed <= sqrt(12.0 * claim.doubt / sums.pulls) or sums.pulls >= needed:
        return None
    return skewness_in_words(skewed, sums.pulls, needed, claim.metric)


CHECKED = UNKNOWN_SCALE._replace(
    name="checked",
    within=within,
    below=below,
    fold=fold,
    needed_within=needed,
    needed_below=needed,
    enough_within=enough_within,
    enough_below=enough_below,
    most_within=most_within,
    most_below=most_below,
    gain_within=KnownGain(within, gain_within),
    gain_below=KnownGain(below, gain_below),
    own_unit=own_unit,
    checked=_checked,
    constants=_constants,
    assumption=_assumption,
    condition=lambda model: "has no rarer long tail than was seen",
    interval=_interval,
    waiting=_waiting,
    least_pulls=_least_pulls,
    extra=EXTRA,
)
