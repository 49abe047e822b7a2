"""Shares of independent zeros and ones: an evaluation made many trials at once, and every trial counts.

The evidence is that of zeros and ones (`bernoulli`), in the number of trials and of those that passed. A deficit says
which share passed, and the weight of a result of how many trials; both sums are kept here.
"""

from math import sqrt
from typing import NamedTuple

from satisfice.arrays import Floats
from satisfice.noise.bernoulli import ORIGIN, STRETCH, ZERO_OR_ONE, limit, passing, signed_root_entropy
from satisfice.noise.betting import BETS, LOG_WEIGHTS, log_evidence_two_values
from satisfice.noise.intervals import interval_bernoulli
from satisfice.noise.process import OWN, Interval, Numbers, Process, Sums

TRIALS, PASSED, ONES = 1, 2, 3
"""The places of the further sums, after that of squares."""

MORE_IS_BETTER = OWN + 3
"""The place of a number that is 1 where a one passes, 0 where a zero does."""


class Independent(NamedTuple):
    """Results are shares of trials that are 0 or 1 and independent of each other, also inside one evaluation."""

    @property
    def scale(self) -> float:
        return 0.5

    @property
    def process(self) -> Process:
        return TRIALS_AT_ONCE

    def __eq__(self, other: object) -> bool:  # a tuple without elements equals every other
        return isinstance(other, Independent)

    def __hash__(self) -> int:
        return hash("independent")

    def __str__(self) -> str:
        return "independent"


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    passed = float(int(weight * passing(1, value, numbers) + 0.5))
    more[TRIALS] += weight
    more[PASSED] += passed
    more[ONES] += passed if numbers[MORE_IS_BETTER] > 0.0 else weight - passed


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    failed = more[TRIALS] - more[PASSED]
    return log_evidence_two_values(failed, more[PASSED], 1.0, limit(numbers), BETS, LOG_WEIGHTS)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    failed = more[TRIALS] - more[PASSED]
    return log_evidence_two_values(more[PASSED], failed, 1.0, 1.0 - numbers[ORIGIN], BETS, LOG_WEIGHTS)


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """As for zeros and ones, of one evaluation: it is worth as many of them as it has trials."""
    trials = more[TRIALS]
    chance = (more[PASSED] + 0.5) / (trials + 1.0)
    size = sqrt(trials / pulls)
    sd = numbers[STRETCH] * sqrt(chance * (1.0 - chance)) / size
    return size * signed_root_entropy(chance, numbers[ORIGIN]), sd


def _fits(model: Independent, value: object) -> bool:
    return isinstance(value, float | int) and 0.0 <= value <= 1.0


def _interval(model: Independent, sums: Sums, error_rate: float) -> Interval:
    return interval_bernoulli(round(sums.more[TRIALS]), round(sums.more[ONES]), error_rate)


def _constants(model: Independent, threshold: float, slope: float) -> tuple[float, ...]:
    return *ZERO_OR_ONE.constants(model, threshold, slope), 1.0 if slope < 0.0 else 0.0


TRIALS_AT_ONCE = ZERO_OR_ONE._replace(
    name="independent",
    within=within,
    below=below,
    margin_and_sd=margin,
    fold=fold,
    needed_within=Process._field_defaults["needed_within"],
    needed_below=Process._field_defaults["needed_below"],
    enough_within=None,
    enough_below=None,
    most_within=Process._field_defaults["most_within"],
    most_below=Process._field_defaults["most_below"],
    expected=lambda model: "a share from 0 to 1, a list or a count",
    fits=_fits,
    constants=_constants,
    assumption=lambda model: "the numbers of one evaluation are independent of each other",
    condition=lambda model: "has independent trials inside an evaluation",
    interval=_interval,
    by_budget=None,
    extra=4,
    weighted=True,
    increasing=False,
)
