"""A sampling rule and a boundary of one's own: two small values in a file that satisfice has never heard of.

Run with: satisfice simulate examples/radio.toml -r multitucb -r examples.own_rule:RoundRobin
or with: satisfice simulate examples/radio.toml --stopping examples.own_rule:Stitched
"""

from math import log, sqrt
from typing import NamedTuple

from satisfice import Setting


class RoundRobin(NamedTuple):
    """Everyone still in play gets the same number of evaluations: what a fixed number of repeats would do."""

    start: float = 0.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.start - pulls

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus


class Stitched(NamedTuple):
    """The stitched boundary of Howard, Ramdas, McAuliffe and Sekhon 2021, shared among K arms and M metrics.

    1.7 sigma sqrt((ln ln(2 n) + 0.72 ln(10.4 K M / delta)) / n): all intervals hold at all times, together.
    """

    factor: float = 1.7

    def width(self, pulls: int, setting: Setting) -> float:
        share = setting.error_rate / (setting.arms * setting.metrics)
        nats = log(log(2.0 * pulls)) + 0.72 * log(10.4 / share)
        return self.factor * setting.noise_scale * sqrt(nats / pulls)
