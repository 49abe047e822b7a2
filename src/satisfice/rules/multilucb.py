"""MultiLUCB: optimism as wide as the stopping rule's own interval."""

from typing import NamedTuple

from satisfice.problem.units import Setting
from satisfice.stopping.boundary import alpha


class MultiLUCB(NamedTuple):
    """Kalyanakrishnan et al. 2012, lifted to M metrics (paper, section 5): least ghat - alpha(n, delta)."""

    width_factor: float = 1.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.width_factor * alpha(pulls, setting)

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus - shortfall
