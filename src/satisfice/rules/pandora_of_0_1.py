"""Pandora's rule as studies of version 0.1 went by it: each arm is evaluated once before any is chosen."""

from math import erfc, inf, log, log1p, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats
from satisfice.problem.units import Setting

SQRT_HALF = sqrt(0.5)
TYPICAL_PRECISION = 30.0
"""Of the mixtures of evidence: what not having known the gap costs after n pulls is about ln sqrt(1 + n/30) nats."""

CHANCES = tuple(0.5 * erfc((0.5 * step - 1.0) * SQRT_HALF) for step in range(6))
"""Of a normal variable to be above -1, -1/2, 0, 1/2, 1 and 3/2."""
HOPELESS = 1e300
DEAREST = 1e290
"""The largest number of evaluations that is multiplied by a cost: it stays finite at any cost."""


class PandoraOf01(NamedTuple):
    """Weitzman 1979: whoever must choose one of several boxes opens first the one with the best reservation value.

    Here a box is an arm and its prize is a low remaining cost: if its weakest metric is truly d beyond its limit,
    c(d) = 2 (level - ln E)/d^2 pulls are left until it is accepted. With R pulls to go elsewhere it pays to look
    closer at an arm as long as E (R - c(d))^+ exceeds what looking costs, `price` times as many pulls as it has had, or
    as are left, and one at least. The reservation cost is the R where both are equal. From E (R - c)^+ >= P(d > x)
    (R - c(x)) it is at most c(x) + looking/P(d > x) for every x: the least of these over a few x stands for it, and the
    arm with the lowest is pulled. It depends on the arm's own results alone, and an arm that costs more than it
    promised is left.

    Where evaluations of arms cost differently, R is what is to be spent elsewhere: an arm whose evaluations cost k each
    has k times the reservation cost.

    The posterior of d is taken as normal around the estimate, in units of noise, and `spread` times as wide as it is:
    a little more doubt shortens the tail of runs that leave the best arm after an unlucky start.
    """

    price: float = 0.3
    spread: float = 1.2

    def bonus(self, pulls: int, setting: Setting) -> float:
        """What ln of the evidence must reach, and what not knowing the gap costs."""
        return log(setting.arms / setting.error_rate) + 0.5 + 0.5 * log1p(pulls / TYPICAL_PRECISION)

    def margin_priority(self, margins: Floats, tolerances: Floats, arm: int, pulls: int, bonus: float) -> float:
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric] + tolerances[arm, metric])
        score = sqrt(1.0 * pulls) * weakest
        gained = 0.5 * score * score if score > 0.0 else 0.0
        lack = max(bonus - gained, 0.3)
        ahead = score / self.spread
        luck = 0.25 - ahead if score < 0.0 else -1.0  # in standard deviations above the estimate
        lowest = HOPELESS
        for step in range(6):
            beyond = score + self.spread * luck
            if beyond * beyond > 0.0 and beyond > 0.0:
                cost = 2.0 * lack * pulls / (beyond * beyond)
                chance = CHANCES[step] if score >= 0.0 else 0.5 * erfc(luck * SQRT_HALF)
                looking = max(self.price * min(1.0 * pulls, cost), 1.0)
                lowest = min(lowest, cost + looking / max(chance, 1e-300))
            luck += 0.5
        return -lowest

    def in_money(self, priority: float, cost: float) -> float:
        return priority if cost == 1.0 else max(priority, -DEAREST) * cost
