"""What one further result can add to evidence at most, where that is known.

By it a live search knows of most results that they decide nothing yet, without looking at the evidence after each.
"""

from collections.abc import Callable
from math import inf, log

from satisfice.arrays import Floats
from satisfice.noise import bernoulli, bounded, checked
from satisfice.noise.bets import LARGEST_STAKE
from satisfice.noise.capitals import log_capital
from satisfice.noise.mixtures import LN2
from satisfice.noise.process import TOLERANCE, Evidence, Numbers
from satisfice.noise.unknown_scale import most_after

Parts = tuple[float, float]
"""Of what ln of the evidence lacks until a level: a part whatever the result is, or a part for each unit by which it is
on the side of the evidence, the other being 0. As long as the parts of further results add up to no more than 1, the
level is not reached."""

Gain = Callable[[int, float, Floats, Numbers, float], Parts]
"""(pulls, deficit, more, numbers, level) -> what one result can add."""

ALL = (inf, 0.0)
FURTHER = (64, 16, 4)
"""For so many results of any kind it is asked whether they can reach a level."""


def unknown(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    """Nobody knows how much a result can say."""
    return ALL


def _checked(pulls: int, total: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    squares = checked.squares_around(pulls, total, more)
    for further in FURTHER:
        by_share = numbers[checked.SHARE] * (pulls + further) - LN2
        if by_share < level or most_after(pulls, total, squares, further, checked.LATE) < level:
            return 1.0 / further, 0.0
    return ALL


def _checked_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    return _checked(pulls, pulls * numbers[TOLERANCE] - deficit, more, numbers, level)


def _zero_or_one(pulls: int, above: float, theta: float, unit: float, level: float) -> Parts:
    """Each that passes multiplies the capital of every bet by 1/theta at most, any other one by less than 1."""
    lacks = level - max(LN2, bernoulli.most(pulls, above, theta))
    return (0.0, -log(theta) * unit / ((1.0 - theta) * lacks)) if lacks > 0.0 and 0.0 < theta < 1.0 else ALL


def _zero_or_one_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    unit = numbers[bernoulli.UNIT]
    return _zero_or_one(pulls, unit * (pulls * numbers[TOLERANCE] - deficit), bernoulli.limit(numbers), unit, level)


def _zero_or_one_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    unit = numbers[bernoulli.UNIT]
    return _zero_or_one(pulls, unit * deficit, 1.0 - numbers[bernoulli.ORIGIN], unit, level)


def _in_range(more: Floats, place: int, pulls: int, theta: float, unit: float, level: float) -> Parts:
    """A result beyond theta multiplies the capital of every bet by that times the largest stake, plus 1, at most."""
    if not 0.0 < theta < 1.0:
        return ALL
    lacks = level - log_capital(more, place, pulls)
    return (0.0, LARGEST_STAKE / theta * unit / lacks) if lacks > 0.0 else ALL


def _in_range_within(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    return _in_range(more, bounded.WITHIN, pulls, bounded.limit(numbers), numbers[bounded.UNIT], level)


def _in_range_below(pulls: int, deficit: float, more: Floats, numbers: Numbers, level: float) -> Parts:
    return _in_range(more, bounded.BELOW, pulls, 1.0 - numbers[bounded.ORIGIN], numbers[bounded.UNIT], level)


GAINS: dict[Evidence, Gain] = {
    checked.within: _checked_within,
    checked.below: _checked,
    bernoulli.within: _zero_or_one_within,
    bernoulli.below: _zero_or_one_below,
    bounded.within: _in_range_within,
    bounded.below: _in_range_below,
}
"""By the evidence that results add to."""
