"""Stopping by evidence: an arm is accepted or rejected when an e-process against the contrary has grown large enough.

`core.evidence` has the e-processes and says who may spend how much of the error rate. Here they are put to work: at
most one comparison with a table a metric and a pull, since all evidence is an increasing function of a sum for a given
number of pulls. Only evidence of bounded results, and an average that may be about to reject, is computed anew.
"""

from math import inf, log
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.bets import BETS, LOG_WEIGHTS
from satisfice.noise.coins import ones_needed_bernoulli
from satisfice.noise.half_normal import total_needed_normal
from satisfice.noise.half_student import ratio_needed_student
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.problem import Direction, Goal, Metric, Problem
from satisfice.stopping.error_budget import (
    DEFAULT_REJECT_SHARE,
    reject_shares,
    shares_to_find_all,
    shares_to_find_one,
)
from satisfice.stopping.sufficiency import (
    ACCEPTING,
    BOUNDED,
    KIND,
    KNOWN_SCALE,
    ORIGIN,
    TOLERANCE,
    UNIT,
    UNKNOWN_SCALE,
    ZERO_OR_ONE,
    all_certain,
    hopeless,
)


class EvidenceJudge(NamedTuple):
    """Evidence for metrics of any noise, mixed freely.

    `constants` has a row for each metric: its kind, its tolerance in deficits, and for results in [0, 1] after
    rescaling the threshold (origin) and how much of [0, 1] a deficit of one is (unit), so that n pulls with the sum of
    deficits D have the sum n * origin - unit * D. `tables` of shape (2, M, N) say, by number of pulls, from where on a
    single metric's evidence suffices to accept or may suffice to reject: a sum of deficits (KNOWN_SCALE), the square
    of a scale-free ratio (UNKNOWN_SCALE), a number of results that pass or fail (ZERO_OR_ONE); nothing for BOUNDED.
    `bets` of shape (2, J) are the bets and the logarithms of their weights; `ratios` of shape (K, M), or without rows,
    are the arms' noise scales over the metrics' largest.
    """

    accept_level: float
    reject_level: float
    lone_level: float
    product_level: float
    noise_scale: float
    constants: Floats
    tables: Floats
    bets: Floats
    ratios: Floats

    def room(self) -> int:
        return int(self.tables.shape[2])

    def extended(self, length: int) -> "EvidenceJudge":
        metrics = self.constants.shape[0]
        known = self.tables.shape[2]
        tables = np.zeros((2, metrics, length))
        for metric in range(metrics):
            kind = self.constants[metric, KIND]
            twin = metric > 0 and kind == KNOWN_SCALE and self.constants[metric - 1, KIND] == KNOWN_SCALE
            for side in range(2):
                tables[side, metric, :known] = self.tables[side, metric]
                for pulls in range(max(1, known), length):
                    if twin:  # all metrics of known scale need the same
                        tables[side, metric, pulls] = tables[side, metric - 1, pulls]
                    else:
                        tables[side, metric, pulls] = self.needed(side, metric, pulls)
        return EvidenceJudge(
            self.accept_level,
            self.reject_level,
            self.lone_level,
            self.product_level,
            self.noise_scale,
            self.constants,
            tables,
            self.bets,
            self.ratios,
        )

    def needed(self, side: int, metric: int, pulls: int) -> float:
        """Where the metric's evidence suffices to accept, or may suffice to reject."""
        kind = self.constants[metric, KIND]
        level = self.accept_level if side == ACCEPTING else self.reject_level
        if kind == KNOWN_SCALE:
            return self.noise_scale * total_needed_normal(pulls, level)
        if kind == UNKNOWN_SCALE:
            return ratio_needed_student(pulls, level if side == ACCEPTING else self.lone_level) ** 2
        if kind == ZERO_OR_ONE:
            origin = self.constants[metric, ORIGIN]
            theta = 1.0 - origin
            if side == ACCEPTING:
                theta = origin - self.constants[metric, UNIT] * self.constants[metric, TOLERANCE]
            return 1.0 * ones_needed_bernoulli(pulls, level, theta, self.bets[0], self.bets[1])
        return 0.0

    def accepts(
        self, deficits: Floats, squares: Floats, latched: Floats, arm: int, pulls: int, shortfall: float
    ) -> bool:
        return all_certain(
            self.constants,
            self.tables,
            self.bets,
            self.ratios,
            self.accept_level,
            deficits,
            squares,
            latched,
            arm,
            pulls,
        )

    def rejects(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        # where every mean is at or beyond its threshold nothing speaks against the arm
        return shortfall > 0.0 and hopeless(
            self.constants,
            self.tables,
            self.bets,
            self.ratios,
            self.reject_level,
            self.product_level,
            self.noise_scale,
            deficits,
            squares,
            arm,
            pulls,
        )


class Evidence(NamedTuple):
    """Stop once e-processes say so (theory in `core.evidence`).

    `reject_share` is the part of the error rate that a wrong NONE may use; more of it where most likely no arm passes.
    `independent_metrics` declares that the metrics of an evaluation are independent: half of what an arm may be wrongly
    rejected with then goes to the product of their evidence, for arms that fail in several metrics at once.
    """

    reject_share: float = DEFAULT_REJECT_SHARE
    independent_metrics: bool = False

    def judge(self, problem: Problem, arms: int) -> EvidenceJudge:
        """The rule made ready for a problem with so many arms; its tables are still empty."""
        metrics = problem.metrics
        standard = problem.standardisation()
        kinds = [kind_of(metric) for metric in metrics]
        lone = kinds.count(UNKNOWN_SCALE)
        if problem.goal is Goal.ALL:
            shares = shares_to_find_all(problem.error_rate, arms)
        else:
            shares = shares_to_find_one(problem.error_rate, arms, self.reject_share)
        product = 0.5 * shares.reject if self.independent_metrics else 0.0
        rejecting = reject_shares(shares.reject - product, len(metrics) - lone, lone)
        constants = [
            (kind, tolerance, *unit_scale(metric, abs(slope)))
            for kind, tolerance, metric, slope in zip(kinds, standard.tolerances, metrics, standard.slopes, strict=True)
        ]
        return EvidenceJudge(
            shares.accept_level,
            rejecting.averaged_level,
            rejecting.each_level,
            -log(product) if product > 0.0 else inf,
            standard.noise_scale,
            np.array(constants),
            np.zeros((2, len(metrics), 0)),
            np.array([BETS, LOG_WEIGHTS]),
            problem.noise_ratios(arms),
        )


def kind_of(metric: Metric) -> int:
    """Which e-process the metric's noise model asks for."""
    match metric.noise:
        case Bernoulli():
            return ZERO_OR_ONE
        case Bounded():
            return BOUNDED
        case noise:
            return UNKNOWN_SCALE if noise.scale is None else KNOWN_SCALE


def unit_scale(metric: Metric, stretch: float) -> tuple[float, float]:
    """Where the threshold lies when results are mapped to [0, 1], more being better, and a deficit of one there."""
    if not isinstance(metric.noise, Bernoulli | Bounded):
        return 0.0, 0.0
    low, high = (0.0, 1.0) if isinstance(metric.noise, Bernoulli) else (metric.noise.low, metric.noise.high)
    from_worst = metric.threshold - low if metric.direction is Direction.AT_LEAST else high - metric.threshold
    return from_worst / (high - low), 1.0 / (stretch * (high - low))
