"""Results in a range as version 0.1 judged them, for its logs alone: a bound of the evidence from two moments."""

from satisfice.arrays import Floats
from satisfice.noise.bets import BETS, LOG_WEIGHTS
from satisfice.noise.bounded import BOUNDED, ORIGIN, UNIT, Bounded, limit
from satisfice.noise.capital import log_evidence_moments
from satisfice.noise.defaults import keep_squares
from satisfice.noise.process import SQUARES_ALONE, Numbers, Process
from satisfice.noise.protocol import NoiseModel
from satisfice.noise.unknown_scale import UNIT_ROUNDING


class BoundedOf01(Bounded):
    """`Bounded`, with the evidence of version 0.1."""

    __slots__ = ()

    @property
    def process(self) -> Process:
        return BY_MOMENTS


def squares_from_zero(pulls: int, below: float, squares: float, origin: float) -> float:
    """The sum of (origin - below)^2 over the pulls, rounded up, from the sums of what is below and of its squares."""
    level = pulls * origin * origin
    return level - 2.0 * origin * below + squares + UNIT_ROUNDING * pulls * (level + squares)


def within(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    origin, unit = numbers[ORIGIN], numbers[UNIT]
    squares = squares_from_zero(pulls, unit * deficit, unit * unit * more[0], origin)
    return log_evidence_moments(pulls, pulls * origin - unit * deficit, squares, limit(numbers), BETS, LOG_WEIGHTS)


def below(pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float) -> float:
    origin, unit = numbers[ORIGIN], numbers[UNIT]
    failed = pulls - pulls * origin + unit * deficit  # the sum of 1 - x
    squares = squares_from_zero(pulls, -unit * deficit, unit * unit * more[0], 1.0 - origin)
    return log_evidence_moments(pulls, failed, squares, 1.0 - origin, BETS, LOG_WEIGHTS)


BY_MOMENTS = BOUNDED._replace(
    name="bounded, of 0.1",
    within=within,
    below=below,
    fold=keep_squares,
    enough_within=None,
    enough_below=None,
    live_fold=SQUARES_ALONE,
    extra=1,
    transferable=False,
    increasing=False,
)


def as_of_0_1(model: NoiseModel) -> NoiseModel:
    """The model with the evidence that version 0.1 had of it."""
    return BoundedOf01(*model) if isinstance(model, Bounded) else model
