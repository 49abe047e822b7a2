"""Judging one arm at a time: the same decisions as with whole tables, for little work a result.

Tables by number of pulls pay in a simulation, where thousands of runs share them. A live search looks at each entry
once at most, so it first asks whether the evidence can possibly suffice and only then computes the entry.
"""

from math import inf, log
from typing import Any

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise import half_normal as normal
from satisfice.noise import half_student as student
from satisfice.problem.problem import Problem
from satisfice.stopping import judge_of
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.protocol import forget_all, memory_columns, settle_accounts
from satisfice.stopping.report import p_value
from satisfice.stopping.sufficiency import (
    BOUNDED,
    KIND,
    KNOWN_SCALE,
    ORIGIN,
    TOLERANCE,
    UNIT,
    UNKNOWN_SCALE,
    evidence_below,
    evidence_within,
    most_evidence,
    squares_around_limit,
)
from satisfice.stopping.transfer import TransferJudge

SLACK = 1e-9
"""How far two ways of computing ln E may differ by rounding, and much more."""

NEAR = 1e-3
"""How near to a level, in ln E, the tables themselves are asked, far more than they can be off."""

PRECISIONS: dict[int, tuple[float, ...]] = {
    KNOWN_SCALE: (normal.PRECISION_FOR_LARGE_GAPS, normal.PRECISION_FOR_SMALL_GAPS),
    UNKNOWN_SCALE: (student.PRECISION_FOR_LARGE_GAPS, student.PRECISION_FOR_SMALL_GAPS),
}


