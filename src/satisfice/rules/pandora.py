"""Pandora's rule: open the box with the lowest reservation cost."""

from math import erfc, inf, log, log1p, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats
from satisfice.problem.units import Setting

SQRT_HALF = sqrt(0.5)
TYPICAL_PRECISION = 30.0
"""Of the mixtures of evidence: what not having known the gap costs after n pulls is about ln sqrt(1 + n/30) nats."""

CHANCES = tuple(0.5 * erfc((0.5 * step - 1.0) * SQRT_HALF) for step in range(6))
"""Of a normal variable to be above -1, -1/2, 0, 1/2, 1 and 3/2."""
MIDDLE = 2
HOPELESS = 1e300
LEAST_BEYOND = 1e-6
"""What is less than so many standard errors above the limit is on it."""
LEAST_CHANCE = 1e-280

_ROUNDED_UP = 1.0 + 1e-9
LEAST_DEARER = tuple(1.0 / (chance * _ROUNDED_UP) for chance in CHANCES)
"""Looking is dearer by so much at least where that chance is needed."""
_QUARTERS = [0.5 * erfc((0.5 * step + 0.25) * SQRT_HALF) for step in range(7)]
MOST_LIKELY, MOST_OF_LEAST = _QUARTERS[0] * _ROUNDED_UP, LEAST_CHANCE * _ROUNDED_UP
LESS_LIKELY = tuple(_QUARTERS[step + 1] / _QUARTERS[step] * _ROUNDED_UP for step in range(6))
"""The chance to be above 1/4 + step/2, or more, is less by these parts at least with half a standard deviation more:
they fall with the step, since the normal density is log-concave."""
MOST_DEARER = 1e6
DEAREST = 1e290
"""So many evaluations can be priced, at whatever cost."""

LEAST_LOOK, SHARE_OF_THE_REST = 12.0, 0.1
"""Looking closer at an arm costs that many pulls at least, and that part of what is left until it is accepted."""
OPENS_EVERY = 3
"""While the leader looks good, one of so many evaluations goes to a new arm."""
FORCED_EVERY = 4
"""Of so many evaluations at most one is a forced look."""


class Pandora(NamedTuple):
    """Weitzman 1979: whoever must choose one of several boxes opens first the one with the best reservation value.

    Here a box is an arm and its prize is a low remaining cost: if its weakest metric is truly d beyond its limit,
    c(d) = 2 (level - ln E)/d^2 pulls are left until it is accepted. With R pulls to go elsewhere it pays to look
    closer at an arm as long as E (R - c(d))^+ exceeds what looking costs: `price` times as many pulls as it has had, a
    tenth of what is left, and twelve at least. The reservation cost is the R where both are equal. From E (R - c)^+ >=
    P(d > x) (R - c(x)) it is at most c(x) + looking/P(d > x) for every x: the least of these over a few x stands for
    it, and the arm with the lowest is pulled. It depends on the arm's own results alone, and an arm that costs more
    than it promised is left.

    An arm of which nothing is known is opened when the leader does not look good, and while it does for every third
    evaluation, or more seldom if it is dearer; no arm is opened that the search can do without. An open arm with fewer
    than sqrt(2 t/K) of t results is looked at again sooner or later, whatever its first results were.

    Where evaluations of arms cost differently, R is what is to be spent elsewhere: an arm whose evaluations cost k each
    has k times the reservation cost.

    The posterior of d is taken as normal around the estimate, in units of noise, and `spread` times as wide as it is:
    a little more doubt shortens the tail of runs that leave the best arm after an unlucky start.
    """

    price: float = 0.3
    spread: float = 1.2

    def bonus(self, pulls: int, setting: Setting) -> float:
        """What ln of the evidence must reach where the capital is, and what not knowing the gap costs."""
        return log(1.0 / setting.error_rate) + 0.5 + 0.5 * log1p(pulls / TYPICAL_PRECISION)

    def margin_priority(self, margins: Floats, tolerances: Floats, arm: int, pulls: int, bonus: float) -> float:
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric] + tolerances[arm, metric])
        score = sqrt(1.0 * pulls) * weakest
        gained = 0.5 * score * score if score > 0.0 else 0.0
        lack = max(bonus - gained, 0.3)
        left = 2.0 * lack * pulls
        least = max(self.price * pulls, LEAST_LOOK)
        if score >= 0.0:
            return -lowest_of_good(score, self.spread, left, least)
        return -lowest_of_bad(score, self.spread, left, least)

    def opens(self, weakest: float, number: int, dearer: float) -> bool:
        every = OPENS_EVERY if weakest > 0.0 else 1
        return number % (every * max(1, int(min(dearer, MOST_DEARER)))) == 0

    def looks_every(self) -> int:
        return FORCED_EVERY

    def looks_owed(self, number: int, arms: int) -> float:
        return sqrt(2.0 * number / arms)

    def in_money(self, priority: float, cost: float) -> float:
        return priority if cost == 1.0 else max(priority, -DEAREST) * cost


def lowest_of_good(score: float, spread: float, left: float, least: float) -> float:
    """The lowest c(x) + looking/P(d > x) of an arm that looks good: `left`/x^2 pulls until it is accepted, x in
    standard errors, and looking costs that many at `least`.

    From the middle outwards, as far as it can be lower: the more is asked of luck the dearer is looking, the less the
    dearer is the rest.
    """
    lowest = HOPELESS
    for step in range(MIDDLE, 6):
        if least * LEAST_DEARER[step] >= lowest:
            break
        beyond = score + spread * (0.5 * step - 1.0)
        if beyond > LEAST_BEYOND:
            cost = left / (beyond * beyond)
            lowest = min(lowest, cost + max(least, SHARE_OF_THE_REST * cost) / CHANCES[step])
    for step in range(MIDDLE - 1, -1, -1):
        beyond = score + spread * (0.5 * step - 1.0)
        if not beyond > LEAST_BEYOND or left >= lowest * (beyond * beyond) * _ROUNDED_UP:
            break
        cost = left / (beyond * beyond)
        lowest = min(lowest, cost + max(least, SHARE_OF_THE_REST * cost) / CHANCES[step])
    return lowest


def lowest_of_bad(score: float, spread: float, left: float, least: float) -> float:
    """The same where luck is needed: at least a quarter of a standard error above the limit."""
    luck = 0.25 - score / spread
    likely = MOST_LIKELY
    lowest = HOPELESS
    for step in range(6):
        beyond = score + spread * luck
        if beyond > LEAST_BEYOND:
            cost = left / (beyond * beyond)
            looking = max(least, SHARE_OF_THE_REST * cost)
            if looking < (lowest - cost) * likely:  # else it is not the lowest, whatever the chance is
                likely = max(0.5 * erfc(luck * SQRT_HALF), LEAST_CHANCE)
                lowest = min(lowest, cost + looking / likely)
        likely = max(likely * LESS_LIKELY[step], MOST_OF_LEAST)
        luck += 0.5
    return lowest
