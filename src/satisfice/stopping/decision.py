"""What may be decided about an arm, and when a confidence width decides it."""

from math import inf

from satisfice.arrays import Floats

KEEP, ACCEPT, REJECT = 0, 1, 2
"""What may be decided about an arm."""


def passes(excess: float, width: float) -> bool:
    """Whether an arm is accepted: excess + width <= 0 (paper, Algorithm 2, condition 1)."""
    return excess <= -width


def fails(shortfall: float, width: float) -> bool:
    """Whether an arm is rejected: shortfall - width > 0 (paper, Algorithm 2). Accepting comes first."""
    return shortfall > width


def excess_of(deficits: Floats, arm: int, pulls: int, tolerances: Floats) -> float:
    """max_m (mean deficit - tolerance): zero or less where the arm's means are all within tolerance."""
    worst = -inf
    for metric in range(tolerances.shape[0]):
        worst = max(worst, deficits[arm, metric] / pulls - tolerances[metric])
    return worst


def shortfall_of(deficits: Floats, arm: int, pulls: int) -> float:
    """max_m mean deficit: zero or less where the arm's means are all at or beyond their thresholds."""
    worst = -inf
    for metric in range(deficits.shape[1]):
        worst = max(worst, deficits[arm, metric] / pulls)
    return worst
