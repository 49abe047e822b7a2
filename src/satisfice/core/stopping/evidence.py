"""Stopping by evidence: an arm is accepted or rejected when an e-process against the contrary has grown large enough.

`core.evidence` has the e-processes and says who may spend how much of the error rate. Here they are put to work: at
most one comparison with a table a metric and a pull, since all evidence is an increasing function of a sum for a given
number of pulls. Only evidence of bounded results, and an average that may be about to reject, is computed anew.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from satisfice.core.evidence.accounting import DEFAULT_REJECT_SHARE, reject_shares, shares_to_find_one
from satisfice.core.evidence.bernoulli import log_evidence_bernoulli, ones_needed_bernoulli
from satisfice.core.evidence.bets import BETS, LOG_WEIGHTS
from satisfice.core.evidence.bounded import log_evidence_moments
from satisfice.core.evidence.normal import log_evidence_normal, total_needed_normal
from satisfice.core.evidence.student import ratio_needed_student
from satisfice.core.noise import Bernoulli, Bounded
from satisfice.core.problem import Direction, Metric, Problem
from satisfice.core.statistics import Floats

KNOWN_SCALE, UNKNOWN_SCALE, ZERO_OR_ONE, BOUNDED = 0, 1, 2, 3


KIND, TOLERANCE, ORIGIN, UNIT = 0, 1, 2, 3
"""The columns of a judge's constants."""
ACCEPTING, REJECTING = 0, 1


