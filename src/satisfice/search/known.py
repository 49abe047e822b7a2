"""What is known of a live search: its state, and what follows from it. Nothing is asked or told here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from satisfice.arrays import Integers
from satisfice.errors import BrokenRule, InvalidProblem
from satisfice.given import shown
from satisfice.problem.goal import Goal, answer_to
from satisfice.problem.metric import Metric
from satisfice.problem.problem import NO_LIMIT, Problem
from satisfice.rules import DEFAULT_RULE, RULES, RuleLike
from satisfice.rules.protocol import kind_of
from satisfice.search.checks import ALL_CONFIGS, Check
from satisfice.search.costs import Costs, weights_of_arms
from satisfice.search.earlier import Earlier
from satisfice.search.fit import fitting_judge
from satisfice.search.guess import best_place
from satisfice.search.hints import Hint
from satisfice.search.holding_up import HoldUp, held_up
from satisfice.search.items import Items
from satisfice.search.live import BonusesAtHand, in_plain_numbers, philox_stream
from satisfice.search.live_absorb import LiveAbsorb
from satisfice.search.live_groups import GroupedObservations, LiveGroups
from satisfice.search.live_pending import FoldedAhead, Line, Looks, first_come, look_ahead
from satisfice.search.observations import Observations
from satisfice.search.pending import looks_ahead, used
from satisfice.search.report import ArmSums, Report, sums_of
from satisfice.search.start import arms_in_question, rule_out, start_from
from satisfice.search.state import ACCEPTED, ASKS, UNDECIDED, arrays_of, new_state, parts_of
from satisfice.search.verdict import OUTCOMES, ArmStatus, Guess, Outcome, Verdict, assumptions_of, condition_of
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, StoppingLike, at_hand
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.protocol import entrusts

Stream = Callable[[int], np.random.Generator]
"""The random numbers of an ask, by its number."""


class KnownSearch:
    """A search as one reads it: what it asks for and what it was told is up to `Search`."""

    def __init__(
        self,
        problem: Problem,
        arms: Sequence[str],
        *,
        rule: RuleLike = DEFAULT_RULE,
        stopping: StoppingLike = DEFAULT_STOPPING,
        seed: int = 0,
        stream: Stream | None = None,
        earlier: Earlier | None = None,
        costs: Sequence[float] | None = None,
        reports_cost: bool = False,
        min_evaluations: int = 1,
        ruled_out: Sequence[int] = (),
    ) -> None:
        if not arms or len(set(arms)) != len(arms):
            raise InvalidProblem(f"Expected at least one arm and different names for all, got {shown(list(arms), 80)}.")
        self.problem = problem
        self.arm_names = tuple(arms)
        self.rule = RULES.resolve(rule)
        self.stopping = STOPPING_RULES.resolve(stopping)
        count = len(self.arm_names)
        in_question = arms_in_question(problem, count, len(ruled_out))
        judge = at_hand(fitting_judge(self.rule, self.stopping, problem, in_question))
        self._places = {name: place for place, name in enumerate(self.arm_names)}
        self._assumptions, self._condition = assumptions_of(problem), condition_of(problem)
        self._stream = philox_stream(seed) if stream is None else stream
        self._items, self._has_set = Items(problem, seed), problem.set_size > 0
        self._draws = kind_of(type(self.rule)).by_draws
        self._lends = entrusts(type(judge))
        bonuses: Any = BonusesAtHand(self.rule, problem.setting(count))  # read like a table, entry by entry
        self.groups = len(problem.by_group)
        self.costs = Costs(count * self.groups, costs, reported=reports_cost)
        weights = weights_of_arms(self.costs.weights, count)
        self._parts = in_plain_numbers(
            parts_of(self.rule, judge, problem, count, bonuses, weights, least=min_evaluations)
        )
        self._state = new_state(self._parts, extra=max(1, self._parts.noise.extra), warm=earlier is not None, seed=seed)
        if earlier is not None:
            start_from(self._state, self._parts, earlier)
        rule_out(self._state, ruled_out)
        self._lines = LiveGroups(problem, self._state, self._parts, self.costs) if problem.groups else None
        self._absorb = LiveAbsorb(self._state, self._parts) if self._lines is None else self._lines
        self._early = dict[int, Callable[[], Line]]()
        self._ahead = dict[int, FoldedAhead]()
        self._looks = Looks()
        self._outcome = self._outcome_now()
        self._report = Report(problem, in_question, self.stopping, self._parts.judge)
        self._whole = None if problem.groups else Observations(problem, self.arm_names)  # of all metrics at a time
        self._observations = self._whole or GroupedObservations(problem, self.arm_names)

    @property
    def pulls(self) -> Integers:
        """How many results of each arm have been folded, (K,)."""
        return self._state.pulls

    def next_line(self, place: int) -> int:
        """The line of an arm that an ask for it would be for, if nothing is under way."""
        return place if self._lines is None else max(self._lines.line_of(place, None), place * self.groups)

    @property
    def folded(self) -> Integers:
        """How many results of each line have been folded, (K G,): of each arm where there are no groups."""
        return self._state.pulls if self._lines is None else self._lines.folded

    @property
    def asks(self) -> int:
        """How many choices were made or noted."""
        return int(self._state.counts[ASKS])

    @property
    def used(self) -> int:
        """How many results the decisions rest on: those folded, and those that were looked at before their turn."""
        return used(self._state)

    @property
    def outcome(self) -> Outcome:
        """The verdict in one word."""
        return self._outcome

    def _outcome_now(self) -> Outcome:
        counts = self._state.counts
        return OUTCOMES[answer_to(self._parts.setting, counts[ACCEPTED], counts[UNDECIDED])]

    @property
    def verdict(self) -> Verdict:
        """What can be said now."""
        accepted, outcome = self._decided(ACCEPT), self.outcome
        return Verdict(
            outcome,
            accepted[0] if accepted and outcome is not Outcome.NONE else None,
            self.used,
            self.problem.error_rate,
            accepted,
            tuple(self.arm_names[place] for place in np.flatnonzero(self._state.decisions == REJECT)),
            self._guess(outcome, accepted),
            self._assumptions,
            self._condition_of(outcome),
            self._parts.setting.wanted,
            self._failed_checks(accepted, outcome),
        )

    def _condition_of(self, outcome: Outcome) -> str:
        """What the answer rests on: with the problem, and with the results of the decisions that make it up."""
        if outcome is Outcome.UNDECIDED or not any(metric.process.checks_shape for metric in self.problem.metrics):
            return self._condition
        decisive = {ACCEPT: outcome is Outcome.FOUND, REJECT: outcome is Outcome.NONE}
        granted: dict[tuple[Metric, str], None] = {}
        for place, decision in enumerate(self._state.decisions.tolist()):
            if decisive.get(decision, False) or (decision != KEEP and self.problem.goal is Goal.ALL):
                granted |= dict.fromkeys(self._report.taken_for_granted(self._sums(place), accepts=decision == ACCEPT))
        return condition_of(self.problem, tuple(granted)) if granted else self._condition

    def statuses(self) -> tuple[ArmStatus, ...]:
        """What is known of each arm."""
        return tuple(self.status(place) for place in range(len(self.arm_names)))

    def status(self, place: int) -> ArmStatus:
        """What is known of one arm."""
        state = self._state
        with np.errstate(all="ignore"):
            found = self._report.status(self.arm_names[place], self._sums(place), int(state.decisions[place]))
            known = self._observations.estimated(found, place)
        ahead = int(max(0, state.rests_on[place] - state.pulls[place]))
        return replace(known, ahead=ahead) if ahead else known

    def leaning(self, place: int) -> float:
        """The share of the evidence for accepting an arm, or minus that for rejecting it; costs little."""
        with np.errstate(all="ignore"):
            return self._report.leaning(sums_of(self._state, place), int(self._state.decisions[place]))

    def warnings(self) -> tuple[str, ...]:
        """Where the results contradict what was declared about their noise, and what decisions wait for, in words.

        The latter of the arm that looks best.
        """
        found = [
            words for place in np.flatnonzero(self._state.pulls > 1).tolist() for words in self._contradictions(place)
        ]
        if self.outcome is not Outcome.UNDECIDED:
            return tuple(found)
        found += map(str, self.hints())
        with np.errstate(all="ignore"):
            best = self._best()
            holds = self.held_up(best) if best >= 0 else None
        if holds is not None and holds.shape is not None:
            found.append(f"{self.problem.metrics[holds.place].name} of {self.arm_names[best]} {holds.shape}.")
        return tuple(found)

    def _contradictions(self, place: int) -> list[str]:
        return self._report.contradictions(self.arm_names[place], self._sums(place))

    def hints(self) -> tuple[Hint, ...]:
        """What to declare of metrics of which nothing is declared, where their results look like something known."""
        return self._observations.hints()

    def held_up(self, place: int) -> HoldUp | None:
        """The metric that keeps an arm from being decided, and why; None under a rule that knows no evidence."""
        hints = {hint.metric: hint for hint in self.hints()}
        return held_up(self._report, self._sums(place), hints, self._parts.least)

    def checks(self) -> tuple[Check, ...]:
        """What is odd about the results of an arm, in words and numbers; it changes no decision."""
        return self._observations.found(ended=self.outcome is not Outcome.UNDECIDED)

    def _failed_checks(self, accepted: tuple[str, ...], outcome: Outcome) -> tuple[str, ...]:
        """What speaks against what a verdict rests on, in clauses: of the arms that it is about, or of all results."""
        if outcome is Outcome.UNDECIDED:
            return ()
        about = self.arm_names if outcome is Outcome.NONE or self.problem.goal is Goal.ALL else accepted
        found = [check.clause for check in self.checks() if check.failed and check.config in (*about, ALL_CONFIGS)]
        if any(self._contradictions(self._places[name]) for name in about):
            found.append("results contradict what was declared")
        return tuple(dict.fromkeys(found))

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All that was folded and chosen, as arrays: `restore` on a new search of the same problem continues there."""
        self.score()
        beside = {} if self._lines is None else self._lines.arrays()
        return arrays_of(self._state, self._parts.noise) | self._observations.state() | self.costs.state() | beside

    def _decided(self, decision: int) -> tuple[str, ...]:
        """The arms about which that was decided, in the order of deciding."""
        places = np.flatnonzero(self._state.decisions == decision)
        order = np.argsort(self._state.decided_at[places], kind="stable")
        return tuple(self.arm_names[place] for place in places[order])

    def _guess(self, outcome: Outcome, accepted: tuple[str, ...]) -> Guess | None:
        """The arm that was found first or, until there is an answer, the undecided one that looks best."""
        if outcome is Outcome.NONE:
            return None
        found = outcome is Outcome.FOUND
        with np.errstate(all="ignore"):
            place = self._places[accepted[0]] if found else self._best()
            if place < 0:
                return None
            sums = self._sums(place)
            holds = None if found else self.held_up(place)
            missing = () if holds is None else (holds.words, self.problem.metrics[holds.place].label)
            p_value = self._report.p_value(sums) if sums.pulls else 1.0
            return Guess(self.arm_names[place], min(p_value, self.problem.error_rate) if found else p_value, *missing)

    def _sums(self, place: int) -> ArmSums:
        return sums_of(self._state, place, self._counts_of(place))

    def _counts_of(self, place: int) -> tuple[int, ...]:
        """How many results each metric of an arm has, where they differ."""
        counts = () if self._lines is None else self._lines.counts_of(place)
        if not self._has_set or (not counts and self._state.pulls[place] <= self.problem.set_size):
            return counts
        each = counts or [int(self._state.pulls[place])] * len(self.problem.metrics)
        sizes = [metric.set_size or NO_LIMIT for metric in self.problem.metrics]
        return tuple(map(min, each, sizes))

    def _best(self) -> int:
        self.score()
        return best_place(self._state, self._parts) if self._lines is None else self._lines.best_place()

    def score(self) -> None:
        """Bring all scores up to date with results that wait to be folded; else the next choice does so."""
        if not self._early or self._whole is None or not isinstance(self._absorb, LiveAbsorb):
            return
        for place in [place for place in self._early if self._state.ahead[place] == 0]:
            came, before = first_come(self._early[place]()), self._ahead.pop(place, None)
            if came and looks_ahead(self.rule, self._state, place):
                self._ahead[place] = look_ahead(
                    self._state, self._parts, self._whole, self._absorb, place, came, before
                )
            else:
                del self._early[place]

    def _check_score(self, place: int, score: float) -> None:
        if isfinite(score):
            return
        if self._state.decisions[place] != KEEP:
            self._outcome = self._outcome_now()
        else:
            name, arm = type(self.rule).__name__, self.arm_names[place]
            raise BrokenRule(f"{name} gave arm {arm!r} the priority {score}. A priority must be a finite number.")
