"""Any distribution with a standard deviation of at most SD: long tails, spikes and few values included.

A bet l multiplies its capital (`betting`) after a result x, with y = l (x - theta)/SD, by

    (1 + max(0, 1 + y)^2) / (2 + l^2).

1 + (1 + y)^2 = 2 + 2 y + y^2 has a mean of at most 2 + l^2 if that of x is theta, and the numerator is no larger. It
grows with x, so that a smaller mean only lowers it (move all results by as much). Hence the capital is evidence that
the mean is above theta, given the whole past, whatever the shape. For y > -1 its logarithm is ln(1 + y + y^2/2), as in
Catoni's influence function (2012; Wang and Ramdas 2023). Theirs goes on falling below, as estimates from both sides at
once need. Here each side has bets of its own, and one bad result, however bad, costs a bet no more than a factor of two
beyond what every result costs it.

Bets are doubled from .003 to 6, so that gaps from .002 SD on are ended. Evaluations over those of normal(SD) on normal
results, for shapes with the standard deviation SD exactly, at ln E >= ln 20 (benchmarks/evaluations/running_capitals):

    gap in SD                        .03   .1    .3    1     2     4     10
    normal                           1.25  1.05  .95   .85   .73   .87   1.03
    lognormal 1, long tail beyond    1.35  1.26  1.16  .87   .69   .84   1.00
    1 % spikes, on that side         1.42  1.44  1.33  .80   .59   .84   1.00
    1 % spikes, on the other         .64   .48   .62   .55   .60   .85   1.01
    normal, SD twice the true one          5.12  3.94  2.96  1.93  1.42  2.00
"""

from math import inf, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted, rounded, written
from satisfice.noise import known_scale
from satisfice.noise.betting import (
    HELD,
    MOST,
    NOTHING,
    capital_reaches,
    constant,
    doubled,
    log_capital,
    room,
    settle,
    start,
    weighted,
)
from satisfice.noise.half_normal import ROUNDING, log_tilted_tail
from satisfice.noise.normal import KNOWN_SCALE
from satisfice.noise.process import (
    SCALE,
    TOLERANCE,
    Bet,
    Distribution,
    Interval,
    Numbers,
    Process,
    Shape,
    Sums,
)

BETS: Floats = doubled(0.003, 12)
WEIGHTS: Floats = weighted(np.minimum(1.0, BETS / 0.03) * np.minimum(1.0, 4.0 / BETS))
"""Equal from .03 to 4, and in proportion outside."""
PRICES: Floats = constant(1.0 / (2.0 + BETS * BETS))

WAITS, FIRST, DOUBT = 1, 2, 3
"""The places of what is kept of pairs of results, for `contradiction`."""
WITHIN = 4
BELOW = WITHIN + room(BETS)

PRECISION = 30.0
"""Of the half-normal mixture of the interval: good for gaps from .05 to .5 SD (`half_normal`)."""
FAR_SHARE = 0.01
"""The part of an interval's error rate that goes to means further away than its mixture can see."""


class Spread(NamedTuple):
    """Results of any shape whose standard deviation is at most `sd`."""

    sd: float

    @property
    def scale(self) -> None:
        """No sub-Gaussian scale follows from a standard deviation."""
        return None

    @property
    def process(self) -> Process:
        return ANY_SHAPE

    def __str__(self) -> str:
        return f"spread({written(self.sd)})"


def bet(more: Floats, place: int, surplus: float) -> None:
    """Multiply the capitals of one side, for a result that is `surplus` SDs beyond theta."""
    start(more, place, WEIGHTS)
    beyond = min(max(surplus, -MOST), MOST)
    for j in range(BETS.shape[0]):
        root = max(1.0 + BETS[j] * beyond, 0.0)
        held = more[place + HELD + j] * ((1.0 + root * root) * PRICES[j])
        more[place + HELD + j] = held if held > NOTHING else 0.0
    settle(more, place, BETS.shape[0])


