"""Uniform sampling: every arm that is left, in turn."""

from typing import NamedTuple

from satisfice.problem.units import Setting


class Uniform(NamedTuple):
    """Pull the arm that has been pulled least (with a boundary that rejects: successive elimination)."""

    weight: float = 1.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return -self.weight * pulls

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus
