"""Thompson sampling on the weakest metric: one draw for each arm."""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats


class Thompson(NamedTuple):
    """Thompson 1933 on the worst metric: score = min_m margin + sd_factor * sd * Z, Z standard normal.

    Nearly as good as Murphy sampling and a fraction of its cost, since it draws once for each arm and never again.
    """

    sd_factor: float = 1.0

    def drawn_score(self, rng: np.random.Generator, margins: Floats, tolerances: Floats, arm: int, sd: float) -> float:
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric])
        return weakest + self.sd_factor * sd * rng.standard_normal()

    def redraws(self) -> int:
        return 0
