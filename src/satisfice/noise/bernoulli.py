"""Results that are 0 or 1.

A bet l is the likelihood ratio of the mean theta + l theta (1 - theta) to theta (`betting`), so that the evidence is a
function of pulls and ones. Evidence that the mean is below theta is that of pulls - ones zeros above 1 - theta.

A mean is mapped so that more is better: `origin` is the threshold on that scale, and a deficit of one is `unit` there,
so that n results with the sum of deficits D have n * origin - unit * D that pass.

Results that are 0 or 1, of which there will be N at most: evidence of a classical test, mixed with the usual one.

Who knows the number N of evaluations in advance can have, at N, the power of the test that is made for N, and stop
before all the same (Koning and van Meer 2025). The test of "the mean is at most theta" at the level w a says no where
the ones among N are at least c, the smallest number with q = P(S_N >= c) <= w a at theta. Its chance to say so, given
the first n results with s ones,

    M_n = P(S_N >= c | S_n = s) / q = P(Bin(N - n, theta) >= c - s) / q,

is a martingale at theta that begins at 1, and increasing in s, so that below theta it is a supermartingale. After N it
is taken as 0. With the usual evidence E_n, a mixture over bets, w M_n + (1 - w) E_n is evidence again: it begins at 1
and reaches 1/a with probability at most a (Ville 1939). At N it does so whenever the test says no, since w/q >= 1/a;
before, as soon as that has become likely enough, or by E_n where the matter is clear early.
"""

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.given import is_number, shown
from satisfice.noise.betting import BETS, LOG_WEIGHTS, log_evidence_two_values
from satisfice.noise.entropy import SURE, binary_relative_entropy
from satisfice.noise.half_normal import LN2, ROUNDING
from satisfice.noise.intervals import interval_bernoulli
from satisfice.noise.process import (
    OWN,
    TOLERANCE,
    Bet,
    Distribution,
    Interval,
    Numbers,
    Process,
    Shape,
    Sums,
)

ORIGIN, UNIT, STRETCH = OWN, OWN + 1, OWN + 2

LOG_ODDS_OF_ONE_SD = pi / sqrt(3.0)
"""Chinn 2000: an effect of one standard deviation, on the scale of the log-odds."""


class Bernoulli(NamedTuple):
    """Results are 0 or 1, which is sub-Gaussian with scale 1/2 (Hoeffding 1963)."""

    @property
    def scale(self) -> float:
        return 0.5

    @property
    def process(self) -> Process:
        return ZERO_OR_ONE

    def __eq__(self, other: object) -> bool:  # a tuple without elements equals every other
        return isinstance(other, Bernoulli)

    def __hash__(self) -> int:
        return hash("bernoulli")

    def __str__(self) -> str:
        return "bernoulli"


def log_evidence_bernoulli(pulls: int, ones: int, theta: float) -> float:
    """ln E_n: increasing in ones, decreasing in theta."""
    return log_evidence_two_values(1.0 * (pulls - ones), 1.0 * ones, 1.0, theta, BETS, LOG_WEIGHTS)


def ones_needed_bernoulli(pulls: int, level: float, theta: float) -> int:
    """The smallest number of ones with ln E_n >= level, and pulls + 1 where even ones alone do not suffice."""
    target = level + ROUNDING * (24.0 + abs(level) + 4.0 * pulls)  # the logarithm of a factor is rounded, times pulls
    fewest = 0
    enough = pulls + 1
    while fewest < enough:
        middle = (fewest + enough) // 2
        if log_evidence_bernoulli(pulls, middle, theta) >= target:
            enough = middle
        else:
            fewest = middle + 1
    return enough


def passing(pulls: int, deficit: float, numbers: Numbers) -> float:
    """How many results pass; whole up to rounding."""
    return float(pulls * numbers[ORIGIN] - numbers[UNIT] * deficit)


def failing(pulls: int, deficit: float, numbers: Numbers) -> float:
    return float(pulls - pulls * numbers[ORIGIN] + numbers[UNIT] * deficit)


def limit(numbers: Numbers) -> float:
    """The end of the tolerance."""
    return float(numbers[ORIGIN] - numbers[UNIT] * numbers[TOLERANCE])


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_evidence_bernoulli(pulls, int(passing(pulls, deficit, numbers) + 0.5), limit(numbers))


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_evidence_bernoulli(pulls, int(failing(pulls, deficit, numbers) + 0.5), 1.0 - numbers[ORIGIN])


def needed_within(pulls: int, level: float, numbers: Numbers) -> float:
    return 1.0 * ones_needed_bernoulli(pulls, level, limit(numbers))


