"""Pandora's rule: open the box with the lowest reservation cost."""

from math import exp, inf, log, log1p, sqrt
from typing import NamedTuple

from satisfice.arrays import Floats
from satisfice.problem.units import Setting
from satisfice.rules.reservation import LEAST_TO_GO, LOWEST, reservation_cost

TYPICAL_PRECISION = 30.0
"""Of the mixtures of evidence: what not having known the gap costs after n pulls is about ln sqrt(1 + n/30) nats."""

FEW_ARMS = 20.0
"""Up to so many arms the whole doubt applies, with more of them less and less."""
OF_SEVERAL = 4.0 / 3.0
"""Times the doubt where there are several metrics, before it counts that some of them are alike."""
SHARPNESS, FAR = 1.5, 12.0
"""Of the soft minimum over metrics: one that is ahead of the weakest by a few standard errors hardly counts."""
LEAST_SHARE = 1.0 / 3.0
"""Three metrics that are alike make a score as sure as more of them do."""
LEAST_SPREAD = sqrt(sqrt(LEAST_SHARE))
LEFT_OUT = exp(-FAR) / SHARPNESS
"""What a metric that is further ahead than that would take from the soft minimum, at most."""
ROUNDED = 1e-6
"""Far more than scores are rounded by."""
OPENS_EVERY, NEARLY_DONE, OPENS_SELDOM = 3, 20.0, 6
"""While the leader looks good one of so many evaluations goes to a new arm, of more if little is left of its own."""
FORCED_EVERY = 4
"""Of so many evaluations at most one is a forced look."""
MOST_DEARER = 1e6
DEAREST = 1e290
"""So many evaluations can be priced, at whatever cost."""


