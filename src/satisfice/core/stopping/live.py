"""Judging one arm at a time: the same decisions as with whole tables, for little work a result.

Tables by number of pulls pay in a simulation, where thousands of runs share them. A live search looks at each entry
once at most, so it first asks whether the evidence can possibly suffice and only then computes the entry.
"""

from typing import Any

from satisfice.core.evidence import normal, student
from satisfice.core.problem import Problem
from satisfice.core.statistics import Floats
from satisfice.core.stopping import judge_of
from satisfice.core.stopping.evidence import EvidenceJudge
from satisfice.core.stopping.sufficiency import (
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
)

SLACK = 1e-9
"""How far two ways of computing ln E may differ by rounding, and much more."""
NEAR = 1e-3
"""How near to a level, in ln E, the tables themselves are asked, far more than they can be off."""

PRECISIONS: dict[int, tuple[float, ...]] = {
    KNOWN_SCALE: (normal.PRECISION_FOR_LARGE_GAPS, normal.PRECISION_FOR_SMALL_GAPS),
    UNKNOWN_SCALE: (student.PRECISION_FOR_LARGE_GAPS, student.PRECISION_FOR_SMALL_GAPS),
}


class LiveJudge:
    """A stopping rule that decides on arms as results come in."""

    def __init__(self, stopping: Any, problem: Problem, arms: int) -> None:
        judge = judge_of(stopping, problem, arms)
        self.by_evidence = isinstance(judge, EvidenceJudge)
        self._judge = judge._replace(tables=NeedsAtHand(judge)) if self.by_evidence else judge
        self._rows = [tuple(row) for row in judge.constants.tolist()] if self.by_evidence else []

    def accepts(
        self, deficits: Floats, squares: Floats, latched: Floats, arm: int, pulls: int, shortfall: float
    ) -> bool:
        if self.by_evidence and not self._may_accept(deficits[arm], squares[arm], latched[arm], pulls):
            return False
        self._make_room(pulls)
        return bool(self._judge.accepts(deficits, squares, latched, arm, pulls, shortfall))

    def rejects(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float) -> bool:
        if self.by_evidence and not self._may_reject(deficits[arm], squares[arm], pulls):
            return False
        self._make_room(pulls)
        return bool(self._judge.rejects(deficits, squares, arm, pulls, shortfall))

    def accept_evidence(self, deficits: Floats, squares: Floats, arm: int, pulls: int) -> list[float]:
        """ln E of each metric, as large as it must become being `accept_level`."""
        judge = self._judge
        return [
            evidence_within(
                row[KIND],
                pulls,
                deficits[arm, metric],
                squares[arm, metric],
                row[TOLERANCE],
                judge.noise_scale,
                row[ORIGIN],
                row[UNIT],
                judge.bets,
            )
            for metric, row in enumerate(self._rows)
        ]

    def reject_progress(self, deficits: Floats, squares: Floats, arm: int, pulls: int) -> list[float]:
        """How far each metric's evidence against the arm has come, alone: 1 is enough."""
        judge = self._judge
        progress = []
        for metric, row in enumerate(self._rows):
            found = self._against(row, pulls, float(deficits[arm, metric]), float(squares[arm, metric]))
            progress.append(found / (judge.lone_level if row[KIND] == UNKNOWN_SCALE else judge.reject_level))
        return progress

    @property
    def accept_level(self) -> float:
        return float(self._judge.accept_level)

    def _may_accept(self, deficits: Floats, squares: Floats, latched: Floats, pulls: int) -> bool:
        """Whether some metric that was not certain before may be so now."""
        judge = self._judge
        sums = zip(self._rows, deficits.tolist(), squares.tolist(), latched.tolist(), strict=True)
        for metric, ((kind, tolerance, origin, unit), deficit, square, certain) in enumerate(sums):
            if certain:
                continue
            margin = pulls * tolerance - deficit
            spread = square - tolerance * (deficit - margin)
            if kind not in (KNOWN_SCALE, UNKNOWN_SCALE):
                margin *= unit
            theta = origin - unit * tolerance
            most = most_evidence(kind, pulls, margin, spread, judge.noise_scale, theta, PRECISIONS.get(int(kind), ()))
            if most >= judge.accept_level - SLACK and self._near_accepting(kind, pulls, deficit, square, metric):
                return True
        return bool(latched.all())

    def _may_reject(self, deficits: Floats, squares: Floats, pulls: int) -> bool:
        judge = self._judge
        for row, deficit, square in zip(self._rows, deficits.tolist(), squares.tolist(), strict=True):
            kind, _, origin, unit = row
            below = deficit if kind in (KNOWN_SCALE, UNKNOWN_SCALE) else deficit * unit
            most = most_evidence(
                kind, pulls, below, square, judge.noise_scale, 1.0 - origin, PRECISIONS.get(int(kind), ())
            )
            level = judge.lone_level if kind == UNKNOWN_SCALE else judge.reject_level
            if most >= level - SLACK and self._against(row, pulls, deficit, square) >= level - NEAR:
                return True
        return False

    def _near_accepting(self, kind: float, pulls: int, deficit: float, square: float, metric: int) -> bool:
        """Whether the evidence itself, not only its bound, is about enough; bounded results are looked at anyway."""
        judge = self._judge
        if kind == BOUNDED:
            return True
        _, tolerance, origin, unit = self._rows[metric]
        evidence = evidence_within(kind, pulls, deficit, square, tolerance, judge.noise_scale, origin, unit, judge.bets)
        return evidence >= self.accept_level - NEAR

    def _against(self, row: tuple[float, ...], pulls: int, deficit: float, square: float) -> float:
        """ln of the evidence of one metric against the arm."""
        kind, _, origin, unit = row
        if kind == UNKNOWN_SCALE:
            return student.log_evidence_student(pulls, student.scale_free_ratio(deficit, square))
        judge = self._judge
        return evidence_below(kind, pulls, deficit, square, judge.noise_scale, origin, unit, judge.bets)

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