def needed_below(pulls: int, level: float, numbers: Numbers) -> float:
    return 1.0 * ones_needed_bernoulli(pulls, level, 1.0 - numbers[ORIGIN])


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return passing(pulls, deficit, numbers) + 0.5 > need


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return failing(pulls, deficit, numbers) + 0.5 > need


def most(pulls: int, above: float, theta: float) -> float:
    """An upper bound of ln of the evidence, for a sum of n theta + `above`: that of the best bet in hindsight."""
    if above <= 0.0:
        return LN2
    if not 0.0 < theta < 1.0:
        return inf
    mean = min(theta + above / pulls, 1.0)
    rest = (1.0 - mean) * log1p((theta - mean) / (1.0 - theta)) if mean < 1.0 else 0.0
    return pulls * (mean * log1p((mean - theta) / theta) + rest)


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, numbers[UNIT] * (pulls * numbers[TOLERANCE] - deficit), limit(numbers))


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, numbers[UNIT] * deficit, 1.0 - numbers[ORIGIN])


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """The signed root of twice the relative entropy: few zeros and ones are far from normal."""
    mean = deficit / pulls
    chance = (pulls * (numbers[ORIGIN] - mean / numbers[STRETCH]) + 0.5) / (pulls + 1.0)
    chance = min(max(chance, 0.5 / (pulls + 1.0)), 1.0 - 0.5 / (pulls + 1.0))
    sd = numbers[STRETCH] * sqrt(chance * (1.0 - chance))
    return signed_root_entropy(chance, numbers[ORIGIN]), sd


def signed_root_entropy(chance: float, limit: float) -> float:
    """The signed root of twice the relative entropy of two chances, a score of one result; `chance` is in (0, 1)."""
    if limit <= 0.0 or limit >= 1.0:
        return 1.0 if limit <= 0.0 else -1.0
    entropy = chance * log(chance / limit) + (1.0 - chance) * log((1.0 - chance) / (1.0 - limit))
    root = sqrt(max(2.0 * entropy, 0.0))
    return root if chance >= limit else -root


def draw(rng: np.random.Generator, first: float, second: float) -> float:
    return 1.0 if rng.random() < first else 0.0


def _fits(model: Bernoulli, value: object) -> bool:
    return value in (0, 1)


def _constants(model: Bernoulli, threshold: float, slope: float) -> tuple[float, ...]:
    stretch = abs(slope)
    return (threshold if slope < 0.0 else 1.0 - threshold), 1.0 / stretch, stretch


def _interval(model: Bernoulli, sums: Sums, error_rate: float) -> Interval:
    return interval_bernoulli(sums.pulls, round(sums.pulls * sums.origin + sums.total), error_rate)


def _information(model: Bernoulli, mean: float, edge: float, known: Distribution | None) -> float:
    return inf if not 0.0 <= edge <= 1.0 else binary_relative_entropy(_chance(mean), edge)


def _best_bet(model: Bernoulli, mean: float, edge: float, known: Distribution | None) -> Bet:
    one, zero = _log_ratio(mean, edge), _log_ratio(1.0 - mean, 1.0 - edge)
    return Bet(0.0, constant=zero, linear=one - zero)


def _simulated(model: Bernoulli, mean: float, spread: float | None, concentration: float) -> Shape:
    return Shape(0.0, 1.0, _chance(mean))


def _by_budget(model: Bernoulli, evaluations: int, error_rate: float) -> "BernoulliBy":

    return BernoulliBy(evaluations, error_rate)


def _mean_beyond(model: Bernoulli, edge: float, effect: float, spread: float) -> float:
    return 1.0 / (1.0 + exp(-(log(edge / (1.0 - edge)) + effect * LOG_ODDS_OF_ONE_SD)))


def _chance(mean: float) -> float:
    if not 0.0 <= mean <= 1.0:
        raise InvalidInstance("its means must lie in [0, 1]")
    return mean


def _log_ratio(x: float, y: float) -> float:
    if x <= 0.0:
        return -SURE
    return SURE if y <= 0.0 else log(x / y)


ZERO_OR_ONE = Process(
    name="bernoulli",
    within=within,
    below=below,
    margin_and_sd=margin,
    needed_within=needed_within,
    needed_below=needed_below,
    enough_within=enough_within,
    enough_below=enough_below,
    most_within=most_within,
    most_below=most_below,
    draw=draw,
    expected=lambda model: "0 or 1",
    fits=_fits,
    bounds=lambda model: (0.0, 1.0),
    constants=_constants,
    assumption=lambda model: "every result is 0 or 1",
    interval=_interval,
    by_budget=_by_budget,
    information=_information,
    best_bet=_best_bet,
    simulated=_simulated,
    mean_beyond=_mean_beyond,
    extra=0,
    transferable=True,
    increasing=True,
    open_spread=False,
    mean_fixes_spread=True,
)