class LiveJudge:
    """A stopping rule that decides on arms as results come in; `memory` (K, ...) is what it remembers of them."""

    def __init__(self, stopping: Any, problem: Problem, arms: int) -> None:
        judge = judge_of(stopping, problem, arms)
        self._stopping = stopping
        self._setting = problem.setting(arms)
        self._tolerances = np.array(problem.standardisation().tolerances)
        self.memory = np.zeros((arms, memory_columns(judge, len(problem.metrics))))
        forget_all(judge, self.memory)
        self._transfers = isinstance(judge, TransferJudge)
        self.by_evidence = self._transfers or isinstance(judge, EvidenceJudge)
        self._judge = judge
        if self.by_evidence:
            evidence = judge.evidence if self._transfers else judge
            self._evidence = evidence._replace(tables=NeedsAtHand(evidence))
            self._judge = judge._replace(evidence=self._evidence) if self._transfers else self._evidence
            self._rows = [tuple(row) for row in evidence.constants.tolist()]
        # with accounts, ln E + ln(K F): what is needed is the same whatever was moved
        self.accept_level = (
            0.0 if not self.by_evidence else judge.accept_level + (log(arms) if self._transfers else 0.0)
        )

    @property
    def joins_arms(self) -> bool:
        """Whether a result of one arm may change what is decided about another."""
        return hasattr(self._judge, "settle")

    def accepts(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        screened = self.by_evidence and not self._transfers
        if screened and not self._may_accept(arm, deficits[arm], squares[arm], pulls):
            return False
        self._make_room(pulls)
        return bool(self._judge.accepts(deficits, squares, self.memory, arm, pulls, shortfall))

    def rejects(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        if self.by_evidence and not self._may_reject(arm, deficits[arm], squares[arm], pulls):
            return False
        self._make_room(pulls)
        return bool(self._judge.rejects(deficits, squares, arm, pulls, shortfall))

    def settle(self, deficits: Floats, pulls: Integers, arm: int) -> None:
        """Move capital to the arm just pulled, if the rule does that."""
        settle_accounts(self._judge, deficits, self.memory, pulls, arm)

    def accept_evidence(
        self, arm: int, deficits: Floats, squares: Floats, pulls: int, memory: Floats | None = None
    ) -> list[float]:
        """ln E of each metric from the arm's sums (M,), as large as it must become being `accept_level`."""
        own = self._evidence
        metrics = len(self._rows)
        evidence = [
            evidence_within(
                row[KIND],
                pulls,
                deficits[metric],
                squares[metric],
                row[TOLERANCE],
                self._scale(arm, metric),
                row[ORIGIN],
                row[UNIT],
                own.bets,
            )
            for metric, row in enumerate(self._rows)
        ]
        if memory is None:
            return evidence
        if self._transfers:
            moved = (memory[metrics : 2 * metrics] + log(self._setting.arms)).tolist()
            evidence = [now + factor for now, factor in zip(evidence, moved, strict=True)]
        latched = memory[:metrics].tolist()
        return [max(now, self.accept_level) if once else now for now, once in zip(evidence, latched, strict=True)]

    def reject_progress(self, arm: int, deficits: Floats, squares: Floats, pulls: int) -> list[float]:
        """How far each metric's evidence against the arm has come, alone: 1 is enough."""
        own = self._evidence
        progress = []
        for metric, row in enumerate(self._rows):
            found = self._against(arm, metric, pulls, float(deficits[metric]), float(squares[metric]))
            progress.append(found / (own.lone_level if row[KIND] == UNKNOWN_SCALE else own.reject_level))
        return progress

    def p_value(self, arm: int, deficits: Floats, squares: Floats, pulls: int, memory: Floats | None = None) -> float:
        """Of one arm, from its sums (M,): the least error rate at which it would be accepted now."""
        evidence = self.accept_evidence(arm, deficits, squares, pulls, memory) if self.by_evidence else None
        excess = float((deficits / pulls - self._tolerances).max())
        return p_value(self._stopping, self._setting, pulls, excess, evidence)

    def _may_accept(self, arm: int, deficits: Floats, squares: Floats, pulls: int) -> bool:
        """Whether some metric that was not certain before may be so now."""
        judge = self._evidence
        latched = self.memory[arm].tolist()
        sums = zip(self._rows, deficits.tolist(), squares.tolist(), latched, strict=True)
        for metric, ((kind, tolerance, origin, unit), deficit, square, certain) in enumerate(sums):
            if certain:
                continue
            scale = self._scale(arm, metric)
            margin = pulls * tolerance - deficit
            spread = squares_around_limit(pulls, deficit, square, tolerance)
            if kind not in (KNOWN_SCALE, UNKNOWN_SCALE):
                margin *= unit
            theta = origin - unit * tolerance
            most = most_evidence(kind, pulls, margin, spread, scale, theta, PRECISIONS.get(int(kind), ()))
            if most < judge.accept_level - SLACK:
                continue
            # bounded results are looked at anyway
            if kind == BOUNDED or judge.accept_level - NEAR <= evidence_within(
                kind, pulls, deficit, square, tolerance, scale, origin, unit, judge.bets
            ):
                return True
        return all(latched)

    def _may_reject(self, arm: int, deficits: Floats, squares: Floats, pulls: int) -> bool:
        judge = self._evidence
        if judge.product_level < inf:
            return True
        sums = zip(self._rows, deficits.tolist(), squares.tolist(), strict=True)
        for metric, ((kind, _, origin, unit), deficit, square) in enumerate(sums):
            below = deficit if kind in (KNOWN_SCALE, UNKNOWN_SCALE) else deficit * unit
            scale = self._scale(arm, metric)
            most = most_evidence(kind, pulls, below, square, scale, 1.0 - origin, PRECISIONS.get(int(kind), ()))
            level = judge.lone_level if kind == UNKNOWN_SCALE else judge.reject_level
            if most >= level - SLACK and self._against(arm, metric, pulls, deficit, square) >= level - NEAR:
                return True
        return False

    def _scale(self, arm: int, metric: int) -> float:
        """How noisy the arm's deficits are where that is known."""
        own = self._evidence
        return float(own.noise_scale * own.ratios[arm, metric]) if own.ratios.shape[0] else float(own.noise_scale)

    def _against(self, arm: int, metric: int, pulls: int, deficit: float, square: float) -> float:
        """ln of the evidence of one metric against the arm."""
        kind, _, origin, unit = self._rows[metric]
        if kind == UNKNOWN_SCALE:
            return student.log_evidence_student(pulls, student.scale_free_ratio(deficit, square))
        own = self._evidence
        return evidence_below(kind, pulls, deficit, square, self._scale(arm, metric), origin, unit, own.bets)

    def _make_room(self, pulls: int) -> None:
        if not self.by_evidence and pulls >= self._judge.room():
            self._judge = self._judge.extended(2 * pulls + 64)


class NeedsAtHand:
    """The tables of a judge of evidence, entry by entry as they are asked for."""

    def __init__(self, judge: EvidenceJudge) -> None:
        self._judge = judge
        self._known: dict[tuple[int, int, int], float] = {}

    def __getitem__(self, place: tuple[int, int, int]) -> float:
        if place not in self._known:
            self._known[place] = self._judge.needed(*place)
        return self._known[place]
