"""Results of which nothing was declared: the declaration, what it rests on, and what is said of results that wait.

The evidence is that of `checked_evidence`.
"""

from math import ceil, e, floor, inf, log, log1p, log10, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import rounded, written
from satisfice.noise.checked_evidence import (
    LATE,
    RARER,
    below,
    enough_below,
    enough_within,
    most_below,
    most_within,
    needed,
    seen,
    student,
    widened,
    within,
)
from satisfice.noise.half_student import ratio_needed_student
from satisfice.noise.intervals import lower_limit_student
from satisfice.noise.mixtures import LN2
from satisfice.noise.normal import UNKNOWN_SCALE
from satisfice.noise.process import Claim, Interval, Process, Sums
from satisfice.noise.protocol import NoiseModel, is_same
from satisfice.noise.shape_in_words import few_values_in_words, skewness_in_words, tails_in_words
from satisfice.noise.tails import (
    ABOVE,
    BELOW,
    EXTRA,
    FEWEST_VALUES,
    HIGH,
    LEAST_SQUARES,
    LOW,
    MEAN,
    MIDDLE,
    ONE_SIDE,
    PULLS_PER_SKEWNESS,
    RARER_SHARE,
    SECOND,
    SHARE,
    THIRD,
    both_tails,
    different,
    fold,
    has_spread,
    most_skewness,
    trusted_by_skewness,
    trusted_by_tails,
)
from satisfice.noise.undecidable import margin

FEWEST_TO_SAY_SO = 5
"""Results before it is said that they have too few different values."""

RAREST = 0.1
"""What happens in a tenth of the evaluations is seen before anything is decided, unless declared otherwise."""


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


UNDECLARED = Checked()
"""What is assumed about the results of a metric where nothing is declared."""


def is_undeclared(model: NoiseModel) -> bool:
    """Whether the model says no more than what is assumed anyhow."""
    return is_same(model, UNDECLARED)


def own_unit(more: Floats, slope: float, threshold: float) -> Floats:
    """The further sums of results in the metric's own unit, as distances from the threshold."""
    found, size = more.copy(), abs(slope)
    found[0] /= size**2
    found[SECOND] /= size**2
    found[THIRD] /= slope**3
    found[[ABOVE, BELOW]] /= size**3
    found[[MEAN, LOW, HIGH, MIDDLE]] /= slope
    if slope < 0.0:
        found[[ABOVE, BELOW, LOW, HIGH]] = found[[BELOW, ABOVE, HIGH, LOW]]
    return found


def skewness(sums: Sums) -> float:
    """Of the sample, in the metric's own unit; 0 where there is no spread."""
    second = float(sums.more[SECOND])
    return sqrt(sums.pulls) * float(sums.more[THIRD]) / second**1.5 if second > LEAST_SQUARES else 0.0


def length_of_tails(sums: Sums) -> float:
    """How far E|z|^3 is above that of normal results."""
    cube = sqrt(float(sums.more[SECOND]) ** 3 / sums.pulls)
    return float(sums.more[ABOVE] + sums.more[BELOW]) / cube - 2.0 * ONE_SIDE


def _checked(model: Checked) -> Checked:
    share = model.rarest
    if not is_number(share) or not 0.0 < float(share) <= RAREST:
        raise InvalidProblem(
            f"checked(SHARE) expects a number above 0 and at most {written(RAREST)}, got {shown(share)}: what happens "
            "in that share of the evaluations, or more, is seen before anything is decided."
        )
    return Checked(float(share))


def _constants(model: Checked, threshold: float, slope: float) -> tuple[float, ...]:
    rates = (-log1p(-share) for share in (model.rarest, RARER * model.rarest))
    return next(rates), sqrt(PULLS_PER_SKEWNESS), -threshold * slope, next(rates)


def _own_numbers(model: Checked, sums: Sums) -> Floats:
    """The constants that sums in the metric's own unit go with."""
    return np.array((0.0, 0.0, *_constants(model, sums.origin, 1.0)))


def _assumption(model: Checked) -> str:
    seen = f"1 in {rounded(1.0 / model.rarest, 4)} evaluations"
    return f"results have no rarer long tail than was seen (anything that happens in {seen} or more was seen)"


def _interval(model: Checked, sums: Sums, error_rate: float) -> Interval:
    """Student's limits, with the spread that counts at their level: the inversion of the evidence."""
    level = log(2.0 / error_rate)
    numbers = _own_numbers(model, sums)
    mean, scatter = sums.origin + sums.total / sums.pulls, float(sums.more[SECOND])

    def lower(side: float) -> float:
        """The lower limit of the mean, or where the side is 1 of its negative."""
        if not has_spread(sums.more, numbers):
            return -inf
        skewed = trusted_by_skewness(sums.more, numbers, side)
        if seen(sums.pulls, numbers[SHARE if level <= skewed else RARER_SHARE]) < level:
            return -inf
        trust = min(skewed, trusted_by_tails(sums.more, numbers, side))
        return lower_limit_student(sums.pulls, 0.0, widened(scatter, level, trust), -side * mean, level, LATE)

    return Interval(lower(-1.0), -lower(1.0))


