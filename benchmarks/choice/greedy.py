"""A greedy rule: evaluate the arm that would be done soonest if what is estimated of it were true."""

from math import log, log1p, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats
from satisfice.problem.units import Setting
from satisfice.rules.pandora import (
    FORCED_EVERY,
    NEARLY_DONE,
    OPENS_EVERY,
    OPENS_SELDOM,
    TYPICAL_PRECISION,
    soft_minimum,
)

LEAST_STANDING, LEAST_LEFT = 0.05, 0.05
"""Standard errors below which an arm is only ranked, and the least part of its evaluations that is left of it."""


class Greedy(NamedTuple):
    """n ((edge/z)^2 - 1) evaluations are left of an arm with n results, z standard errors within tolerance.

    All else is Pandora's: the edge, the soft minimum over metrics, the prior, when arms are opened. It ignores costs.
    """

    prior: float = 12.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        level = log(1.0 / setting.error_rate) + 0.5 + 0.5 * log1p(pulls / TYPICAL_PRECISION)
        return sqrt(2.0 * level)

    def margin_priority(self, margins: Floats, tolerances: Floats, arm: int, pulls: int, bonus: float) -> float:
        known = pulls + self.prior
        score, _ = soft_minimum(margins, tolerances, arm, pulls / sqrt(known))
        standing = max(score, LEAST_STANDING) / (1.0 + 20.0 * max(LEAST_STANDING - score, 0.0))
        return -known * max((bonus / standing) ** 2 - 1.0, LEAST_LEFT)

    def opens(self, priority: float, weakest: float, number: int, dearer: float) -> bool:
        every = OPENS_EVERY if -priority > NEARLY_DONE else OPENS_SELDOM
        return weakest <= 0.0 or number % every == 0

    def pursues(self, newest: float, weakest: float, dearer: float) -> bool:
        return newest > weakest > 0.0

    def looks_every(self) -> int:
        return FORCED_EVERY

    def looks_owed(self, number: int, arms: int, score: float) -> float:
        return 2.0 * sqrt(number / arms) / (1.0 + min(score, 0.0) ** 2)
