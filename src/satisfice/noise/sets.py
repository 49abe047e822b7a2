"""Sets of N items, such as a test set: each is evaluated once, or its answers are sampled.

Of a fixed set results are drawn without replacement: after N of them the mean is known.

Rescaled to [0, 1] as `bounded` is, more being better. If the mean over the set is at most theta, the next item has the
conditional mean m = (N theta - sum of the earlier)/(number of those left) at most, so that bets 1 + l (x - m) with
0 < l < 1/m are evidence (Waudby-Smith and Ramdas 2020). It is the larger the fewer are left: the claim is about this
set, not about where it comes from. Once the results so far suffice whatever the rest is, it is infinite.

Items come in one order, drawn from the seed, for all arms. Once an arm has all of them its mean is known: the metric
leaves the choice (an infinite margin), and further evaluations, which other metrics may need, have no item.

All of this takes items that give the same result each time. `sampled` is for those that do not.

Answers that are sampled, such as those of a language model at a temperature above 0: the limit is on the mean over the
items of their expected results. Items are drawn uniformly with replacement, each draw independent of all others
(`search.items`), so that results are independent and have exactly that mean: what is evidence of results that are 0 or
1, or lie in a range, is evidence here, at any time. Without replacement it would not be: the mean of the items that are
left is unknown when only sampled results of the others were seen.
"""

from collections.abc import Callable, Sequence
from math import inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.noise.bernoulli import ZERO_OR_ONE, Bernoulli
from satisfice.noise.betting import LARGEST_STAKE, TOTAL, log_capital, room
from satisfice.noise.bounded import BETS, BOUNDED, ORIGIN, UNIT, WEIGHTS, Bounded, bet, limit
from satisfice.noise.process import OWN, Interval, NoiseModel, Numbers, Process, the_level
from satisfice.noise.unknown_scale import margin as margin_of_sample

UNIT_BET, SIZE = OWN + 2, OWN + 3
"""The model's own numbers after those of `bounded`: what a bet is in units of, and N."""

COUNT, SUM, WITHIN = 1, 2, 3
BELOW = WITHIN + room(BETS)
"""The further sums: how many items, the sum of their results, and the capitals for and against."""

ROUNDING = 1e-9
"""Sums of up to a million results in [0, 1] are off by less."""

LARGEST_SD = 0.5
"""Of results in [0, 1]."""

MOST_ITEMS = 1_000_000


class FiniteSet(NamedTuple):
    """Results in [low, high] of `size` items, each evaluated once; `coins` if they are 0 or 1."""

    low: float
    high: float
    size: int
    coins: bool = False

    @property
    def scale(self) -> float:
        return (self.high - self.low) / 2

    @property
    def process(self) -> Process:
        return WITHOUT_REPLACEMENT

    @property
    def one(self) -> Bernoulli | Bounded:
        """What one result is."""
        return Bernoulli() if self.coins else Bounded(self.low, self.high)

    def __eq__(self, other: object) -> bool:  # tuples of the same numbers are equal whatever they are called
        return isinstance(other, FiniteSet) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(("finite", *self))

    def __str__(self) -> str:
        return f"{self.one} of {self.size}"


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    size, unit_bet = numbers[SIZE], numbers[UNIT_BET]
    left = size - more[COUNT]
    if left < 0.5 or weight == 0.0:  # the set is through, or there was no item
        return
    result = numbers[ORIGIN] - numbers[UNIT] * value
    expected = min((size * limit(numbers) - more[SUM]) / left, 1.0)  # no rest has a larger mean
    if expected > 0.0:
        bet(more, WITHIN, result - expected, expected, unit_bet)
    failed = min((size * (1.0 - numbers[ORIGIN]) - (more[COUNT] - more[SUM])) / left, 1.0)
    if failed > 0.0:
        bet(more, BELOW, 1.0 - result - failed, failed, unit_bet)
    more[COUNT] += 1.0
    more[SUM] += result


def evidence(more: Floats, place: int, pulls: int) -> float:
    return log_capital(more, place, pulls) if more[place + TOTAL] > 0.0 else 0.0


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    if more[SUM] >= numbers[SIZE] * limit(numbers) - ROUNDING:
        return inf  # whatever the rest is
    return evidence(more, WITHIN, pulls)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    if more[SUM] + numbers[SIZE] - more[COUNT] < numbers[SIZE] * numbers[ORIGIN] - ROUNDING:
        return inf
    return evidence(more, BELOW, pulls)


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """As of results in a range until the last item, when the mean is known."""
    count = int(more[COUNT])
    if count < 1:
        return 0.0, LARGEST_SD / numbers[UNIT]
    found, sd = margin_of_sample(count, deficit, more, numbers, ratio, 0.0, 0.0)
    if numbers[SIZE] - more[COUNT] < 0.5:
        passes = more[SUM] >= numbers[SIZE] * limit(numbers) - ROUNDING
        return (inf if passes else found), sd
    return found, sd


def checked_size(low: float, high: float, size: int) -> int:
    """The number of items of a set, if it is one and results lie in a range."""
    BOUNDED.checked(Bounded(low, high))
    if isinstance(size, bool) or not 1 <= size <= MOST_ITEMS or size != int(size):
        raise InvalidProblem(
            f"a set has a whole number of items, from 1 to {MOST_ITEMS:,}, got {size}. Write 'bernoulli of 500'."
        )
    return int(size)


def _fits(model: FiniteSet, value: object) -> bool:
    return model.one.process.fits(model.one, value)


