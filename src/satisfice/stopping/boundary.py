"""Boundaries as judges, and the paper's: a union bound over arms, metrics and all times."""

from math import inf, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, copy
from satisfice.errors import InvalidProblem
from satisfice.problem.metric import known_scale
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting
from satisfice.stopping.decision import excess_of, fails, passes
from satisfice.stopping.protocol import Boundary


class BoundaryJudge(NamedTuple):
    """Accept once excess + width <= 0, reject once shortfall - width > 0 (paper, Algorithms 2 and 3)."""

    boundary: Boundary
    setting: Setting
    tolerances: Floats
    largest_tolerance: float
    widths: Floats

    def room(self) -> int:
        return int(self.widths.shape[0])

    def extended(self, length: int) -> "BoundaryJudge":
        widths = np.empty(length)
        known = self.widths.shape[0]
        copy(self.widths, widths)
        for pulls in range(max(1, known), length):
            widths[pulls] = self.boundary.width(pulls, self.setting)
        return BoundaryJudge(self.boundary, self.setting, self.tolerances, self.largest_tolerance, widths)

    def accepts(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        width = self.widths[pulls]
        # the excess is at least shortfall - largest_tolerance, in floating point too: seldom worth computing
        return passes(shortfall - self.largest_tolerance, width) and passes(
            excess_of(deficits, arm, pulls, self.tolerances), width
        )

    def increases(self, memory: Floats, arm: int) -> bool:
        return True

    def is_settled(self, memory: Floats, arm: int, metric: int) -> bool:
        return False  # all metrics must be within at the same time

    def rejects(self, deficits: Floats, more: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        return fails(shortfall, self.widths[pulls])


def boundary_judge(boundary: Boundary, problem: Problem, arms: int) -> BoundaryJudge:
    """A boundary made ready for a problem; its tables are still empty."""
    for metric in problem.metrics:
        known_scale(metric)
        if metric.two_sided:
            raise InvalidProblem(
                f"{metric.label!r} has a tolerance that is no tolerance of a mean, which a boundary knows nothing of. "
                "Take the stopping rule 'evidence', or no tolerance."
            )
    tolerances = np.array(problem.standardisation().tolerances)
    return BoundaryJudge(boundary, problem.setting(arms), tolerances, float(tolerances.max()), np.empty(0))


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