class EvidenceJudge(NamedTuple):
    """Evidence for metrics of any noise, mixed freely.

    `constants` has a row for each metric: its kind, its tolerance in deficits, and for results in [0, 1] after
    rescaling the threshold (origin) and how much of [0, 1] a deficit of one is (unit), so that n pulls with the sum of
    deficits D have the sum n * origin - unit * D. `tables` of shape (2, M, N) say, by number of pulls, from where on a
    single metric's evidence suffices to accept or may suffice to reject: a sum of deficits (KNOWN_SCALE), the square
    of a scale-free ratio (UNKNOWN_SCALE), a number of results that pass or fail (ZERO_OR_ONE); nothing for BOUNDED.
    `bets` of shape (2, J) are the bets and the logarithms of their weights.
    """

    accept_level: float
    reject_level: float
    lone_level: float
    noise_scale: float
    constants: Floats
    tables: Floats
    bets: Floats

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
            self.noise_scale,
            self.constants,
            tables,
            self.bets,
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
            self.constants, self.tables, self.bets, self.accept_level, deficits, squares, latched, arm, pulls
        )

    def rejects(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        # where every mean is at or beyond its threshold nothing speaks against the arm
        return shortfall > 0.0 and hopeless(
            self.constants, self.tables, self.bets, self.reject_level, self.noise_scale, deficits, squares, arm, pulls
        )


def all_certain(
    constants: Floats,
    tables: Floats,
    bets: Floats,
    level: float,
    deficits: Floats,
    squares: Floats,
    latched: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether every metric of the arm has been within tolerance beyond doubt at some time; remembered in `latched`."""
    certain = True
    for metric in range(deficits.shape[1]):
        if latched[arm, metric] == 0.0:
            kind = constants[metric, KIND]
            tolerance = constants[metric, TOLERANCE]
            deficit = deficits[arm, metric]
            margin = pulls * tolerance - deficit
            need = tables[ACCEPTING, metric, pulls]
            enough = margin >= need
            if kind == UNKNOWN_SCALE:
                spread = squares[arm, metric] - tolerance * (deficit - margin)
                enough = margin > 0.0 and margin * margin >= need * spread
            elif kind != KNOWN_SCALE:
                origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
                if kind == ZERO_OR_ONE:
                    enough = pulls * origin - unit * deficit + 0.5 > need
                else:
                    theta = origin - unit * tolerance
                    enough = bounded_above(pulls, deficit, squares[arm, metric], origin, unit, theta, level, bets)
            if enough:
                latched[arm, metric] = 1.0
            else:
                certain = False
    return certain


def hopeless(
    constants: Floats,
    tables: Floats,
    bets: Floats,
    level: float,
    noise_scale: float,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether some mean of the arm misses its threshold beyond doubt."""
    doubtful = False
    certain = False
    for metric in range(deficits.shape[1]):
        kind = constants[metric, KIND]
        deficit = deficits[arm, metric]
        need = tables[REJECTING, metric, pulls]
        if kind == KNOWN_SCALE:
            doubtful |= deficit >= need
        elif kind == UNKNOWN_SCALE:
            certain |= deficit > 0.0 and deficit * deficit >= need * squares[arm, metric]
        else:
            origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
            if kind == ZERO_OR_ONE:
                doubtful |= pulls - pulls * origin + unit * deficit + 0.5 > need
            else:
                doubtful |= unit * deficit > level * (1.0 - origin)
    if doubtful and not certain:
        certain = average_reaches(constants, bets, level, noise_scale, deficits, squares, arm, pulls)
    return certain


def average_reaches(
    constants: Floats,
    bets: Floats,
    level: float,
    noise_scale: float,
    deficits: Floats,
    squares: Floats,
    arm: int,
    pulls: int,
) -> bool:
    """Whether the average evidence against the arm, of the metrics that may be averaged, reaches the level."""
    total = 0.0
    averaged = 0
    for metric in range(deficits.shape[1]):
        kind = constants[metric, KIND]
        if kind != UNKNOWN_SCALE:
            averaged += 1
            square = squares[arm, metric] if kind == BOUNDED else 0.0
            origin, unit = constants[metric, ORIGIN], constants[metric, UNIT]
            evidence = evidence_below(kind, pulls, deficits[arm, metric], square, noise_scale, origin, unit, bets)
            total += exp(min(evidence - level, 700.0))
    return total >= averaged


def bounded_above(
    pulls: int, deficit: float, square: float, origin: float, unit: float, theta: float, level: float, bets: Floats
) -> bool:
    """Whether bounded results, rescaled to [0, 1], have a mean above theta beyond doubt."""
    total = pulls * origin - unit * deficit
    if theta > 0.0 and total <= pulls * theta + level * theta:
        return False  # ln(1 + l (x - theta)) <= l (x - theta) and l < 1/theta
    squares = pulls * origin * origin - 2.0 * origin * unit * deficit + unit * unit * square
    return log_evidence_moments(pulls, total, squares, theta, bets[0], bets[1]) >= level


def evidence_below(
    kind: float,
    pulls: int,
    deficit: float,
    square: float,
    noise_scale: float,
    origin: float,
    unit: float,
    bets: Floats,
) -> float:
    """ln of the evidence that the metric's mean is below its threshold, for kinds whose evidence may be averaged."""
    if kind == KNOWN_SCALE:
        return log_evidence_normal(pulls, deficit / noise_scale)
    failed = pulls - pulls * origin + unit * deficit  # the sum of 1 - x
    if kind == ZERO_OR_ONE:
        return log_evidence_bernoulli(pulls, int(failed + 0.5), 1.0 - origin, bets[0], bets[1])
    rest = 1.0 - origin
    squares = pulls * rest * rest + 2.0 * rest * unit * deficit + unit * unit * square
    return log_evidence_moments(pulls, failed, squares, 1.0 - origin, bets[0], bets[1])


class Evidence(NamedTuple):
    """Stop once e-processes say so (theory in `core.evidence`).

    `reject_share` is the part of the error rate that a wrong NONE may use; more of it where most likely no arm passes.
    """

    reject_share: float = DEFAULT_REJECT_SHARE

    def judge(self, problem: Problem, arms: int) -> EvidenceJudge:
        """The rule made ready for a problem with so many arms; its tables are still empty."""
        metrics = problem.metrics
        standard = problem.standardisation()
        kinds = [kind_of(metric) for metric in metrics]
        lone = kinds.count(UNKNOWN_SCALE)
        shares = shares_to_find_one(problem.error_rate, arms, self.reject_share)
        rejecting = reject_shares(shares.reject, len(metrics) - lone, lone)
        constants = [
            (kind, tolerance, *unit_scale(metric, abs(slope)))
            for kind, tolerance, metric, slope in zip(kinds, standard.tolerances, metrics, standard.slopes, strict=True)
        ]
        return EvidenceJudge(
            shares.accept_level,
            rejecting.averaged_level,
            rejecting.each_level,
            standard.noise_scale,
            np.array(constants),
            np.zeros((2, len(metrics), 0)),
            np.array([BETS, LOG_WEIGHTS]),
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