class Pandora(NamedTuple):
    """Weitzman 1979: whoever must choose one of several boxes opens first the one with the best reservation value.

    Here a box is an arm and its prize is to be accepted, at a low remaining cost. The reservation cost of an arm is the
    R at which it is all the same whether one pays R elsewhere or goes on with it, and may leave it for R at any time
    (`rules.reservation`). The arm with the lowest is pulled: it depends on the arm's own results alone, and an arm that
    costs more than it promised is left.

    It is a function of the number of results and of by how many standard errors the arm is within tolerance. An arm
    starts as if it had had `prior` results at its limits, which keeps a wide search from trusting single ones. Of
    several metrics all must pass: what counts is a soft minimum of theirs, -ln(sum of e^(-1.5 z))/1.5. And standard
    errors are taken as `doubt` larger than they are, less than that if there are more than 20 arms: more doubt shortens
    the tail of runs that leave the best arm after an unlucky start, and costs evaluations where there are many. It is
    a third more with several metrics. But the least of several scores that are alike varies less than one of them: with
    the weights w = e^(-.75 z), standard errors count (sum of w^2/(sum of w)^2)^(1/4) times, or (1/3)^(1/4) if more.

    An arm of which nothing is known is opened when the leader does not look good, and while it does for every third
    evaluation, or for every sixth if the leader is nearly done, or more seldom if it is dearer; no arm is opened that
    the search can do without. One of those opened last is looked at again instead while it looks better than the
    leader, if that looks good: a margin of g takes about 1/g^2 evaluations, so it would be done for less. An open arm
    with fewer than sqrt(4 t/K) of t results is looked at again sooner or later; one that is z standard errors outside
    of tolerance if it has fewer than 1/(1 + z^2) of that.

    Where evaluations of arms cost differently, R is what is to be spent elsewhere: an arm whose evaluations cost k each
    has k times the reservation cost.
    """

    prior: float = 12.0
    doubt: float = 0.3

    def bonus(self, pulls: int, setting: Setting) -> float:
        """The score at which an arm is accepted where the capital is, with what not knowing the gap costs."""
        level = log(1.0 / setting.error_rate) + 0.5 + 0.5 * log1p(pulls / TYPICAL_PRECISION)
        return sqrt(2.0 * level)

    def margin_priority(self, margins: Floats, tolerances: Floats, arm: int, pulls: int, bonus: float) -> float:
        score, spread = soft_minimum(margins, tolerances, arm, self.weight(pulls))
        doubted = spread * wider(self.doubt, margins.shape[0], in_question(margins, arm))
        return -reservation_cost(score / doubted, bonus, pulls + self.prior)

    def weight(self, pulls: int) -> float:
        return pulls / sqrt(pulls + self.prior)

    def leeway(
        self,
        margins: Floats,
        tolerances: Floats,
        arm: int,
        pulls: int,
        last: int,
        bonus: float,
        reach: float,
    ) -> float:
        """Costs rise with the number of results, fall with the score and rise with the edge, if that is not too near.

        The score is a soft minimum: it falls by no more than the metric that falls most, and by what metrics weigh that
        were too far ahead to count. Tried is what four, two and one standard deviations of that many results are.
        """
        score, _ = soft_minimum(margins, tolerances, arm, self.weight(pulls))
        score -= LEFT_OUT * (margins.shape[1] - 1)
        metrics = in_question(margins, arm)
        widest = wider(self.doubt, margins.shape[0], metrics)
        narrowest = widest if metrics == 1 else LEAST_SPREAD * widest
        edge_moves = (last - pulls) / (TYPICAL_PRECISION + pulls)  # by no more than this: the level is at least 1/2
        farthest = bonus - edge_moves - LEAST_TO_GO
        typical = sqrt((last - pulls) / (pulls + self.prior))
        for fall in (4.0 * typical, 2.0 * typical, typical):
            left = score - fall
            fallen = min(left / (widest if left > 0.0 else narrowest) - ROUNDED, farthest)
            if fallen > LOWEST and reservation_cost(fallen, bonus, last + self.prior) < -reach * (1.0 - ROUNDED):
                return fall
        return 0.0

    def opens(self, priority: float, weakest: float, number: int, dearer: float) -> bool:
        every = 1
        if weakest > 0.0:
            every = OPENS_EVERY if -priority > NEARLY_DONE else OPENS_SELDOM
        return number % (every * max(1, int(min(dearer, MOST_DEARER)))) == 0

    def pursues(self, newest: float, weakest: float, dearer: float) -> bool:
        return newest > weakest * sqrt(dearer) > 0.0

    def looks_every(self) -> int:
        return FORCED_EVERY

    def looks_owed(self, number: int, arms: int, score: float) -> float:
        outside = min(score, 0.0)
        return 2.0 * sqrt(number / arms) / (1.0 + outside * outside)

    def in_money(self, priority: float, cost: float) -> float:
        return priority if cost == 1.0 else max(priority, -DEAREST) * cost


def soft_minimum(margins: Floats, tolerances: Floats, arm: int, unit: float) -> tuple[float, float]:
    """Of by how many standard errors of 1/unit the arm's metrics are within tolerance, and how far it spreads.

    One metric spreads by 1. Where several count the smallest of their scores varies less than each of them.
    """
    weakest = inf
    for metric in range(margins.shape[1]):
        weakest = min(weakest, margins[arm, metric] + tolerances[arm, metric])
    score = unit * weakest
    if margins.shape[1] == 1 or weakest == inf:
        return score, 1.0
    alike = counted = 0.0
    for metric in range(margins.shape[1]):
        ahead = SHARPNESS * unit * (margins[arm, metric] + tolerances[arm, metric] - weakest)
        if ahead < FAR:
            half = exp(-0.5 * ahead)
            counted += half
            alike += half * half
    if not alike > 1.0:
        return score, 1.0
    return score - log(alike) / SHARPNESS, sqrt(sqrt(max(alike / (counted * counted), LEAST_SHARE)))


def in_question(margins: Floats, arm: int) -> int:
    """How many metrics of an arm results may still change: not those that one result, or a whole set, has settled."""
    if margins.shape[1] == 1:
        return 1
    found = 0
    for metric in range(margins.shape[1]):
        if margins[arm, metric] < inf:
            found += 1
    return found


def wider(doubt: float, arms: int, metrics: int) -> float:
    """How much larger standard errors are taken than they are."""
    whole = OF_SEVERAL * doubt if metrics > 1 else doubt
    return 1.0 + whole * min(1.0, FEW_ARMS / arms)
