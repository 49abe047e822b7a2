"""One search, one decision at a time: which arm to evaluate next, and what a result says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from satisfice.core.decision import ACCEPT, KEEP, REJECT, Outcome, fails, passes
from satisfice.core.leaderboard import clear, climb, leader_of, leaderboard_size
from satisfice.core.noise import Bernoulli, Bounded
from satisfice.core.problem import Metric, Problem
from satisfice.core.rules import MultiTUCB
from satisfice.core.rules.protocol import follows_the_clock, priority_of
from satisfice.core.statistics import excess_of, fold
from satisfice.core.stopping import AlphaBoundary
from satisfice.errors import BrokenRule, InvalidProblem, InvalidResult, unknown_name


@dataclass(frozen=True)
class Verdict:
    """The answer of a search: FOUND names its arm; UNDECIDED is what stands until the search ends."""

    outcome: Outcome
    arm: str | None
    evaluations: int
    error_rate: float

    def __str__(self) -> str:
        certainty = (
            "" if self.outcome is Outcome.UNDECIDED else f"   wrong with probability at most {self.error_rate:.3g}"
        )
        return f"{self.outcome}{'  ' + self.arm if self.arm else ''}   {self.evaluations} evaluations{certainty}"


@dataclass(frozen=True)
class ArmStatus:
    """What is known of one arm: means in the metrics' own units, and half-widths of intervals valid at all times."""

    name: str
    pulls: int
    means: tuple[float, ...]
    half_widths: tuple[float, ...]
    decision: int


class Search:
    """Which of these arms passes? Ask for the next arm, tell its results, until there is a verdict.

    The same rules and the same decisions as in a simulation, for results that come from outside, one at a time.
    """

    def __init__(self, problem: Problem, arms: Sequence[str], *, rule: Any = None, boundary: Any = None) -> None:
        if not arms or len(set(arms)) != len(arms):
            raise InvalidProblem(f"Expected at least one arm and different names for all, got {list(arms)!r:.80}.")
        self.problem = problem
        self.arm_names = tuple(arms)
        self.rule = MultiTUCB() if rule is None else rule
        self.boundary = AlphaBoundary() if boundary is None else boundary
        self._setting = problem.setting(len(self.arm_names))
        self._standard = problem.standardisation()
        self._tolerances = np.array(self._standard.tolerances)
        self._deficits = np.zeros((len(self.arm_names), len(problem.metrics)))
        self._pulls = [0] * len(self.arm_names)
        self._decisions = [KEEP] * len(self.arm_names)
        self._board = np.empty((2 * leaderboard_size(len(self.arm_names)), 2))
        clear(self._board)
        self._total = 0
        self._found: int | None = None

    def ask(self) -> str | None:
        """The arm to evaluate next, or None once there is a verdict."""
        if self.verdict.outcome is not Outcome.UNDECIDED:
            return None
        if 0 in self._pulls:
            return self.arm_names[self._pulls.index(0)]
        if follows_the_clock(self.rule):
            for arm, decision in enumerate(self._decisions):
                if decision == KEEP:
                    climb(self._board, arm, self._score(arm))
        return self.arm_names[leader_of(self._board)]

    def tell(self, arm: str, results: Mapping[str, float]) -> Verdict:
        """Add the results of one evaluation of an arm: one number for each metric."""
        place = self._place(arm)
        folded = np.array(
            [
                slope * (self._checked(results, metric) - threshold)
                for metric, slope, threshold in zip(
                    self.problem.metrics, self._standard.slopes, self._standard.thresholds, strict=True
                )
            ]
        )
        self._pulls[place] += 1
        self._total += 1
        shortfall = fold(self._deficits, place, folded) / self._pulls[place]
        width = self.boundary.width(self._pulls[place], self._setting)
        if self._decisions[place] == KEEP:
            if passes(excess_of(self._deficits, place, self._pulls[place], self._tolerances), width):
                self._decisions[place] = ACCEPT
                self._found = place if self._found is None else self._found
            elif fails(shortfall, width):
                self._decisions[place] = REJECT
            climb(self._board, place, self._score(place) if self._decisions[place] == KEEP else -inf)
        return self.verdict

    @property
    def verdict(self) -> Verdict:
        """What can be said now."""
        outcome = Outcome.UNDECIDED
        if self._found is not None:
            outcome = Outcome.FOUND
        elif all(decision == REJECT for decision in self._decisions):
            outcome = Outcome.NONE
        arm = None if self._found is None else self.arm_names[self._found]
        return Verdict(outcome, arm, self._total, self.problem.error_rate)

    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each arm."""
        return tuple(self._status(place) for place in range(len(self.arm_names)))

    def _status(self, place: int) -> ArmStatus:
        pulls = self._pulls[place]
        if pulls == 0:
            nothing = (float("nan"),) * len(self.problem.metrics)
            return ArmStatus(self.arm_names[place], 0, nothing, (inf,) * len(nothing), KEEP)
        width = self.boundary.width(pulls, self._setting)
        pairs = zip(self._deficits[place], self._standard.slopes, self._standard.thresholds, strict=True)
        means = tuple(float(threshold + deficit / pulls / slope) for deficit, slope, threshold in pairs)
        half_widths = tuple(width / abs(slope) for slope in self._standard.slopes)
        return ArmStatus(self.arm_names[place], pulls, means, half_widths, self._decisions[place])

    def _score(self, place: int) -> float:
        pulls = self._pulls[place]
        score = priority_of(
            self.rule,
            max(self._deficits[place]) / pulls,
            excess_of(self._deficits, place, pulls, self._tolerances),
            self.rule.bonus(pulls, self._setting),
            self._total,
        )
        if not isfinite(score):
            raise BrokenRule(
                f"{type(self.rule).__name__} gave arm {self.arm_names[place]!r} the priority {score}. "
                "A priority must be a finite number."
            )
        return score

    def _place(self, arm: str) -> int:
        try:
            return self.arm_names.index(arm)
        except ValueError:
            raise unknown_name("arm", arm, self.arm_names) from None

    def _checked(self, results: Mapping[str, float], metric: Metric) -> float:
        if metric.name not in results:
            raise InvalidResult(
                f"Expected a number for each of {', '.join(self.problem.metric_names)}, but {metric.name!r} is "
                "missing. Nothing was recorded."
            )
        value = results[metric.name]
        wanted = "a finite number"
        if isinstance(metric.noise, Bernoulli):
            wanted, fits = "0 or 1", value in (0, 1)
        elif isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            fits = False
        else:
            low, high = metric.noise if isinstance(metric.noise, Bounded) else (-inf, inf)
            wanted, fits = f"a number from {low:g} to {high:g}", low <= value <= high
        if not fits:
            raise InvalidResult(
                f"Expected {wanted} for {metric.name!r} ({metric.noise}), got {value!r}. Nothing was recorded."
            )
        return float(value)
