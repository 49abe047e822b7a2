"""Stopping by evidence: an arm is accepted or rejected when an e-process against the contrary has grown large enough.

The noise models have the e-processes, `error_budget` says who may spend how much of the error rate. Here they are put
to work: at most one comparison with a table for each metric and pull, where a model's evidence is an increasing
function of a sum for a given number of pulls. An average that may be about to reject is computed anew.
"""

from math import exp, inf, log
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, copy
from satisfice.noise.kinds import SLACK, NoiseTable, ratio_of
from satisfice.problem.problem import Problem
from satisfice.stopping.error_budget import DEFAULT_REJECT_SHARE, reject_shares, shares_for

ACCEPTING, REJECTING = 0, 1

NEAR = 1e-3
"""How near to a level, in ln E, the entry of a table is computed, far more than it can be off."""


class EvidenceJudge(NamedTuple):
    """Evidence for metrics of any noise, mixed freely.

    Levels are what ln of the evidence must reach: of every metric to accept, of the average of all metrics whose
    evidence may be averaged to reject, or of a single other metric (`lone_level`), or of the product of all if they are
    independent. `needs` of shape (2, M, N) say, by number of pulls, from where on a single metric's evidence suffices
    to accept or may suffice to reject, in whatever the metric's process compares.
    """

    accept_level: float
    reject_level: float
    lone_level: float
    product_level: float
    noise: NoiseTable
    needs: Floats

    def room(self) -> int:
        return int(self.needs.shape[2])

    def extended(self, length: int) -> "EvidenceJudge":
        metrics, known = self.needs.shape[1], self.needs.shape[2]
        needs = np.zeros((2, metrics, length))
        for metric in range(metrics):
            twin = self.noise.twins[metric]
            for side in range(2):
                copy(self.needs[side, metric], needs[side, metric])
                for pulls in range(max(1, known), length):
                    if twin < metric:
                        needs[side, metric, pulls] = needs[side, twin, pulls]
                    else:
                        needs[side, metric, pulls] = self.needed(side, metric, pulls)
        return EvidenceJudge(
            self.accept_level, self.reject_level, self.lone_level, self.product_level, self.noise, needs
        )

    def needed(self, side: int, metric: int, pulls: int) -> float:
        """Where the metric's evidence suffices to accept, or may suffice to reject."""
        if side == ACCEPTING:
            return self.noise.needed_within(metric, pulls, self.accept_level)
        return self.noise.needed_below(metric, pulls, self.alone(metric))

    def alone(self, metric: int) -> float:
        """What ln of one metric's evidence must reach, at least, to reject."""
        return self.reject_level if self.noise.averaged[metric] == 1 else self.lone_level

    def need(self, side: int, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        """The same from the table."""
        return float(self.needs[side, metric, pulls])

    def accepts(self, deficits: Floats, more: Floats, memory: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        """Whether every metric of the arm has been within tolerance beyond doubt at some time; `memory` has which."""
        certain = True
        for metric in range(deficits.shape[1]):
            if memory[arm, metric] == 0.0:
                deficit, sums, ratio = deficits[arm, metric], more[arm, metric], ratio_of(self.noise, arm, metric)
                need = self.need(ACCEPTING, metric, pulls, deficit, sums, ratio)
                if need < inf and self.noise.enough_within(metric, pulls, deficit, sums, ratio, need):
                    memory[arm, metric] = 1.0
                else:
                    certain = False
        return certain

    def calm(
        self, memory: Floats, arm: int, metric: int, pulls: int, last: int, least_total: float
    ) -> tuple[float, float]:
        """Between which sums of a metric nothing is decided or remembered until result `last` (`noise.process`)."""
        need = inf if memory[arm, metric] != 0.0 else self.needs[ACCEPTING, metric, pulls]
        need_below = self.needs[REJECTING, metric, pulls]
        return self.noise.between(metric, pulls, last, need, need_below, least_total, ratio_of(self.noise, arm, metric))

    def is_calm(self, memory: Floats, arm: int) -> bool:
        """Whether decisions wait for single metrics alone."""
        return self.noise.calm and self.product_level == inf

    def increases(self, memory: Floats, arm: int) -> bool:
        return True

    def is_settled(self, memory: Floats, arm: int, metric: int) -> bool:
        return bool(memory[arm, metric] == 1.0)

    def rejects(self, deficits: Floats, more: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        """Whether some mean of the arm misses its threshold beyond doubt."""
        if shortfall <= 0.0:
            return False  # where every mean is at or beyond its threshold nothing speaks against the arm
        doubtful = False
        certain = False
        for metric in range(deficits.shape[1]):
            deficit, sums, ratio = deficits[arm, metric], more[arm, metric], ratio_of(self.noise, arm, metric)
            need = self.need(REJECTING, metric, pulls, deficit, sums, ratio)
            enough = need < inf and self.noise.enough_below(metric, pulls, deficit, sums, ratio, need)
            averaged = self.noise.averaged[metric] == 1
            doubtful |= enough and averaged
            certain |= enough and not averaged
        if doubtful and not certain:
            certain = self.average_reaches(deficits, more, arm, pulls)
        if self.product_level < inf and not certain:
            certain = self.product_below(deficits, more, arm, pulls) >= self.product_level
        return certain

    def average_reaches(self, deficits: Floats, more: Floats, arm: int, pulls: int) -> bool:
        """Whether the average evidence against the arm, of the metrics that may be averaged, reaches the level."""
        total = 0.0
        averaged = 0
        for metric in range(deficits.shape[1]):
            if self.noise.averaged[metric] == 1:
                averaged += 1
                ratio = ratio_of(self.noise, arm, metric)
                evidence = self.noise.below(metric, pulls, deficits[arm, metric], more[arm, metric], ratio)
                total += exp(min(evidence - self.reject_level, 700.0))
        return total >= averaged

    def product_below(self, deficits: Floats, more: Floats, arm: int, pulls: int) -> float:
        """ln of the product of all metrics' evidence against the arm: evidence only if they are independent."""
        total = 0.0
        for metric in range(deficits.shape[1]):
            ratio = ratio_of(self.noise, arm, metric)
            total += self.noise.below(metric, pulls, deficits[arm, metric], more[arm, metric], ratio)
        return total


class EvidenceAtHand(EvidenceJudge):
    """The same decisions without tables, for results that come one at a time.

    Tables by number of pulls pay in a simulation, where thousands of runs share them. A live search looks at each entry
    once at most, so it first asks whether the evidence can possibly suffice and only then computes the entry.
    """

    __slots__ = ()

    def room(self) -> int:
        return 2**62

    def need(self, side: int, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> float:
        """From where on the evidence suffices, infinite where it does not."""
        noise = self.noise
        level = self.accept_level if side == ACCEPTING else self.alone(metric)
        if not noise.tabulated[metric]:
            return level
        most = noise.most_within if side == ACCEPTING else noise.most_below
        evidence = noise.within if side == ACCEPTING else noise.below
        if most(metric, pulls, deficit, more, ratio) < level - SLACK:
            return inf
        if evidence(metric, pulls, deficit, more, ratio) < level - NEAR:
            return inf
        return self.needed(side, metric, pulls)


class Evidence(NamedTuple):
    """Stop once e-processes say so.

    `reject_share` is the part of the error rate that a wrong NONE may use; more of it where most likely no arm passes.
    `independent_metrics` declares that the metrics of an evaluation are independent: half of what an arm may be wrongly
    rejected with then goes to the product of their evidence, for arms that fail in several metrics at once.
    """

    reject_share: float = DEFAULT_REJECT_SHARE
    independent_metrics: bool = False

    def judge(self, problem: Problem, arms: int) -> EvidenceJudge:
        """The rule made ready for a problem with that many arms; its tables are still empty."""
        noisy = [metric.process for metric in problem.metrics if not metric.process.certain]
        lone = sum(not process.averaged for process in noisy)
        shares = shares_for(problem.setting(arms), self.reject_share)
        product = 0.5 * shares.reject if self.independent_metrics else 0.0
        rejecting = reject_shares(shares.reject - product, len(noisy) - lone, lone)
        return EvidenceJudge(
            shares.accept_level,
            rejecting.averaged_level,
            rejecting.each_level,
            -log(product) if product > 0.0 else inf,
            problem.noise(arms),
            np.zeros((2, len(problem.metrics), 0)),
        )
