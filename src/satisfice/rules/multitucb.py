"""MultiTUCB: optimism that depends on an arm's own pulls."""

from math import log, sqrt
from typing import NamedTuple

from satisfice.problem.units import Setting


class MultiTUCB(NamedTuple):
    """Jiang, Hashima, Hatano and Takimoto, Algorithm 2: least ghat - sqrt(2 sigma^2 ln(K M n) / n)."""

    variance_factor: float = 2.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        variance = setting.noise_scale * setting.noise_scale
        return sqrt(self.variance_factor * variance * log(setting.arms * setting.metrics * pulls) / pulls)

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus - shortfall