def evaluations_for(level: float, skewed: float, margin: float, rarest: float = RAREST, *, tails: float = 0.0) -> float:
    """About how many results of a configuration it takes until ln of the evidence reaches a level.

    Results have the skewness `skewed`, both tails ask for what a skewness of `tails` would, and the mean is `margin`
    standard deviations away from its limit.
    """
    for_skewness, for_shape = (PULLS_PER_SKEWNESS * (level * each) ** 2 for each in (skewed, max(skewed, tails)))
    fewest, of_rarer = (ceil((level + LN2) / -log1p(-share)) for share in (rarest, RARER * rarest))
    pulls, gap = float(fewest), max(margin * margin, LEAST_GAP)
    for _ in range(APPROACHES):  # what is needed hardly depends on the number of results
        need = ratio_needed_student(int(pulls), level, LATE) ** 2
        pulls = need * (1.0 + 1.0 / gap)
        if pulls < for_shape:
            pulls = min(for_shape, 0.5 * (need + sqrt(need * need + 4.0 * need * for_shape / gap)))
        if pulls < for_skewness:
            pulls = min(for_skewness, max(pulls, of_rarer))
        pulls = min(max(pulls, fewest), MOST_FORESEEN)
    return pulls


APPROACHES, LEAST_GAP, MOST_FORESEEN = 4, 1e-12, 1e9
"""How often the number is put in again, the square of the least margin, and more evaluations are not told apart."""

EXAMPLES = {"normal": 0.0, "exponential": 2.0, "lognormal(1)": (e + 2.0) * sqrt(e - 1.0)}
"""Skewnesses, to say what others than normal results cost."""


def _by_shape(model: Checked, level: float, margin: float) -> dict[str, float]:
    return {name: evaluations_for(level, skewed, margin, model.rarest) for name, skewed in EXAMPLES.items()}


def _ends(sums: Sums) -> list[float]:
    """The least and the largest result, rounded to what their jitter leaves of them."""
    low, high, middle = (float(sums.more[place]) for place in (LOW, HIGH, MIDDLE))
    jitter = min(middle - low, high - middle)
    digits = 15 if jitter <= 0.0 else floor(-log10(jitter)) - 1
    return [round(sums.origin + end, digits) for end in (low, high)]


def _waiting(model: Checked, sums: Sums, claim: Claim) -> str | None:
    """Too few different values, or a shape that normal results do not have and that makes them dear.

    The skewness of n normal results has the variance 6/n or less, what their tails add up to 1/n. Dear is what takes
    twice as many results.
    """
    numbers, scatter = _own_numbers(model, sums), float(sums.more[SECOND])
    values = different(sums.more, numbers)
    if values < FEWEST_VALUES:
        return few_values_in_words(_ends(sums)[:values], sums.pulls) if sums.pulls >= FEWEST_TO_SAY_SO else None
    if not has_spread(sums.more, numbers):
        return None
    skewed = claim.side * skewness(sums)
    skewed = skewed if skewed > sqrt(12.0 * claim.doubt / sums.pulls) else 0.0
    long = min(both_tails(sums.more, claim.side), most_skewness(sums.more, numbers, claim.side))
    long = long if length_of_tails(sums) > sqrt(2.0 * claim.doubt / sums.pulls) else 0.0
    if max(skewed, long) <= 0.0:
        return None
    away = claim.side * (claim.limit - sums.origin - sums.total / sums.pulls)
    margin = max(away, 0.0) / sqrt(scatter / sums.pulls)
    needed = evaluations_for(claim.level, skewed, margin, model.rarest, tails=long)
    if sums.pulls >= needed or needed < 2.0 * evaluations_for(claim.level, 0.0, margin, model.rarest):
        return None
    if skewed > 0.0:
        return skewness_in_words(claim.side * skewed, sums.pulls, needed, claim.metric)
    return tails_in_words(sums.pulls, needed, claim.metric)


def _taken_for_granted(model: Checked, sums: Sums, claim: Claim) -> str | None:
    """That results never change sign, where without it both tails would ask for more at the claim's level."""
    numbers = _own_numbers(model, sums)
    if not has_spread(sums.more, numbers):
        return None
    asked = both_tails(sums.more, claim.side)
    trusted = sqrt(sums.pulls / PULLS_PER_SKEWNESS) / asked if asked > 0.0 else inf
    if trusted >= claim.level or most_skewness(sums.more, numbers, claim.side) >= asked:
        return None
    return f"is never {'negative' if sums.origin + float(sums.more[LOW]) >= 0.0 else 'positive'}"


def _fewest(model: Checked, sums: Sums, claim: Claim) -> int:
    """How many results show what is rare, where the evidence for normal results has gone ahead of their number."""
    if not has_spread(sums.more, _own_numbers(model, sums)):
        return 0
    rate, total = -log1p(-model.rarest), sums.pulls * (claim.limit - sums.origin) - sums.total
    ahead = student(sums.pulls, claim.side * total, float(sums.more[SECOND])) > max(seen(sums.pulls, rate), 0.0)
    fewest = ceil((claim.level + LN2) / rate)
    return fewest if ahead and sums.pulls < fewest else 0


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
    margin_and_sd=margin,
    own_unit=own_unit,
    checked=_checked,
    constants=_constants,
    assumption=_assumption,
    condition=lambda model: "has no rarer long tail than was seen",
    interval=_interval,
    waiting=_waiting,
    taken_for_granted=_taken_for_granted,
    fewest=_fewest,
    by_shape=_by_shape,
    extra=EXTRA,
    checks_shape=True,
)
