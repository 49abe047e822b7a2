"""Results that lie in a range.

Rescaled to [0, 1], more being better: `origin` is the threshold there and a deficit of one is `unit`, so that n
results with the sum of deficits D have the sum n * origin - unit * D. The evidence is a lower bound, from the sum and
the sum of squares alone, of the weighted average of capitals of a grid of bets (`capital`).
"""

from math import exp, inf, isfinite, log, log1p
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.noise.beta import beta_distribution, beta_parameters, share_of
from satisfice.noise.bets import BETS, LOG_WEIGHTS
from satisfice.noise.capital import log_evidence_moments
from satisfice.noise.entropy import least_relative_entropy
from satisfice.noise.intervals import interval_bounded
from satisfice.noise.mixtures import LN2
from satisfice.noise.process import OWN, TOLERANCE, Bet, Distribution, Interval, Numbers, Process, Shape, Sums
from satisfice.noise.process import finite as finite_number
from satisfice.noise.unknown_scale import UNIT_ROUNDING
from satisfice.noise.unknown_scale import margin as margin_of_sample
from satisfice.noise.written import written

ORIGIN, UNIT = OWN, OWN + 1


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

    def __str__(self) -> str:
        return f"bounded({written(self.low)}, {written(self.high)})"


def squares_from_zero(pulls: int, below: float, squares: float, origin: float) -> float:
    """The sum of (origin - below)^2 over the pulls, rounded up, from the sums of what is below and of its squares."""
    level = pulls * origin * origin
    return level - 2.0 * origin * below + squares + UNIT_ROUNDING * pulls * (level + squares)


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    origin, unit = numbers[ORIGIN], numbers[UNIT]
    squares = squares_from_zero(pulls, unit * deficit, unit * unit * more[0], origin)
    theta = origin - unit * numbers[TOLERANCE]
    return log_evidence_moments(pulls, pulls * origin - unit * deficit, squares, theta, BETS, LOG_WEIGHTS)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    origin, unit = numbers[ORIGIN], numbers[UNIT]
    failed = pulls - pulls * origin + unit * deficit  # the sum of 1 - x
    squares = squares_from_zero(pulls, -unit * deficit, unit * unit * more[0], 1.0 - origin)
    return log_evidence_moments(pulls, failed, squares, 1.0 - origin, BETS, LOG_WEIGHTS)


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    origin, unit = numbers[ORIGIN], numbers[UNIT]
    theta = origin - unit * numbers[TOLERANCE]
    if theta > 0.0 and pulls * origin - unit * deficit <= pulls * theta + need * theta:
        return False  # ln(1 + l (x - theta)) <= l (x - theta) and l < 1/theta
    return within(pulls, deficit, more, numbers, ratio) >= need


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    """Whether it may be enough, for the same reason; the average over metrics is computed anew."""
    return bool(numbers[UNIT] * deficit > need * (1.0 - numbers[ORIGIN]))


def most(pulls: int, above: float, theta: float) -> float:
    """At least ln of the evidence: ln(1 + l (x - theta)) is concave in x, and l < 1/theta."""
    if above <= 0.0:
        return LN2
    return pulls * log1p(min(above / pulls, 1.0 - theta) / theta) if 0.0 < theta < 1.0 else inf


def most_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    above = numbers[UNIT] * (pulls * numbers[TOLERANCE] - deficit)
    return most(pulls, above, numbers[ORIGIN] - numbers[UNIT] * numbers[TOLERANCE])


def most_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return most(pulls, numbers[UNIT] * deficit, 1.0 - numbers[ORIGIN])


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
            f"bounded(low, high) expects two finite numbers with low < high, got low = {low}, high = {high}."
        )
    return model


def _fits(model: Bounded, value: object) -> bool:
    return finite_number(model, value) and model.low <= value <= model.high  # type: ignore[operator]  # a number now


def _constants(model: Bounded, threshold: float, slope: float) -> tuple[float, ...]:
    from_worst = threshold - model.low if slope < 0.0 else model.high - threshold
    span = model.high - model.low
    return from_worst / span, 1.0 / (abs(slope) * span)


def _interval(model: Bounded, sums: Sums, error_rate: float) -> Interval:
    low, width = model.low, model.high - model.low
    origin = sums.origin - low
    moved = sums.pulls * origin + sums.total
    squares = (sums.more[0] + 2 * origin * sums.total + sums.pulls * origin * origin) / (width * width)
    share = interval_bounded(sums.pulls, moved / width, squares, error_rate)
    return Interval(low + width * share.low, low + width * share.high)


def _oriented(model: Bounded, mean: float, edge: float, known: Distribution) -> tuple[float, float]:
    """The least relative entropy and its bet, results taken to [0, 1] so that the mean is above the edge."""
    span = model.high - model.low
    points, theta = (np.array(known.points) - model.low) / span, (edge - model.low) / span
    if mean < edge:
        points, theta = 1.0 - points, 1.0 - theta
    return least_relative_entropy(points, np.array(known.weights), theta)


def _information(model: Bounded, mean: float, edge: float, known: Distribution | None) -> float:
    return _oriented(model, mean, edge, _needed(known))[0]


def _best_bet(model: Bounded, mean: float, edge: float, known: Distribution | None) -> Bet:
    stake = _oriented(model, mean, edge, _needed(known))[1]
    return Bet(edge, 1.0, linear=(stake if mean > edge else -stake) / (model.high - model.low))


def _needed(known: Distribution | None) -> Distribution:
    if known is None:
        raise InvalidInstance("how its results are distributed must be known")
    return known


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
    enough_within=enough_within,
    enough_below=enough_below,
    most_within=most_within,
    most_below=most_below,
    draw=draw,
    checked=_checked,
    expected=lambda model: f"a number from {model.low:g} to {model.high:g}",
    fits=_fits,
    bounds=lambda model: (model.low, model.high),
    constants=_constants,
    assumption=lambda model: f"every result lies in [{model.low:g}, {model.high:g}]",
    interval=_interval,
    information=_information,
    best_bet=_best_bet,
    distribution=_distribution,
    simulated=_simulated,
    of_shape=lambda shape: beta_distribution(shape.low, shape.low + shape.spread, shape.first, shape.second),
    mean_beyond=_mean_beyond,
)
