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

    def drawn_score(self, rng: np.random.Generator, margins: Floats, tolerances: Floats, arm: int, sd: float) -> float:
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric] + sd * rng.standard_normal())
        return weakest

    def redraws(self) -> int:
        return self.most_redraws
