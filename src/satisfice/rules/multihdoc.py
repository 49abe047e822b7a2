"""MultiHDoC: optimism that grows with the total number of pulls."""

from math import log, sqrt
from typing import NamedTuple

from satisfice.problem.units import Setting


class MultiHDoC(NamedTuple):
    """Kano et al. 2019, lifted to M metrics (paper, Algorithm 3): least ghat - sqrt(ln t / (2 n)).

    t counts the pulls made so far. The bonus is the same whatever sigma is, as printed.
    """

    log_factor: float = 0.5

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.log_factor / pulls

    def priority_at(self, shortfall: float, excess: float, bonus: float, total_pulls: int) -> float:
        return sqrt(log(total_pulls) * bonus) - shortfall