def fold(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    scaled = value / numbers[SCALE]
    bet(more, WITHIN, numbers[TOLERANCE] / numbers[SCALE] - scaled)
    bet(more, BELOW, scaled)
    if more[WAITS] == 0.0:
        more[WAITS], more[FIRST] = 1.0, scaled
    else:
        apart = min(abs(scaled - more[FIRST]), MOST)
        more[DOUBT] += log(0.5 + 0.25 * apart * apart)
        more[WAITS] = 0.0


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_capital(more, WITHIN, pulls)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return log_capital(more, BELOW, pulls)


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return capital_reaches(more, WITHIN, pulls, need)


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return capital_reaches(more, BELOW, pulls, need)


def _checked(model: Spread) -> Spread:
    if not is_number(model.sd) or not model.sd > 0.0:
        raise InvalidProblem(
            f"spread(SD) expects one positive finite number, a standard deviation that no configuration exceeds, got "
            f"{shown(model.sd)}."
        )
    return model


def _interval(model: Spread, sums: Sums, error_rate: float) -> Interval:
    """All means m against which the evidence below never reached its level, so that it holds at all times.

    With y = (x - m)/SD, exp(l y - l^2 (y^2 + 2)/6) has a mean of at most 1 for every l, if m is the mean of x (Delyon
    2009; Howard et al. 2020). The half-normal mixture over l > 0 is that of known scales with (sum of y^2 + 2 n)/3 in
    place of n. It looks back at no bets, and so is not quite the evidence that decides. Means more than `far` SD from
    that of the results, where the mixture becomes blind again, are left out; P(the mean of the first n results is ever
    that far off) <= pi^2/(6 far^2) (Hajek and Renyi 1955).
    """
    far = sqrt(pi * pi / (6.0 * FAR_SHARE * error_rate))
    level = log(2.0 / ((1.0 - FAR_SHARE) * error_rate))
    total, squares = sums.total / model.sd, float(sums.more[0]) / model.sd**2
    around = max(0.0, squares - total * total / sums.pulls) + ROUNDING * squares
    reach = model.sd * _reach(sums.pulls, around, level, far)
    mean = sums.origin + sums.total / sums.pulls
    return Interval(mean - reach, mean + reach)


def _reach(pulls: int, around: float, level: float, far: float) -> float:
    """How far from the results' mean a mean may be, in SD: evidence rises with the distance, and then falls."""

    def evidence(distance: float) -> float:
        variation = (around + pulls * (distance * distance + 2.0)) / 3.0
        tail = log_tilted_tail(pulls * distance / sqrt(variation + PRECISION))
        return tail - 0.5 * log1p(variation / PRECISION)

    if evidence(far) < level:
        return inf
    low, high = 0.0, far
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if evidence(middle) >= level else (middle, high)
    return high


def _contradiction(model: Spread, sums: Sums, doubt: float) -> str | None:
    """Whether results vary more than declared, valid for every shape.

    Half the squared difference of two results has the variance as its mean. So the product of (1 + (x - x')^2/(2 SD^2))
    / 2 over pairs of results is evidence that the standard deviation is above SD; its logarithm is kept.
    """
    if sums.more[DOUBT] < doubt:
        return None
    around = float(sums.more[0]) - sums.total * sums.total / sums.pulls
    return (
        f"the standard deviation of {counted(sums.pulls, 'result')} is "
        f"{rounded(sqrt(max(around, 0.0) / (sums.pulls - 1)))}. The guarantee does not hold then. Declare a larger one"
    )


def _widest(model: Spread, mean: float, edge: float, known: Distribution | None) -> tuple[float, float, float]:
    """The gap, the variance of normal results, and that of the normal results at the edge that are most like them."""
    gap, variance = mean - edge, (model.sd if known is None else known.sd) ** 2
    return gap, variance, max(variance, min(variance + gap * gap, model.sd**2))


def _information(model: Spread, mean: float, edge: float, known: Distribution | None) -> float:
    """The relative entropy of normal results: other shapes at the edge may be told apart less easily."""
    gap, variance, other = _widest(model, mean, edge, known)
    return 0.5 * (log(other / variance) + (variance + gap * gap) / other - 1.0) if variance > 0.0 else inf


def _best_bet(model: Spread, mean: float, edge: float, known: Distribution | None) -> Bet:
    gap, variance, other = _widest(model, mean, edge, known)
    constant_part = 0.5 * log(other / variance) - gap * gap / (2.0 * variance)
    return Bet(edge, 0.0, constant_part, gap / variance, 0.5 / other - 0.5 / variance)


def _simulated(model: Spread, mean: float, spread: float | None, concentration: float) -> Shape:
    return Shape(mean, model.sd if spread is None else spread)


ANY_SHAPE = Process(
    name="spread",
    within=within,
    below=below,
    margin_and_sd=known_scale.margin,
    fold=fold,
    enough_within=enough_within,
    enough_below=enough_below,
    draw=KNOWN_SCALE.draw,
    checked=_checked,
    scale_at=lambda model, threshold: float(model.sd),
    assumption=lambda model: f"a standard deviation of at most {written(model.sd)}, whatever the shape",
    condition=lambda model: f"has an sd of at most {written(model.sd)}",
    interval=_interval,
    contradiction=_contradiction,
    information=_information,
    best_bet=_best_bet,
    distribution=KNOWN_SCALE.distribution,
    simulated=_simulated,
    of_shape=KNOWN_SCALE.of_shape,
    extra=BELOW + room(BETS),
    transferable=True,
    open_spread=False,
    gaussian=True,
)