def _constants(model: FiniteSet, threshold: float, slope: float) -> tuple[float, ...]:
    origin, unit, *_ = BOUNDED.constants(Bounded(model.low, model.high), threshold, slope)
    inside = min(max(origin, 1.0 / (2.0 * model.size)), 1.0 - 1.0 / (2.0 * model.size))
    return origin, unit, 1.0 / sqrt(inside * (1.0 - inside)), float(model.size)


def interval_of_values(model: FiniteSet, values: Sequence[float], error_rate: float) -> Interval:
    """Where the mean over the set lies, at all times: the theta against which there is not enough evidence."""
    results = (np.array(values[: model.size]) - model.low) / (model.high - model.low)
    level = log(2.0 / error_rate)
    low, high = lower_limit(results, model.size, level), 1.0 - lower_limit(1.0 - results, model.size, level)
    return Interval(*(model.low + share * (model.high - model.low) for share in (low, high)))


def lower_limit(results: Floats, size: int, level: float) -> float:
    """By bisection between what is certain and the mean so far: evidence is the smaller the larger theta is."""
    low, high = float(results.sum()) / size, float(results.mean())
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if log_evidence(results, size, middle) >= level else (low, middle)
    return low


def log_evidence(results: Floats, size: int, theta: float) -> float:
    """ln of the evidence that the mean over the set is above theta, which it is not known to be.

    A bet l is min(b, .99/m), b the same for every theta: then 1 + l (x - m) is the smaller the larger m is, and so is
    the evidence the larger theta is. Where all that are left would have to be more than 1 they are taken to be 1.
    """
    before = np.concatenate([[0.0], np.cumsum(results)[:-1]])
    left = size - np.arange(len(results))
    expected = np.clip((size * theta - before) / left, ROUNDING, 1.0)[:, np.newaxis]
    stakes = np.minimum(BETS / LARGEST_SD, LARGEST_STAKE / expected)
    return float(
        np.logaddexp.reduce(np.log(WEIGHTS) + np.log1p(stakes * (results[:, np.newaxis] - expected)).sum(axis=0))
    )


WITHOUT_REPLACEMENT = BOUNDED._replace(
    name="finite set",
    within=within,
    below=below,
    fold=fold,
    needed_within=the_level,
    needed_below=the_level,
    enough_within=None,
    enough_below=None,
    margin_and_sd=margin,
    checked=lambda model: model._replace(size=checked_size(*model[:3])),
    expected=lambda model: model.one.process.expected(model.one),
    fits=_fits,
    bounds=lambda model: (model.low, model.high),
    constants=_constants,
    assumption=lambda model: f"the claim is about these {model.size} items, each evaluated once",
    condition=lambda model: "gives the same result each time",
    interval=None,
    interval_of_values=interval_of_values,
    information=None,
    best_bet=None,
    distribution=None,
    simulated=None,
    of_shape=None,
    extra=BELOW + room(BETS),
    transferable=False,
    items=lambda model: model.size,
    one_item=lambda model: model.one,
    open_spread=False,
    mean_fixes_spread=True,
)


ABOUT_ONE = (
    *("expected", "fits", "bounds", "constants", "interval", "information", "best_bet"),
    *("distribution", "simulated", "mean_beyond"),
)
"""Functions of a process that get the model first: here that of one result."""


class SampledSet(NamedTuple):
    """Results in [low, high] of `size` items, drawn with replacement; `coins` if they are 0 or 1."""

    low: float
    high: float
    size: int
    coins: bool = False

    @property
    def scale(self) -> float:
        return (self.high - self.low) / 2

    @property
    def process(self) -> Process:
        return SAMPLED_COINS if self.coins else SAMPLED_RANGE

    @property
    def one(self) -> Bernoulli | Bounded:
        """The model of one result."""
        return Bernoulli() if self.coins else Bounded(self.low, self.high)

    def __eq__(self, other: object) -> bool:  # tuples of the same numbers are equal whatever they are called
        return isinstance(other, SampledSet) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(("sampled", *self))

    def __str__(self) -> str:
        return f"{self.one} of {self.size} sampled"


def with_replacement(process: Process) -> Process:
    """The process of results that are drawn from a set with replacement."""
    own: dict[str, Any] = {name: _about_one(getattr(process, name)) for name in ABOUT_ONE}
    return process._replace(
        **own,
        name=f"{process.name} of sampled items",
        checked=lambda model: model._replace(size=checked_size(*model[:3])),
        assumption=lambda model: (
            f"the claim is about the mean over these {model.size} items of their expected results; items are drawn "
            "with replacement"
        ),
        by_budget=None,
        items=lambda model: model.size,
        one_item=lambda model: model.one,
        redrawn=True,
    )


def _about_one(function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    return None if function is None else lambda model, *rest: function(model.one, *rest)


SAMPLED_COINS = with_replacement(ZERO_OR_ONE)
SAMPLED_RANGE = with_replacement(BOUNDED)


def of_set(model: NoiseModel, size: int, *, sampled: bool) -> FiniteSet | SampledSet:
    """Results of that model for a set of `size` items."""
    kind = SampledSet if sampled else FiniteSet
    if isinstance(model, Bernoulli):
        return kind(0.0, 1.0, size, coins=True)
    if isinstance(model, Bounded):
        return kind(*model, size)
    raise InvalidProblem(f"only bernoulli and bounded(LOW, HIGH) can be of a set of items, not {model}")
