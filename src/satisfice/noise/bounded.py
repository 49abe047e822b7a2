"""Results that lie in a range.

Rescaled to [0, 1], more being better: `origin` is the threshold there and a deficit of one is `unit`, so that a deficit
d is the result origin - unit * d. The evidence is the sum of running capitals (`betting`): a bet l multiplies its own
by 1 + l (x - theta) after each result x (`betting`; Waudby-Smith and Ramdas 2024), so that it adapts to the spread of
the results. Evidence that the mean is below theta is that of 1 - x above 1 - theta.

Chosen by measurement over ten Beta distributions that bets and weights were not chosen on, at ln E >= ln 20 and ln 1000
(benchmarks/evaluations/running_capitals): .65 to 1.01 times the evaluations of capitals of the twenty bets of
`betting`, and .45 to .94 times those of the bound from two moments, which the interval takes. Sums in four bins
instead, n, S and Q in each, come within 1.15 of those twenty bets, but cost 160 logarithms each time.
"""

from math import exp, inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import shown
from satisfice.layout.numbers import written
from satisfice.noise.beta import beta_distribution, beta_parameters, share_of
from satisfice.noise.betting import (
    HELD,
    LARGEST_STAKE,
    NOTHING,
    ROUNDED_ZERO,
    TOTAL,
    capital_reaches,
    doubled,
    log_capital,
    room,
    settle,
    start,
    weighted,
)
from satisfice.noise.entropy import least_relative_entropy_in
from satisfice.noise.intervals import interval_bounded
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
from satisfice.noise.process import finite as finite_number
from satisfice.noise.unknown_scale import margin as margin_of_sample

ORIGIN, UNIT, UNIT_BET = OWN, OWN + 1, OWN + 2

BETS: Floats = doubled(0.002, 16)
"""In units of 1/sqrt(origin (1 - origin)), the same for both sides, up to the largest stake (`betting`)."""
WEIGHTS: Floats = weighted(np.minimum(1.0, BETS / 0.03) * np.where(BETS > 1.0, 0.5, 1.0))
"""Equal from .03 to 1, in proportion below, and half of it each above, where most or all are the largest stake."""
WITHIN = 1
BELOW = WITHIN + room(BETS)


class Bounded(NamedTuple):
    """Results lie in [low, high], which is sub-Gaussian with scale (high - low)/2 (Hoeffding 1963)."""

    low: float
    high: float

    @property
    def scale(self) -> float:
        return (self.high - self.low) / 2

    @property
    def process(self) -> Process:
        return BOUNDED

    @classmethod
    def of_range(cls, low: float, high: float) -> "Bounded":
        return cls(low, high)

    def __str__(self) -> str:
        return f"bounded({written(self.low)}, {written(self.high)})"


def bet(more: Floats, place: int, beyond: float, theta: float, unit_bet: float) -> None:
    """Multiply the capitals of one side, for a result so far beyond theta."""
    start(more, place, WEIGHTS)
    largest = LARGEST_STAKE / theta
    for j in range(BETS.shape[0]):
        held = more[place + HELD + j] * (1.0 + min(BETS[j] * unit_bet, largest) * beyond)
        more[place + HELD + j] = held if held > NOTHING else 0.0
    settle(more, place, BETS.shape[0])


def limit(numbers: Numbers) -> float:
    """The end of the tolerance."""
    return float(numbers[ORIGIN] - numbers[UNIT] * numbers[TOLERANCE])


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    origin, unit, theta = numbers[ORIGIN], numbers[UNIT], limit(numbers)
    if 0.0 < theta < 1.0:
        bet(more, WITHIN, unit * (numbers[TOLERANCE] - value), theta, numbers[UNIT_BET])
    elif theta <= 0.0 and origin - unit * value > -ROUNDED_ZERO:
        more[WITHIN + TOTAL] = 1.0
    if 0.0 < origin < 1.0:
        bet(more, BELOW, unit * value, 1.0 - origin, numbers[UNIT_BET])
    elif origin >= 1.0 and 1.0 - origin + unit * value > -ROUNDED_ZERO:
        more[BELOW + TOTAL] = 1.0


