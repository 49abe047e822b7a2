"""Sampling rules and stopping rules of one's own: small values in a file that satisfice has never heard of.

Run with: satisfice simulate examples/radio.toml -r multitucb -r examples.own_rule:RoundRobin
or with: satisfice simulate examples/radio.toml --stopping examples.own_rule:Stitched
"""

from dataclasses import replace
from math import inf, log, sqrt
from typing import NamedTuple

import satisfice as sf
from satisfice import Setting


class RoundRobin(NamedTuple):
    """Everyone still in play gets the same number of evaluations: what a fixed number of repeats would do."""

    start: float = 0.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.start - pulls

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus


class Surest(NamedTuple):
    """The arm whose weakest metric is furthest beyond its limit, with a bonus for arms that are little known."""

    doubt: float = 2.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.doubt / sqrt(pulls)

    def margin_priority(self, margins, tolerances, arm: int, pulls: int, bonus: float) -> float:
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric] + tolerances[arm, metric])
        return weakest + bonus


class EagerHDoC(NamedTuple):
    """MultiHDoC with a bonus that may be scaled."""

    eagerness: float = 2.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        return self.eagerness * setting.noise_scale**2 / pulls

    def priority_at(self, shortfall: float, excess: float, bonus: float, total_pulls: int) -> float:
        return sqrt(log(total_pulls) * bonus) - shortfall


class Hopeful(NamedTuple):
    """Thompson sampling on the average metric, twice as uncertain as it need be."""

    boldness: float = 2.0

    def drawn_score(self, rng, margins, tolerances, arm: int, sd: float) -> float:
        total = 0.0
        for metric in range(margins.shape[1]):
            total += margins[arm, metric]
        return total / margins.shape[1] + self.boldness * sd * rng.standard_normal()

    def redraws(self) -> int:
        return 0


class Stitched(NamedTuple):
    """The stitched boundary of Howard, Ramdas, McAuliffe and Sekhon 2021, shared among K arms and M metrics.

    1.7 sigma sqrt((ln ln(2 n) + 0.72 ln(10.4 K M / delta)) / n): all intervals hold at all times, together.
    """

    factor: float = 1.7

    def width(self, pulls: int, setting: Setting) -> float:
        share = setting.error_rate / (setting.arms * setting.metrics)
        nats = log(log(2.0 * pulls)) + 0.72 * log(10.4 / share)
        return self.factor * setting.noise_scale * sqrt(nats / pulls)


class Strict(NamedTuple):
    """Evidence at a part of the error rate: what is left of it may go to something else."""

    part: float = 0.5

    def judge(self, problem, arms: int):
        return sf.Evidence().judge(replace(problem, error_rate=self.part * problem.error_rate), arms)
