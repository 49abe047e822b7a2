"""Results that are 0 or 1.

A bet l is the likelihood ratio of the mean theta + l theta (1 - theta) to theta (`bets`), so that the evidence is a
function of pulls and ones. Evidence that the mean is below theta is that of pulls - ones zeros above 1 - theta.

A mean is mapped so that more is better: `origin` is the threshold on that scale, and a deficit of one is `unit` there,
so that n results with the sum of deficits D have n * origin - unit * D that pass.
"""

from math import exp, inf, log, log1p, pi, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.noise.bets import BETS, LOG_WEIGHTS
from satisfice.noise.capital import log_evidence_two_values
from satisfice.noise.entropy import SURE, binary_relative_entropy
from satisfice.noise.half_normal import ROUNDING
from satisfice.noise.intervals import interval_bernoulli
from satisfice.noise.mixtures import LN2
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

if TYPE_CHECKING:
    from satisfice.noise.by_horizon import BernoulliBy

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
    from satisfice.noise.by_horizon import BernoulliBy  # noqa: PLC0415 - which is made of this

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
