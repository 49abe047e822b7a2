"""One search, one decision at a time: which arm to evaluate next, and what a result says."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from satisfice.arrays import Integers, fold, fold_squares
from satisfice.errors import InvalidProblem, InvalidResult, unknown_name
from satisfice.noise.intervals import Interval
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.problem import Metric, Problem
from satisfice.rules import DEFAULT_RULE, RULES
from satisfice.search.sampler import Sampler
from satisfice.search.verdict import ArmStatus, Guess, Verdict, assumptions_of, outcome_of
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, check_fit
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT, Outcome
from satisfice.stopping.live import LiveJudge
from satisfice.stopping.report import contradiction, metric_interval


class Search:
    """Which of these arms passes? Ask for the next arm, tell its results, until there is a verdict.

    The same rules and the same decisions as in a simulation, for results that come from outside. Rules that draw are
    seeded: the same results, told in the same order, lead to the same asks. `ask` and `tell` go one at a time;
    `choose` and `fold` are for many evaluations at once, where each arm's results must be folded in the order in which
    they were asked for, or the guarantee is lost (results that come sooner may be the better ones). Where the stopping
    rule `joins_arms`, as one with transfers does, all results must be folded in the order of all asks.
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
        self._judge = LiveJudge(self.stopping, problem, len(self.arm_names))
        self._sampler = Sampler(self.rule, problem, self.arm_names, seed)
        self._places = {name: place for place, name in enumerate(self.arm_names)}
        self._standard = problem.standardisation()
        self._assumptions = assumptions_of(problem)
        shape = (len(self.arm_names), len(problem.metrics))
        self._deficits, self._squares = np.zeros(shape), np.zeros(shape)
        self._pulls = np.zeros(shape[0], dtype=np.int64)
        self._decisions = np.full(shape[0], KEEP)
        self._open = np.ones(shape[0])
        self._accepted: list[int] = []
        self._undecided = shape[0]
        self._total = 0
        self._asks = 0
        self._asked: int | None = None

    def ask(self) -> str | None:
        """The arm to evaluate next, or None once there is a verdict."""
        if self._asked is None or self.outcome is not Outcome.UNDECIDED:
            self._asked = self.choose(self._asks)
        return None if self._asked is None else self.arm_names[self._asked]

    def tell(self, arm: str, results: Mapping[str, float]) -> Outcome:
        """Add the results of one evaluation of an arm, one number for each metric; what the verdict is then."""
        if arm not in self._places:
            raise unknown_name("arm", arm, self.arm_names)
        self.fold(self._places[arm], self.checked(results))
        self._asked = None
        return self.outcome

    def choose(self, number: int, outstanding: Sequence[int] | Integers | None = None) -> int | None:
        """The place of the arm for ask `number` (0, 1, 2, ...), or None once there is a verdict.

        `outstanding` (K,) counts the evaluations of each arm that are under way. Call it once for each ask, in order.
        """
        if self.outcome is not Outcome.UNDECIDED:
            return None
        self._asks = number + 1
        waiting = np.zeros_like(self._pulls) if outstanding is None else np.asarray(outstanding, dtype=np.int64)
        return self._sampler.choose(number, self._deficits, self._pulls, self._open, waiting)

    @property
    def pulls(self) -> Integers:
        """How many results of each arm were folded, (K,)."""
        return self._pulls

    @property
    def asks(self) -> int:
        """How many choices were made or noted."""
        return self._asks

    @property
    def joins_arms(self) -> bool:
        """Whether a result of one arm may change what is decided about another."""
        return self._judge.joins_arms

    def note_choice(self, number: int, outstanding: Sequence[int] | Integers | None = None) -> None:
        """Take note of an ask that was made elsewhere, in place of `choose`."""
        if self._sampler.remembers:
            self.choose(number, outstanding)
        self._asks = number + 1

    def fold(self, place: int, values: Sequence[float]) -> None:
        """Add one result of an arm, checked before: one value for each metric. A decided arm's are only counted."""
        standard = self._standard
        folded = np.array(
            [
                slope * (value - threshold)
                for value, slope, threshold in zip(values, standard.slopes, standard.thresholds, strict=True)
            ]
        )
        self._pulls[place] += 1
        self._total += 1
        pulls = int(self._pulls[place])
        shortfall = fold(self._deficits, place, folded) / pulls
        fold_squares(self._squares, place, folded)
        if self._open[place]:
            self._decide(place, pulls, shortfall)
        self._sampler.share(self._deficits, self._squares, self._pulls, self._open, self._total)

    def checked(self, results: Mapping[str, float]) -> tuple[float, ...]:
        """The values in the order of the metrics, each of a kind that its noise allows; further ones are left out."""
        if not isinstance(results, Mapping):
            raise InvalidResult(f"Expected the results as a mapping from metric to number, got {results!r:.60}.")
        names = self.problem.metric_names
        return tuple(_checked(results, metric, names) for metric in self.problem.metrics)

    @property
    def outcome(self) -> Outcome:
        """The verdict in one word."""
        return outcome_of(self.problem.goal, len(self._accepted), self._undecided)

    @property
    def verdict(self) -> Verdict:
        """What can be said now."""
        return Verdict(
            self.outcome,
            self.arm_names[self._accepted[0]] if self._accepted else None,
            self._total,
            self.problem.error_rate,
            tuple(self.arm_names[place] for place in self._accepted),
            tuple(self.arm_names[place] for place in np.flatnonzero(self._decisions == REJECT)),
            self._guess(),
            self._assumptions,
        )

    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each arm."""
        return tuple(self.status(place) for place in range(len(self.arm_names)))

    def status(self, place: int) -> ArmStatus:
        """What is known of one arm."""
        pulls = int(self._pulls[place])
        name, decision = self.arm_names[place], int(self._decisions[place])
        if pulls == 0:
            nothing = (float("nan"),) * len(self.problem.metrics)
            return ArmStatus(name, 0, nothing, (Interval(-inf, inf),) * len(nothing), KEEP)
        pairs = zip(self._deficits[place], self._standard.slopes, self._standard.thresholds, strict=True)
        means = tuple(float(threshold + deficit / pulls / slope) for deficit, slope, threshold in pairs)
        intervals = tuple(
            metric_interval(self.problem.of_arm(metric, place), slope, pulls, deficit, squares, self.problem.error_rate)
            for metric, slope, deficit, squares in zip(
                self.problem.metrics, self._standard.slopes, self._deficits[place], self._squares[place], strict=True
            )
        )
        return ArmStatus(name, pulls, means, intervals, decision, *self._progress(place, pulls))

    def warnings(self) -> tuple[str, ...]:
        """Where the results contradict what was declared about their noise, in words."""
        ratios = self.problem.noise_ratios(len(self.arm_names))
        found = (
            contradiction(
                self.problem.of_arm(metric, place),
                self.arm_names[place],
                int(pulls),
                float(self._deficits[place, column]),
                float(self._squares[place, column]),
                self._standard.noise_scale * (float(ratios[place, column]) if ratios.size else 1.0),
                self._deficits.size,
            )
            for place, pulls in enumerate(self._pulls)
            for column, metric in enumerate(self.problem.metrics)
            if pulls > 1
        )
        return tuple(words for words in found if words is not None)

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All that was folded and chosen, as arrays: `restore` on a new search of the same problem continues there."""
        return {
            "deficits": self._deficits,
            "squares": self._squares,
            "memory": self._judge.memory,
            "pulls": self._pulls,
            "decisions": self._decisions,
            "accepted": np.array(self._accepted, dtype=np.int64),
            "strengths": self._sampler.strengths,
            "slacks": self._sampler.slacks,
            "spreads": self._sampler.spreads,
            "board": self._sampler.board,
            "unscored": self._sampler.unscored,
            "counts": np.array(
                [self._total, self._asks, -1 if self._asked is None else self._asked, self._sampler.sharing]
            ),
        }

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take over a state of the same problem, rule and arms."""
        arrays = {key: np.array(value) for key, value in state.items()}
        self._deficits, self._squares, self._judge.memory = arrays["deficits"], arrays["squares"], arrays["memory"]
        self._pulls, self._decisions = arrays["pulls"], arrays["decisions"]
        self._sampler.strengths, self._sampler.board = arrays["strengths"], arrays["board"]
        self._sampler.slacks, self._sampler.unscored = arrays["slacks"], arrays["unscored"]
        self._sampler.spreads = arrays["spreads"]
        self._accepted = arrays["accepted"].tolist()
        self._open = np.where(self._decisions == KEEP, 1.0, 0.0)
        self._undecided = int(self._open.sum())
        self._total, self._asks, asked, self._sampler.sharing = (int(count) for count in arrays["counts"])
        self._asked = None if asked < 0 else asked

    def _decide(self, place: int, pulls: int, shortfall: float) -> None:
        if self._judge.accepts(self._deficits, self._squares, place, pulls, shortfall):
            self._decisions[place] = ACCEPT
            self._accepted.append(place)
        elif self._judge.rejects(self._deficits, self._squares, place, pulls, shortfall):
            self._decisions[place] = REJECT
        else:
            self._judge.settle(self._deficits, self._pulls, place)
            self._sampler.see(self._deficits, self._squares, place, pulls, self._total)
            return
        self._open[place] = 0.0
        self._undecided -= 1
        self._sampler.drop(place)

    def _guess(self) -> Guess | None:
        """The accepted arm, or the one whose weakest metric is the most standard errors beyond its threshold."""
        candidates = (self._pulls > 0) & (self._decisions != REJECT)
        if not candidates.any():
            return None
        weakest = self._sampler.strengths.min(axis=1) * np.sqrt(self._pulls)
        place = self._accepted[0] if self._accepted else int(np.argmax(np.where(candidates, weakest, -inf)))
        sums = self._deficits[place], self._squares[place], int(self._pulls[place]), self._judge.memory[place]
        return Guess(self.arm_names[place], self._judge.p_value(place, *sums))

    def _progress(self, place: int, pulls: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        if not self._judge.by_evidence:
            return (), ()
        sums = self._deficits[place], self._squares[place], pulls
        accept = self._judge.accept_evidence(place, *sums, self._judge.memory[place])
        level = self._judge.accept_level
        return (
            tuple(min(max(now / level, 0.0), 1.0) for now in accept),
            tuple(min(max(now, 0.0), 1.0) for now in self._judge.reject_progress(place, *sums)),
        )


def _checked(results: Mapping[str, float], metric: Metric, names: Sequence[str]) -> float:
    if metric.name not in results:
        raise InvalidResult(f"Expected a number for each of {', '.join(names)}, but {metric.name!r} is missing.")
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
        raise InvalidResult(f"Expected {wanted} for {metric.name!r} ({metric.noise}), got {value!r}.")
    return float(value)


def _named(given: Any, known: Mapping[str, type[Any]], kind: str) -> Any:
    """The value itself, or the one of that name."""
    if not isinstance(given, str):
        return given
    if given.lower() not in known:
        raise unknown_name(kind, given, known)
    return known[given.lower()]()