def evidence(more: Floats, place: int, pulls: int, theta: float) -> float:
    """ln of the evidence that the mean is above theta; `betting` says what if theta is not in (0, 1)."""
    if 0.0 < theta < 1.0:
        return log_capital(more, place, pulls)
    if theta < ROUNDED_ZERO or (theta <= 0.0 and more[place + TOTAL] > 0.0):
        return inf
    return 0.0


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(more, WITHIN, pulls, limit(numbers))


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return evidence(more, BELOW, pulls, 1.0 - numbers[ORIGIN])


def enough(more: Floats, place: int, pulls: int, theta: float, need: float) -> bool:
    if 0.0 < theta < 1.0:
        return capital_reaches(more, place, pulls, need)
    return evidence(more, place, pulls, theta) >= need


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(more, WITHIN, pulls, limit(numbers), need)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return enough(more, BELOW, pulls, 1.0 - numbers[ORIGIN], need)


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """As for normal results of unknown scale, of the arm's own results."""
    return margin_of_sample(pulls, deficit, more, numbers, ratio, 0.0, 0.0)


def draw(rng: np.random.Generator, first: float, second: float) -> float:
    return rng.beta(first, second)


def _checked(model: Bounded) -> Bounded:
    low, high = model
    if not (finite_number(model, low) and finite_number(model, high) and isfinite(high - low) and low < high):
        raise InvalidProblem(
            f"bounded(low, high) expects two finite numbers with low < high, got low = {shown(low)}, high = "
            f"{shown(high)}."
        )
    return model


def _fits(model: Bounded, value: object) -> bool:
    return finite_number(model, value) and model.low <= value <= model.high  # type: ignore[operator]  # a number now


def _constants(model: Bounded, threshold: float, slope: float) -> tuple[float, ...]:
    from_worst = threshold - model.low if slope < 0.0 else model.high - threshold
    span = model.high - model.low
    origin = from_worst / span
    return origin, 1.0 / (abs(slope) * span), 1.0 / sqrt(origin * (1.0 - origin)) if 0.0 < origin < 1.0 else 2.0


def _interval(model: Bounded, sums: Sums, error_rate: float) -> Interval:
    low, width, origin = model.low, model.high - model.low, sums.origin - model.low
    moved = sums.pulls * origin + sums.total
    squares = (sums.more[0] + 2 * origin * sums.total + sums.pulls * origin * origin) / (width * width)
    share = interval_bounded(sums.pulls, moved / width, squares, error_rate)
    return Interval(low + width * share.low, low + width * share.high)


def _information(model: Bounded, mean: float, edge: float, known: Distribution | None) -> float:
    return least_relative_entropy_in(*model, mean, edge, known)[0]


def _best_bet(model: Bounded, mean: float, edge: float, known: Distribution | None) -> Bet:
    stake = least_relative_entropy_in(*model, mean, edge, known)[1]
    return Bet(edge, 1.0, linear=(stake if mean > edge else -stake) / (model.high - model.low))


def _distribution(model: Bounded, mean: float, spread: float) -> Distribution:
    return beta_distribution(*model, *beta_parameters(*model, mean, spread))


def _simulated(model: Bounded, mean: float, spread: float | None, concentration: float) -> Shape:
    share = share_of(*model, mean)
    return Shape(model.low, model.high - model.low, share * concentration, (1.0 - share) * concentration)


def _mean_beyond(model: Bounded, edge: float, effect: float, spread: float) -> float:
    """On the scale of the log-odds, since means cannot go beyond the ends."""
    span = model.high - model.low
    share = (edge - model.low) / span
    odds = log(share / (1.0 - share)) + effect * spread / span / (share * (1.0 - share))
    return model.low + span / (1.0 + exp(-odds))


BOUNDED = Process(
    name="bounded",
    within=within,
    below=below,
    margin_and_sd=margin,
    fold=fold,
    enough_within=enough_within,
    enough_below=enough_below,
    draw=draw,
    checked=_checked,
    expected=lambda model: f"a number from {written(model.low)} to {written(model.high)}",
    fits=_fits,
    bounds=lambda model: (model.low, model.high),
    constants=_constants,
    assumption=lambda model: f"every result lies in [{written(model.low)}, {written(model.high)}]",
    interval=_interval,
    information=_information,
    best_bet=_best_bet,
    distribution=_distribution,
    simulated=_simulated,
    of_shape=lambda shape: beta_distribution(shape.low, shape.low + shape.spread, shape.first, shape.second),
    mean_beyond=_mean_beyond,
    extra=BELOW + room(BETS),
    transferable=True,
    increasing=True,
)
