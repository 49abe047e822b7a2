"""Results that are 0 or 1, of which there will be N at most: evidence of a classical test, mixed with the usual one.

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
from math import exp, inf, lgamma, log, log1p
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.noise.bernoulli import ORIGIN, ZERO_OR_ONE, failing, limit, log_evidence_bernoulli, passing
from satisfice.noise.process import Numbers, Process

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
