"""How undeclared results steer the search while nothing can be decided by them, whatever comes next.

Results of one value, or of two, are no evidence (`tails`), and have next to no spread: by Student's t they
are within their limit, or beyond it, by any number of standard errors. A configuration that passes everything else
would be ahead of all others for good. So until a third value comes a score is neither very good nor very bad, and falls
as results repeat. What never happened in n results takes about n more to happen (Laplace 1774): by `Pandora` a score
that stays the same costs evaluations in proportion to n, and one that falls, more than that. Others are looked at then,
where something can be decided; among configurations that are all of this kind each gets its turn.
"""

from math import log, sqrt

from satisfice.arrays import Floats
from satisfice.noise.process import TOLERANCE, Numbers
from satisfice.noise.tails import FEWEST_VALUES, different
from satisfice.noise.unknown_scale import margin as margin_of_sample

BEST, FALLS, WORST = 3.0, 0.5, -2.0
"""Standard errors: of two results nearly the first at most, less that part of ln n after n, and at least the last."""


def margin(
    pulls: int, deficit: float, more: Floats, numbers: Numbers, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    found, sd = margin_of_sample(pulls, deficit, more, numbers, ratio, variance, weight)
    values = different(more, numbers)
    if values >= min(FEWEST_VALUES, pulls):
        return found, sd
    slack = numbers[TOLERANCE] / sd if sd > 0.0 else 0.0
    root = sqrt(1.0 * pulls)
    best = max(BEST - FALLS * log(1.0 * pulls), WORST)
    return min(max(root * (found + slack), WORST), best) / root - slack, sd
