"""One search, one decision at a time: which arm to evaluate next, and what a result says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from satisfice.core.beliefs import believe, noise_codes
from satisfice.core.decision import ACCEPT, KEEP, REJECT, Outcome
from satisfice.core.evidence.intervals import Interval
from satisfice.core.leaderboard import SCORE, clear, climb, leader_of, leaderboard_size
from satisfice.core.noise import Bernoulli, Bounded
from satisfice.core.problem import Metric, Problem
from satisfice.core.rules import DEFAULT_RULE, RULES
from satisfice.core.rules.protocol import bonus_of, draws_scores, follows_the_clock, priority_of
from satisfice.core.statistics import excess_of, fold, fold_squares
from satisfice.core.stopping import DEFAULT_STOPPING, STOPPING_RULES, check_fit, judge_of
from satisfice.core.stopping.report import metric_interval
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
    """What is known of one arm: means in the metrics' own units, and intervals that hold at all times.

    Each interval misses its mean ever with probability at most the problem's error rate.
    """

    name: str
    pulls: int
    means: tuple[float, ...]
    intervals: tuple[Interval, ...]
    decision: int


class Search:
    """Which of these arms passes? Ask for the next arm, tell its results, until there is a verdict.

    The same rules and the same decisions as in a simulation, for results that come from outside, one at a time. Rules
    that draw are seeded: the same results, told in the same order, lead to the same asks.
    """

    def __init__(
        self, problem: Problem, arms: Sequence[str], *, rule: Any = None, stopping: Any = None, seed: int = 0
    ) -> None:
        if not arms or len(set(arms)) != len(arms):
            raise InvalidProblem(f"Expected at least one arm and different names for all, got {list(arms)!r:.80}.")
        self.problem = problem
        self.arm_names = tuple(arms)
        self.rule = _named(DEFAULT_RULE if rule is None else rule, RULES, "sampling rule")
        self.stopping = _named(DEFAULT_STOPPING if stopping is None else stopping, STOPPING_RULES, "stopping rule")
        check_fit(self.rule, self.stopping, problem, len(self.arm_names))
        self._judge = judge_of(self.stopping, problem, len(self.arm_names))
        self._rng = np.random.default_rng(seed)
        self._noise = noise_codes(problem)
        self._setting = problem.setting(len(self.arm_names))
        self._standard = problem.standardisation()
        self._tolerances = np.array(self._standard.tolerances)
        shape = (len(self.arm_names), len(problem.metrics))
        self._deficits, self._latched, self._strengths = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._squares = np.zeros(shape)
        self._pulls = [0] * len(self.arm_names)
        self._decisions = [KEEP] * len(self.arm_names)
        self._board = np.empty((2 * leaderboard_size(len(self.arm_names)), 2))
        clear(self._board)
        self._total = 0
        self._found: int | None = None
        self._asked: int | None = None

    def ask(self) -> str | None:
        """The arm to evaluate next, or None once there is a verdict."""
        if self.verdict.outcome is not Outcome.UNDECIDED:
            return None
        if self._asked is None:
            self._asked = self._pulls.index(0) if 0 in self._pulls else self._leader()
        return self.arm_names[self._asked]

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
        self._asked = None
        shortfall = fold(self._deficits, place, folded) / self._pulls[place]
        fold_squares(self._squares, place, folded)
        if self._decisions[place] == KEEP:
            self._decide(place, shortfall)
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
            return ArmStatus(self.arm_names[place], 0, nothing, (Interval(-inf, inf),) * len(nothing), KEEP)
        pairs = zip(self._deficits[place], self._standard.slopes, self._standard.thresholds, strict=True)
        means = tuple(float(threshold + deficit / pulls / slope) for deficit, slope, threshold in pairs)
        intervals = tuple(
            metric_interval(metric, slope, pulls, deficit, squares, self.problem.error_rate)
            for metric, slope, deficit, squares in zip(
                self.problem.metrics, self._standard.slopes, self._deficits[place], self._squares[place], strict=True
            )
        )
        return ArmStatus(self.arm_names[place], pulls, means, intervals, self._decisions[place])

    def _decide(self, place: int, shortfall: float) -> None:
        pulls = self._pulls[place]
        if pulls >= self._judge.room():
            self._judge = self._judge.extended(2 * pulls + 64)
        if self._judge.accepts(self._deficits, self._squares, self._latched, place, pulls, shortfall):
            self._decisions[place] = ACCEPT
            self._found = place if self._found is None else self._found
        elif self._judge.rejects(self._deficits, self._squares, place, pulls, shortfall):
            self._decisions[place] = REJECT
        believe(self._strengths, self._deficits, self._squares, place, pulls, self._noise)
        climb(self._board, place, self._score(place) if self._decisions[place] == KEEP else -inf)

    def _leader(self) -> int:
        if follows_the_clock(self.rule) or draws_scores(self.rule):
            for _ in range(1 + (self.rule.redraws() if draws_scores(self.rule) else 0)):
                for arm, decision in enumerate(self._decisions):
                    if decision == KEEP:
                        climb(self._board, arm, self._score(arm))
                if self._board[1, SCORE] >= 0:
                    break
        return leader_of(self._board)

    def _score(self, place: int) -> float:
        pulls = self._pulls[place]
        if draws_scores(self.rule):
            return float(self.rule.drawn_score(self._rng, self._strengths, place, pulls**-0.5))
        score = priority_of(
            self.rule,
            max(self._deficits[place]) / pulls,
            excess_of(self._deficits, place, pulls, self._tolerances),
            bonus_of(self.rule, pulls, self._setting),
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


def _named(given: Any, known: Mapping[str, type[Any]], kind: str) -> Any:
    """The value itself, or the one of that name."""
    if not isinstance(given, str):
        return given
    if given.lower() not in known:
        raise unknown_name(kind, given, known)
    return known[given.lower()]()
