"""Thompson sampling on the shortfall: one draw an arm."""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats


class Thompson(NamedTuple):
    """Thompson 1933 on the worst metric: score = min_m strength + blur * Z, one standard normal Z an arm.

    Nearly as good as Murphy sampling and a fraction of its cost, since it draws once an arm and never again.
    """

    longest_stay: int = 4

    def drawn_score(
        self, rng: np.random.Generator, strengths: Floats, slacks: Floats, arm: int, blur: float, level: float
    ) -> float:
        weakest = inf
        for metric in range(strengths.shape[1]):
            weakest = min(weakest, strengths[arm, metric])
        return weakest + blur * rng.standard_normal()

    def redraws(self) -> int:
        return 0

    def stay(self, pulls: int) -> int:
        return min(1 + pulls // 8, self.longest_stay)
