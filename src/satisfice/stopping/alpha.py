"""The paper's stopping boundary: a union bound over arms, metrics and all times."""

from math import inf, log, pi, sqrt
from typing import NamedTuple

from satisfice.problem.units import Setting


def alpha(pulls: int, setting: Setting) -> float:
    """alpha(n, delta) = sqrt(2 sigma^2 ln(pi^2 K M n^2 / (3 delta)) / n) (paper, Proposition 3)."""
    variance = setting.noise_scale * setting.noise_scale
    union = pi * pi * setting.arms * setting.metrics / (3.0 * setting.error_rate)
    # ln(u) + 2 ln(n) instead of ln(u n^2): no overflow for any number of pulls
    return sqrt(2.0 * variance * (log(union) + 2.0 * log(pulls)) / pulls)


class AlphaBoundary(NamedTuple):
    """Proposition 3 as the paper uses it: arms are looked at from their second pull on (Algorithms 2 and 3)."""

    first_look: int = 2

    def width(self, pulls: int, setting: Setting) -> float:
        return alpha(pulls, setting) if pulls >= self.first_look else inf
