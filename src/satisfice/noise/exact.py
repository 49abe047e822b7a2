"""Exact results: a number that is the same every time a configuration is evaluated, such as a size or a price.

The claim is that one result is all there is to know. So one result decides: beyond the limit the configuration is out,
at no share of the error rate; within it the metric is proven, its evidence infinite, and so is its margin, by which it
leaves the choice of what to evaluate next. A result that differs contradicts the claim and stops a study for good.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.process import (
    Bet,
    Distribution,
    Interval,
    KnownCalm,
    Numbers,
    Process,
    Shape,
    Sums,
)

SURE = 1e9
"""ln of the evidence of one result, for an oracle that adds up what results say."""


class Exact(NamedTuple):
    """The same number every time."""

    @property
    def scale(self) -> None:
        return None

    @property
    def process(self) -> Process:
        return THE_SAME

    def __eq__(self, other: object) -> bool:  # a tuple without elements equals every other
        return isinstance(other, Exact)

    def __hash__(self) -> int:
        return hash("exact")

    def __str__(self) -> str:
        return "exact"


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return inf if pulls > 0 and deficit <= 0.0 else 0.0


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    return inf if deficit > 0.0 else 0.0


def needed(pulls: int, level: float, numbers: Numbers) -> float:
    return 0.0


def enough_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return pulls > 0 and deficit <= 0.0


def enough_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, need: float) -> bool:
    return deficit > 0.0


def margin_and_sd(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    return (inf if deficit <= 0.0 else -inf), 0.0


def quiet_range(
    pulls: int, last: int, need_within: float, need_below: float, least_total: float, numbers: Numbers, ratio: float
) -> tuple[float, float]:
    """Nothing more happens to a metric that has passed."""
    return (-inf, 0.0) if need_within == inf else (inf, -inf)


def draw(rng: np.random.Generator, first: float, second: float) -> float:
    return 0.0


def _interval(model: Exact, sums: Sums, error_rate: float) -> Interval:
    value = sums.origin + sums.total / sums.pulls
    return Interval(value, value)


def _information(model: Exact, mean: float, edge: float, known: Distribution | None) -> float:
    return inf


def _best_bet(model: Exact, mean: float, edge: float, known: Distribution | None) -> Bet:
    return Bet(0.0, constant=SURE)


def _simulated(model: Exact, mean: float, spread: float | None, concentration: float) -> Shape:
    return Shape(mean, 0.0)


THE_SAME = Process(
    name="exact",
    within=within,
    below=below,
    margin_and_sd=margin_and_sd,
    needed_within=needed,
    needed_below=needed,
    enough_within=enough_within,
    enough_below=enough_below,
    calm=KnownCalm(enough_within, enough_below, margin_and_sd, quiet_range),
    draw=draw,
    assumption=lambda model: "every evaluation of a configuration returns the same number",
    condition=lambda model: "is the same every time",
    interval=_interval,
    information=_information,
    best_bet=_best_bet,
    simulated=_simulated,
    extra=0,
    averaged=False,
    transferable=True,
    open_spread=False,
    mean_fixes_spread=True,
    certain=True,
)
