"""MultiAPT: pull the arm that is hardest to tell from its threshold."""

from math import sqrt
from typing import NamedTuple

from satisfice.problem.units import Setting


class MultiAPT(NamedTuple):
    """Locatelli et al. 2016, lifted to M metrics (paper, Algorithm 3): least sqrt(n) |ghat - epsilon|.

    `margin` is the precision that the original index adds to the distance; the paper has none.
    """

    margin: float = 0.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return sqrt(pulls)

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return -bonus * (abs(excess) + self.margin)
