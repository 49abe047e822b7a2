"""Pandora's rule: open the box with the lowest reservation cost, in evaluations.

Several arms may be evaluated, each evaluation costs 1, and the search ends when one arm is accepted. If the arms are
independent, the least expected cost is that of a rule which gives each arm a number by its own results alone and
evaluates the one with the lowest: the R at which it is all the same whether one pays R and is done, or goes on with
this arm and may still pay R later (Dumitriu, Tetali and Winkler 2003, for tokens on Markov chains; Gittins 1979). Here
an arm is its number of results n and z, by how many standard errors its mean is beyond the limit. It is accepted where
z reaches an `edge`, the root of twice the level of evidence, and of its true mean nothing is known before: given n and
z it is normal around z/sqrt(n) with variance 1/n. In logarithmic time s = ln n the score then moves by z/2 ds plus a
Brownian motion, at a cost of n ds, and the value v of going on with R = 1 solves

    0 = min(1 - v, dv/ds + z/2 dv/dz + 1/2 d2v/dz2 + e^s),    v = 0 at the edge.

What is solved is without a scale, so that R = n f(z, edge). The table has ln(f/(edge - z)) at z = -5, -4.5 ... 9 for
edges of 1.5, 2.5 ... 9.5, from finite differences (tests/rules/test_reservation.py computes it again).
"""

from math import exp, inf, log, log1p, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.problem.units import Setting

LOWEST, STEPS_IN_ONE, COLUMNS = -5.0, 2.0, 29
FIRST_EDGE, EDGES = 1.5, 9
LEAST_TO_GO = 0.1
"""What is no nearer to its edge, in standard errors, is not told apart."""
LEAST_BEYOND = 1e-9
"""The edge over a score beyond it: no score is taken for further than that."""
HOPELESS, MOST = -1e6, 600.0
"""Scores below the first are as bad as it, and ln of what an arm costs is no more than the second."""

# fmt: off
TABLE: Floats = np.array([
    # 1.5
    10.79, 8.67, 6.91, 5.48, 4.32, 3.39, 2.61, 1.95, 1.38, 0.85, 0.36, -0.16, -0.86, -1.45, -1.45,
    -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45, -1.45,
    # 2.5
    10.73, 8.63, 6.90, 5.52, 4.41, 3.52, 2.78, 2.17, 1.64, 1.17, 0.75, 0.36, -0.01, -0.42, -1.00,
    -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50, -1.50,
    # 3.5
    10.63, 8.55, 6.85, 5.49, 4.42, 3.56, 2.86, 2.27, 1.76, 1.33, 0.94, 0.59, 0.28, -0.02, -0.32,
    -0.65, -1.13, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54, -1.54,
    # 4.5
    10.54, 8.47, 6.79, 5.46, 4.41, 3.58, 2.89, 2.32, 1.84, 1.42, 1.05, 0.72, 0.42, 0.15, -0.10,
    -0.34, -0.58, -0.84, -1.25, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58, -1.58,
    # 5.5
    10.45, 8.40, 6.74, 5.43, 4.40, 3.59, 2.92, 2.36, 1.89, 1.48, 1.12, 0.81, 0.52, 0.26, 0.03,
    -0.19, -0.40, -0.59, -0.79, -1.01, -1.37, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59,
    # 6.5
    10.38, 8.33, 6.69, 5.41, 4.40, 3.59, 2.94, 2.39, 1.93, 1.53, 1.18, 0.87, 0.59, 0.34, 0.11,
    -0.10, -0.29, -0.47, -0.64, -0.81, -0.98, -1.17, -1.47, -1.59, -1.59, -1.59, -1.59, -1.59, -1.59,
    # 7.5
    10.31, 8.27, 6.65, 5.38, 4.39, 3.60, 2.96, 2.42, 1.97, 1.57, 1.23, 0.92, 0.65, 0.40, 0.18,
    -0.03, -0.21, -0.39, -0.55, -0.70, -0.85, -0.99, -1.14, -1.30, -1.57, -1.60, -1.60, -1.60, -1.60,
    # 8.5
    10.24, 8.22, 6.62, 5.36, 4.38, 3.61, 2.97, 2.45, 2.00, 1.61, 1.27, 0.97, 0.70, 0.46, 0.24,
    0.04, -0.15, -0.32, -0.48, -0.63, -0.77, -0.90, -1.03, -1.15, -1.28, -1.42, -1.66, -1.66, -1.66,
    # 9.5
    10.18, 8.18, 6.58, 5.35, 4.38, 3.61, 2.99, 2.47, 2.03, 1.64, 1.31, 1.01, 0.75, 0.51, 0.29,
    0.09, -0.09, -0.26, -0.42, -0.57, -0.70, -0.83, -0.96, -1.07, -1.18, -1.29, -1.40, -1.53, -1.74,
]).reshape(EDGES, COLUMNS)
# fmt: on
TABLE.setflags(write=False)


def reservation_cost(score: float, edge: float, pulls: float) -> float:
    """R of an arm with that score after `pulls` results: between the points of the table by straight lines.

    Below the lowest point the last line goes on, above the highest edge its row stands for all. An arm beyond its edge
    should be accepted; where it is not, since its evidence takes more than normal results would, it is the better the
    further it has come: the score grows with the root of the results, and what is left falls with their number.
    """
    low = max(score, HOPELESS)
    row = min(max(edge - FIRST_EDGE, 0.0), EDGES - 1.0)
    column = min((low - LOWEST) * STEPS_IN_ONE, COLUMNS - 1.0)
    above, left = min(int(row), EDGES - 2), min(int(max(column, 0.0)), COLUMNS - 2)
    down, right = row - above, column - left
    here = TABLE[above, left] + right * (TABLE[above, left + 1] - TABLE[above, left])
    there = TABLE[above + 1, left] + right * (TABLE[above + 1, left + 1] - TABLE[above + 1, left])
    beyond = max(edge / max(edge, low), LEAST_BEYOND) ** 4
    return pulls * beyond * max(edge - low, LEAST_TO_GO) * exp(min(here + down * (there - here), MOST))


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
    (`reservation_cost`). The arm with the lowest is pulled: it depends on the arm's own results alone, and an arm that
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
