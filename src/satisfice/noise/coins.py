"""Evidence that the mean of 0/1 results is above theta; `bets` says how, and what if theta is not in (0, 1).

A bet l is the likelihood ratio of the mean theta + l theta (1 - theta) to theta, so that the evidence is a function of
pulls and ones. Evidence that the mean is below theta is that of pulls - ones zeros above 1 - theta.

`bets` and `log_weights` are of shape (J,): `bets.BETS` and `bets.LOG_WEIGHTS`.
"""

from satisfice.arrays import Floats
from satisfice.noise.capital import log_evidence_two_values
from satisfice.noise.half_normal import ROUNDING


def log_evidence_bernoulli(pulls: int, ones: int, theta: float, bets: Floats, log_weights: Floats) -> float:
    """ln E_n: increasing in ones, decreasing in theta."""
    return log_evidence_two_values(1.0 * (pulls - ones), 1.0 * ones, 1.0, theta, bets, log_weights)


def ones_needed_bernoulli(pulls: int, level: float, theta: float, bets: Floats, log_weights: Floats) -> int:
    """The smallest number of ones with ln E_n >= level, and pulls + 1 where even ones alone do not suffice."""
    target = level + ROUNDING * (24.0 + abs(level) + 4.0 * pulls)  # the logarithm of a factor is rounded, times pulls
    fewest = 0
    enough = pulls + 1
    while fewest < enough:
        middle = (fewest + enough) // 2
        if log_evidence_bernoulli(pulls, middle, theta, bets, log_weights) >= target:
            enough = middle
        else:
            fewest = middle + 1
    return enough
