"""Murphy sampling: Thompson sampling given that some arm passes."""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats


class Murphy(NamedTuple):
    """Kaufmann, Koolen and Garivier 2018: draw all means until some arm passes, pull the one with the largest margin.

    Whatever can go right is assumed to go right: the posterior is conditioned on a good arm by drawing again, at most
    `most_redraws` times.
    """

    most_redraws: int = 20
    longest_stay: int = 4

    def drawn_score(
        self, rng: np.random.Generator, strengths: Floats, slacks: Floats, arm: int, blur: float, level: float
    ) -> float:
        weakest = inf
        for metric in range(strengths.shape[1]):
            weakest = min(weakest, strengths[arm, metric] + blur * rng.standard_normal())
        return weakest

    def redraws(self) -> int:
        return self.most_redraws

    def stay(self, pulls: int) -> int:
        return min(1 + pulls // 8, self.longest_stay)
