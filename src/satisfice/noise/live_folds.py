"""What a live search does in place of a process's `fold`, to the same bits, where that is quicker while interpreted."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise import bounded
from satisfice.noise.bounded import BELOW, ORIGIN, UNIT, UNIT_BET, WITHIN, limit, stakes
from satisfice.noise.capitals import TOTAL, constant, multiply, multiply_often
from satisfice.noise.defaults import keep_squares
from satisfice.noise.process import TOLERANCE, Fold, Numbers

FEW = 6
"""So many results are folded one after the other as quickly."""
WEIGHTS: list[float] = bounded.WEIGHTS.tolist()


def in_range(more: Floats, value: float, weight: float, numbers: Numbers) -> None:
    """`fold` of results in a range."""
    origin, unit, theta = numbers[ORIGIN], numbers[UNIT], limit(numbers)
    if not (0.0 < theta < 1.0 and 0.0 < origin < 1.0):
        bounded.fold(more, value, weight, numbers)
        return
    for place, beyond, at in (
        (WITHIN, unit * (numbers[TOLERANCE] - value), theta),
        (BELOW, unit * value, 1.0 - origin),
    ):
        multiply(more, place, stakes(at, numbers[UNIT_BET]), beyond, WEIGHTS)


def many_in_range(more: Floats, values: Sequence[float], numbers: Numbers) -> None:
    origin, unit, theta = numbers[ORIGIN], numbers[UNIT], limit(numbers)
    begun = more[WITHIN + TOTAL] > 0.0 and more[BELOW + TOTAL] > 0.0
    if not begun or len(values) < FEW or not (0.0 < theta < 1.0 and 0.0 < origin < 1.0):
        for value in values:
            in_range(more, value, 1.0, numbers)
        return
    beyond, came = np.empty((len(values), 2)), np.array(values)
    beyond[:, 0], beyond[:, 1] = unit * (numbers[TOLERANCE] - came), unit * came
    multiply_often(more, stakes_of_both(theta, 1.0 - origin, numbers[UNIT_BET]), beyond, WEIGHTS)


@lru_cache(maxsize=1000)
def stakes_of_both(within: float, below: float, unit_bet: float) -> Floats:
    """What each bet is worth on either side."""
    return constant(np.array([stakes(within, unit_bet), stakes(below, unit_bet)]))


def no_more_sums(more: Floats, values: Sequence[float], numbers: Numbers) -> None:
    """Nothing beyond the squares."""


QUICK_FOLDS: dict[Fold, Fold] = {bounded.fold: in_range}
FOLDS_OF_MANY: dict[Fold, Callable[[Floats, Sequence[float], Numbers], None]] = {
    keep_squares: no_more_sums,
    in_range: many_in_range,
}
"""The same for several results at a time, whose squares are folded already: (more, values, numbers)."""
