"""Results of which nothing was declared: the declaration, what it rests on, and what is said of results that wait.

The evidence is that for normal results, as far as their own shape bears it out.

Without an assumption about tails no test on a mean has power (Bahadur and Savage 1956), and Student's evidence
(`unknown_scale`) is too large where a long tail on the failing side has not shown itself yet. So a level L = ln(1/a) is
reached only

* with n results such that -n ln(1 - r) - ln 2 >= L. What happens in a share r of the evaluations has not happened in n
  of them with probability (1 - r)^n, a/2 at most. Where it has been seen Student's evidence may still err, with a
  probability of about a as measured: one and a half times a together is what a shape may cost. (Without ln 2 both
  errors together were 1.7 times a where one result in ten is far off.)
* by Student's evidence about results that vary more than these: their variance counts c L^2 g^2/n times where that is
  more than once. g is the sample skewness where the longer tail is on the side that endangers the claim, failing
  results for `within`, passing ones for `below`; or what both tails together ask for, where that is more (`tails`). A
  claim with room for it need not wait until n has grown to c L^2 g^2.
* where variances count for more because of the skewness, with enough results to have seen also what happens in a share
  r/6: a tail that shows is a sign of rarer results far beyond it, such as stalls of a service.
* with three different values, jitter not counted. Few are no continuous law: constants have no spread at all until the
  other value comes.

ln E is the largest L that is reached. Waiting is always valid: for normal results this is evidence because Student's
is, and it costs next to nothing, for what can decide nothing in the first results need not bet on gaps that a few of
them would show (LATE). For others it is approximate; docs/method/shapes.md has the error rates by shape, and what
cannot be detected.

How undeclared results steer the search while nothing can be decided by them, whatever comes next.

Results of one value, or of two, are no evidence (`tails`), and have next to no spread: by Student's t they
are within their limit, or beyond it, by any number of standard errors. A configuration that passes everything else
would be ahead of all others for good. So until a third value comes a score is neither very good nor very bad, and falls
as results repeat. What never happened in n results takes about n more to happen (Laplace 1774): by `Pandora` a score
that stays the same costs evaluations in proportion to n, and one that falls, more than that. Others are looked at then,
where something can be decided; among configurations that are all of this kind each gets its turn.

The verdict says of such a metric what to declare instead.
"""

from math import ceil, e, floor, inf, isclose, log, log1p, log10, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted, fixed, rounded, to_digits, written
from satisfice.noise.half_normal import LN2
from satisfice.noise.half_student import Mixture, log_evidence_student, ratio_needed_student, scale_free_ratio
from satisfice.noise.intervals import lower_limit_student
from satisfice.noise.normal import UNKNOWN_SCALE
from satisfice.noise.process import TOLERANCE, Claim, Interval, NoiseModel, Numbers, Process, Sums, is_same
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
from satisfice.noise.unknown_scale import margin as margin_of_sample
from satisfice.noise.unknown_scale import most as most_student

RARER = 1.0 / 6.0
"""The part of that share that must have been seen where a tail shows."""

LATE = Mixture(4.0, 200.0, 0.7)
"""The bets (`half_student`) of what decides after 36 results or more: none on gaps that a handful would show.

Evaluations over those of declared normal results at 5 %, gaps of .5, .4, .3, .2, .1 and .02 sd: 1.14, .99, .92, .92,
1.00, 1.05; with the bets of those, `EARLY`, 1.23, 1.12, 1.07, 1.03, 1.02, 1.01.
"""

HALVINGS = 8
"""Of the levels in question, until a bound of the evidence is near enough."""

PRECISION = 1e-12
"""What ln of the evidence is rounded down by at most, as a part of it, where it has to be searched for."""


def seen(pulls: int, rate: float) -> float:
    """The level up to which what happens in a share s of the evaluations has been seen, `rate` being -ln(1 - s)."""
    return rate * pulls - LN2


def squares_around(pulls: int, total: float, scatter: float) -> float:
    """The sum of squared distances from a limit from which the distances themselves add up to `total`."""
    return scatter + total * total / pulls


def widened(scatter: float, level: float, trust: float) -> float:
    """What the sum of squared distances from the mean counts as, at a level."""
    return scatter * (level / trust) ** 2 if level > trust else scatter


def student(pulls: int, total: float, scatter: float) -> float:
    return log_evidence_student(pulls, scale_free_ratio(total, squares_around(pulls, total, scatter)), LATE)


def evidence(pulls: int, total: float, more: Floats, numbers: Numbers, side: float) -> float:
    """The largest level that is reached, rounded down."""
    scatter = more[SECOND]
    if not has_spread(more, numbers):
        return min(student(pulls, total, scatter), 0.0)
    plain = min(student(pulls, total, scatter), seen(pulls, numbers[SHARE]))
    trust = min(trusted_by_skewness(more, numbers, side), trusted_by_tails(more, numbers, side))
    if plain <= trust:
        return plain
    highest = min(plain, most(pulls, total, more, numbers, side))
    return trust if highest <= trust else level_reached(pulls, total, scatter, trust, highest)