WEIGHT = 0.5
"""w: the part of the capital that is bet on the test at N."""
MOST = 1_000_000
"""Evaluations for which the test is made at most: a tail of that many terms is added up at each result."""
LEEWAY = 1e-9
"""By this part a tail may be too small in its last digits."""


class BernoulliBy(NamedTuple):
    """Results are 0 or 1, and there are at most `evaluations` of them; `error_rate` is that of one decision."""

    evaluations: int
    error_rate: float

    @property
    def scale(self) -> float:
        return 0.5

    @property
    def process(self) -> Process:
        return _process(int(self.evaluations), float(self.error_rate))

    def __str__(self) -> str:
        return f"bernoulli, at most {self.evaluations:,} of them"


def log_tail(trials: int, least: int, chance: float) -> float:
    """ln P(Bin(trials, chance) >= least)."""
    if least <= 0:
        return 0.0
    if least > trials or chance <= 0.0:
        return -inf
    if chance >= 1.0:
        return 0.0
    ones = np.arange(least, trials + 1)
    steps = np.log((trials - ones[:-1]) / (ones[:-1] + 1.0)) + (log(chance) - log1p(-chance))
    first = lgamma(trials + 1.0) - lgamma(least + 1.0) - lgamma(trials - least + 1.0)
    first += least * log(chance) + (trials - least) * log1p(-chance)
    terms = first + np.concatenate(([0.0], np.cumsum(steps)))
    top = float(terms.max())
    return min(0.0, top + log(float(np.exp(terms - top).sum())))


@lru_cache(maxsize=256)
def classical_test(trials: int, error_rate: float, theta: float) -> tuple[int, float]:
    """The smallest number of ones in `trials` at which the test rejects theta, and ln of its chance at theta."""
    level = log(error_rate) + log1p(-LEEWAY)
    fewest, enough = 0, trials + 1
    while fewest < enough:
        middle = (fewest + enough) // 2
        if log_tail(trials, middle, theta) <= level:
            enough = middle
        else:
            fewest = middle + 1
    return enough, log_tail(trials, enough, theta)


def log_evidence_by(pulls: int, ones: int, theta: float, trials: int, error_rate: float) -> float:
    """ln (w M_n + (1 - w) E_n), for the mean being above theta."""
    usual = log1p(-WEIGHT) + log_evidence_bernoulli(pulls, ones, theta)
    if pulls > trials or not 0.0 < theta < 1.0:
        return usual
    enough, log_size = classical_test(trials, WEIGHT * error_rate, theta)
    if log_size == -inf:  # even ones alone would not do
        return usual
    tested = log(WEIGHT) + log_tail(trials - pulls, enough - ones, theta) - log_size
    larger, smaller = max(usual, tested), min(usual, tested)
    return larger + log1p(exp(smaller - larger))


@lru_cache(maxsize=64)
def _process(trials: int, error_rate: float) -> Process:
    def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
        return log_evidence_by(pulls, int(passing(pulls, deficit, numbers) + 0.5), limit(numbers), trials, error_rate)

    def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
        zeros = int(failing(pulls, deficit, numbers) + 0.5)
        return log_evidence_by(pulls, zeros, 1.0 - numbers[ORIGIN], trials, error_rate)

    usual = ZERO_OR_ONE._asdict()
    for name in ("needed_within", "needed_below", "enough_within", "enough_below", "most_within", "most_below"):
        usual[name] = Process._field_defaults[name]
    own = {"name": f"bernoulli by {trials}", "within": within, "below": below, "checked": _checked}
    own |= {"assumption": lambda model: "every result is 0 or 1", "transferable": False, "by_budget": None}
    return Process(**{**usual, **own})


def _checked(model: BernoulliBy) -> BernoulliBy:
    trials = model.evaluations
    if not is_number(trials) or trials != int(trials) or not 1 <= trials <= MOST:
        raise InvalidProblem(f"The number of evaluations must be whole, from 1 to {MOST:,}, got {shown(trials)}.")
    if not is_number(model.error_rate) or not 0.0 < model.error_rate < 1.0:
        raise InvalidProblem(f"The error rate must lie strictly between 0 and 1, got {shown(model.error_rate)}.")
    return model._replace(evaluations=int(trials))