def level_reached(pulls: int, total: float, scatter: float, trust: float, highest: float) -> float:
    """Between `trust`, which is reached, and `highest`: evidence falls as the level grows, and both meet once.

    By false position, with the excess at an end that stays twice in a row halved (the Illinois rule).
    """
    low, high = trust, highest
    above = student(pulls, total, scatter) - low
    below = student(pulls, total, widened(scatter, high, trust)) - high
    if below >= 0.0:
        return highest
    for _ in range(100):
        if high - low <= PRECISION * high:
            break
        level = min(max(low + (high - low) * above / (above - below), low + 0.01 * (high - low)), high)
        excess = student(pulls, total, widened(scatter, level, trust)) - level
        if excess >= 0.0:
            low, above, below = level, excess, 0.5 * below
        else:
            high, below, above = level, excess, 0.5 * above
    return low


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return ratio_needed_student(pulls, level, LATE) ** 2


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(pulls, deficit, more, numbers, -1.0)


def enough(pulls: int, total: float, more: Floats, numbers: Numbers, side: float, need: float) -> bool:
    """Student's test by its table; where it is passed, also what the shape of the results asks for at that level."""
    scatter = more[SECOND]
    if total <= 0.0 or total * total < need * squares_around(pulls, total, scatter) or not has_spread(more, numbers):
        return False
    level = log_evidence_student(pulls, sqrt(need), LATE)
    skewness = trusted_by_skewness(more, numbers, side)
    if seen(pulls, numbers[SHARE if level <= skewness else RARER_SHARE]) < level:
        return False
    trust = min(skewness, trusted_by_tails(more, numbers, side))
    return bool(total * total >= need * squares_around(pulls, total, widened(scatter, level, trust)))


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0, need)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(pulls, deficit, more, numbers, -1.0, need)


def most(pulls: int, total: float, more: Floats, numbers: Numbers, side: float) -> float:
    """An upper bound of the evidence: the level that a bound of Student's evidence reaches, rounded up."""
    if not has_spread(more, numbers):
        return 0.0
    scatter, skewness = more[SECOND], trusted_by_skewness(more, numbers, side)
    high = min(most_student(pulls, total, squares_around(pulls, total, scatter), LATE), seen(pulls, numbers[SHARE]))
    high = min(high, max(skewness, seen(pulls, numbers[RARER_SHARE])))
    trust = min(skewness, trusted_by_tails(more, numbers, side))
    if high <= trust:
        return high
    low = trust
    for _ in range(HALVINGS):
        level = 0.5 * (low + high)
        squares = squares_around(pulls, total, widened(scatter, level, trust))
        if most_student(pulls, total, squares, LATE) < level:
            high = level
        else:
            low = level
    return high


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, 1.0)


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, deficit, more, numbers, -1.0)


BEST, FALLS, WORST = 3.0, 0.5, -2.0
"""Standard errors: of two results nearly the first at most, less that part of ln n after n, and at least the last."""


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    found, sd = margin_of_sample(pulls, deficit, more, numbers, ratio, variance, weight)
    values = different(more, numbers)
    if values >= min(FEWEST_VALUES, pulls):
        return found, sd
    slack = numbers[TOLERANCE] / sd if sd > 0.0 else 0.0
    root = sqrt(1.0 * pulls)
    best = max(BEST - FALLS * log(1.0 * pulls), WORST)
    return min(max(root * (found + slack), WORST), best) / root - slack, sd


def skewness_in_words(skewness: float, pulls: int, needed: float, metric: str) -> str:
    return f"is skewed ({rounded(skewness, 2)} after {counted(pulls, 'result')}): {_price(needed, metric)}"


def tails_in_words(pulls: int, needed: float, metric: str) -> str:
    return f"has long tails ({counted(pulls, 'result')}): {_price(needed, metric)}"


def _price(needed: float, metric: str) -> str:
    about = fixed(to_digits(needed, 1), 0)
    return f"about {about} evaluations for a mean; p95({metric}), pairs with a baseline or spread(SD) may need fewer"


def few_values_in_words(values: list[float], pulls: int) -> str:
    """`values` are the different ones that results had, one or two."""
    told = " or ".join(rounded(value, 6) for value in sorted(values))
    return f"was {told} in all {counted(pulls, 'result')}: {_declare(values)}"


def _declare(values: list[float]) -> str:
    if all(isclose(value, round(value), abs_tol=1e-9) and round(value) in (0, 1) for value in values):
        return "if every result is 0 or 1, declare it bernoulli"
    if len(values) == 1:
        return "if it is always the same, declare it exact"
    return "so few different values decide nothing; if none can be outside a range, declare bounded(LOW, HIGH)"


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
