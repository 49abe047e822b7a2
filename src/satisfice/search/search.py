"""One search, one decision at a time: which arm to evaluate next, and what a result says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import numpy as np

from satisfice.arrays import Integers
from satisfice.errors import BrokenRule, InvalidProblem, RuledOut, unknown_name
from satisfice.given import shown
from satisfice.problem.goal import Goal, answer_to
from satisfice.problem.metric import Metric
from satisfice.problem.problem import NO_LIMIT, Problem, check_asked_only, only_group
from satisfice.problem.results import Row, checked_pair, checked_results
from satisfice.rules import DEFAULT_RULE, RULES, RuleLike
from satisfice.rules.protocol import RESCORED_PER_CHOICE, kind_of
from satisfice.search.choose import choose
from satisfice.search.costs import Costs, weights_of_arms
from satisfice.search.diagnostics import ALL_CONFIGS, Check
from satisfice.search.earlier import Earlier
from satisfice.search.early_decision import (
    FoldedAhead,
    Line,
    Looks,
    decided_early,
    first_come,
    look_ahead,
    looks_ahead,
    may_be_decided,
    used,
)
from satisfice.search.entrust import entrust
from satisfice.search.fit import fitting_judge
from satisfice.search.grouped import GroupedObservations, LiveGroups
from satisfice.search.hints import Hint
from satisfice.search.holding_up import HoldUp, held_up
from satisfice.search.items import Items
from satisfice.search.live import BonusesAtHand, LiveAbsorb, in_plain_numbers, philox_stream
from satisfice.search.observations import Observations
from satisfice.search.opening import note_ask
from satisfice.search.report import ArmSums, Report, best_place, sums_of
from satisfice.search.start import arms_in_question, doubt_when_due, reprice, rule_out, start_from
from satisfice.search.state import (
    ACCEPTED,
    ASKED,
    ASKS,
    UNDECIDED,
    SearchState,
    arrays_of,
    new_state,
    parts_of,
    restored,
)
from satisfice.search.verdict import OUTCOMES, ArmStatus, Guess, Outcome, Verdict, assumptions_of, condition_of
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, StoppingLike, at_hand
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.protocol import entrusts

Stream = Callable[[int], np.random.Generator]
"""The random numbers of an ask, by its number."""


Results = Mapping[str, Any]
"""What an evaluation returned: for each metric a number, a list of numbers, or a count."""

Outstanding = Sequence[int] | Integers | None
"""How many evaluations of each arm are under way, (K,)."""


class Search:
    """Which of these arms passes? Ask for the next arm, tell its results, until there is a verdict.

    The same state, the same choices and the same decisions as in a simulation, for results that come from outside.
    Rules that draw are seeded: the same results, told in the same order, lead to the same asks. `ask` and `tell` go one
    at a time; `choose` and `fold` are for many evaluations at once, where each arm's results must be folded in the
    order in which they were asked for, or the guarantee is lost (results that come sooner may be the better ones).
    `earlier` results steer the choice and count for nothing. `costs` are what an evaluation of each arm costs;
    with `reports_cost` each result is told with its own. No arm is accepted before it has `min_evaluations` results.

    Where the problem has G groups of metrics an evaluation measures one of them. What is chosen, folded and priced is
    then a line, arm * G + group, where there are no groups an arm; `wanted` are the groups of the last ask.
    """

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

    def ask(self) -> str | None:
        """The arm to evaluate next, or None once there is a verdict."""
        if self.problem.items:
            raise InvalidProblem(
                f"The limits of this search are on a set of {self.problem.items} items, and ask() says which arm to "
                "evaluate but not on which item. Write `arm, item = search.ask_item()`, or take a study: its pulls "
                "have an `item`."
            )
        return self._asked_arm()

    def ask_item(self) -> tuple[str, int | None] | tuple[None, None]:
        """The arm to evaluate next and the item to evaluate it on; two times None once there is a verdict.

        Once all items of an arm were evaluated, its evaluations for other metrics have no item.
        """
        arm = self._asked_arm()
        return (None, None) if arm is None else (arm, self._item())

    def _item(self) -> int | None:
        """The item that the last ask is for."""
        counts = self._state.counts
        line = int(counts[ASKED])
        return self._items.of(int(counts[ASKS]) - 1, int(self.folded[line]), line % self.groups)

    def _asked_arm(self) -> str | None:
        counts = self._state.counts
        if counts[ASKED] < 0 or self.outcome is not Outcome.UNDECIDED:
            chosen = self.choose(int(counts[ASKS]))
            counts[ASKED] = -1 if chosen is None else chosen
        return None if counts[ASKED] < 0 else self.arm_names[counts[ASKED] // self.groups]

    @property
    def wanted(self) -> tuple[str, ...]:
        """The groups of metrics that the last ask wants measured; none where all are measured together."""
        return self.problem.groups[asked % self.groups :][:1] if (asked := int(self._state.counts[ASKED])) >= 0 else ()

    def tell(self, arm: str, results: Results, baseline: Results | None = None, cost: float | None = None) -> Outcome:
        """Add the results of one evaluation of an arm, and its cost where it reports one; what the verdict is then.

        A number for each metric, or a list of numbers where a percentile or a share is limited; those of the baseline,
        evaluated beside it, where a limit looks at it.
        """
        if arm not in self._places:
            raise unknown_name("arm", arm, self.arm_names)
        group = self.group_in(results) if self._lines is not None else 0
        line = self._places[arm] * self.groups + group
        checked = self.checked(results, baseline, group, int(self.folded[line]))
        if (contradiction := self.contradiction(line, *checked)) is not None:
            raise RuledOut(contradiction)
        self.note_first(line, *checked)
        self.note_cost(line, cost)
        self.fold(line, *checked)
        self._state.counts[ASKED] = -1
        return self.outcome

    def choose(self, number: int, outstanding: Outstanding = None, *, left: float = inf) -> int | None:
        """The place of the arm, or the line, for ask `number` (0, 1, 2, ...), or None once there is a verdict.

        `outstanding` (K,), or (K G,), counts the evaluations of each that are under way. Call it once for each ask, in
        order. None also if the evaluation would cost more than is `left`, and then there was no ask.
        """
        arm = self._next(number, outstanding, left)
        if arm is not None:
            self._note(number, outstanding, arm)
        return arm

    def _next(self, number: int, outstanding: Outstanding, left: float) -> int | None:
        if self.outcome is not Outcome.UNDECIDED:
            return None
        self.score()
        may_be_none = left < inf or self._has_set
        state, before = self._state, before_choice(self._state, self._draws) if may_be_none else []
        state.counts[ASKS] = number + 1
        rng: Any = self._stream(number) if self._draws else None  # not looked at by rules that do not draw
        under_way: Any = _counted(outstanding)
        if self._lines is None:
            counts: Any = None if under_way is None else memoryview(under_way)  # gives Python's own numbers
            line = int(choose(self._absorb.for_choices, self._parts, rng, number, counts))
        else:
            with np.errstate(all="ignore"):
                arm = int(choose(self._state, self._parts, rng, number, self._lines.by_arm(under_way)))
                line = self._lines.line_of(arm, under_way)
        if line >= 0 and (left == inf or (self.costs.expected(line) or 0.0) <= left):
            return line
        undo(before)
        return None

    def has_room(self, left: float, outstanding: Integers) -> bool:
        """Whether the next evaluation would cost no more than is left; nothing is chosen by asking."""
        self.score()
        before = before_choice(self._state, self._draws)
        fits = self._next(self.asks, outstanding, left) is not None
        undo(before)
        return fits

    def take_choice(self, number: int, outstanding: Outstanding, arm: int) -> None:
        """Take an ask of an arm for chosen, which was made elsewhere, in place of `choose`."""
        if self._draws and len(self.arm_names) > RESCORED_PER_CHOICE:
            self._next(number, outstanding, inf)  # it leaves scores behind that later choices build on
        under_way = _counted(outstanding)
        by_arm = under_way if self._lines is None else self._lines.by_arm(under_way)
        note_ask(self.rule, self._state, self._parts, by_arm)
        self._note(number, outstanding, arm)

    def _note(self, number: int, outstanding: Outstanding, arm: int) -> None:
        self._state.counts[ASKS] = number + 1
        if self._lends:
            with np.errstate(all="ignore"):
                entrust(self._state, self._parts, arm, number, _counted(outstanding))

    def fold(self, line: int, values: Row, baseline: Row = ()) -> None:
        """Add one result of an arm, or line, checked before. A decided arm's are only counted."""
        place = line // self.groups
        self._observations.take(self._state, line, values, baseline)
        self._make_room(int(self._state.pulls[place]) + 1)
        with np.errstate(all="ignore"):
            self._check_score(place, self._absorb(self._parts, line))
            doubt_when_due(self._state, self._parts)

    def hold(self, place: int, waiting: int, line: Callable[[], Line]) -> None:
        """Take note that `waiting` results of an arm came before their turn: they steer the choice, from now on.

        They decide, too, where they do so whatever the missing ones turn out to be. `line` says what they are, whenever
        it is asked until none waits. Where metrics are measured in groups nothing is done before its turn.
        """
        if self._whole is None or not isinstance(self._absorb, LiveAbsorb):
            return
        self.steer_by(place, line)
        if not may_be_decided(self._state, self._parts, place, waiting):
            return
        results = list(line())
        self._make_room(int(self._state.pulls[place]) + len(results))
        if decided_early(self._state, self._parts, self._whole, self._absorb, place, results, self._looks):
            self._outcome = self._outcome_now()

    def steer_by(self, place: int, line: Callable[[], Line]) -> None:
        """Take note that results of an arm wait, and let them steer; after `restore` nothing new is decided by them."""
        if looks_ahead(self.rule, self._state, place):
            self._early[place], self._state.ahead[place] = line, 0

    def note_cost(self, line: int, cost: float | None) -> None:
        """Take note of what an evaluation has cost, None if nobody knows; before its results are folded."""
        if not self.costs.reported:
            return
        self._state.ahead[line // self.groups] = 0
        self.costs.note(line, cost)
        reprice(self._state, self._parts, self.costs)

    def checked(
        self, results: Results, baseline: Results | None = None, group: int = 0, arm_number: int = 0
    ) -> tuple[Row, Row]:
        """What is recorded of an evaluation: the values in the order of `problem.measured`, and the baseline's.

        Of a group, those of its own problem, and no others. After `arm_number` others of its arm, or line, there may be
        no item left to measure.
        """
        problem = self.problem.by_group[group]
        if self._lines is not None:
            check_asked_only(self.problem.metrics, self.problem.groups[group], results)
        left_out = problem.left_out(arm_number)
        values = checked_results(problem, results, left_out)
        return values, checked_pair(problem, values, baseline, left_out)

    def contradiction(self, line: int, values: Row, baseline: Row) -> str | None:
        """In a sentence, how a result differs from an earlier one of its arm where all are declared to be the same."""
        arm, group = divmod(line, self.groups)
        return self._observations.first_of(group).difference(arm, self.arm_names[arm], values, baseline)

    def note_first(self, line: int, values: Row, baseline: Row) -> None:
        """Keep results that are the same every time, when they are told, for comparison with later ones."""
        arm, group = divmod(line, self.groups)
        self._observations.first_of(group).note(arm, values, baseline)

    def group_in(self, results: object) -> int:
        """The group that was asked for, or the only one that results nobody asked for can be of."""
        asked = int(self._state.counts[ASKED])
        return asked % self.groups if asked >= 0 else only_group(self.problem, results)

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take over a state of the same problem, rule and arms."""
        self._state = restored(self._state, self._parts.noise, state)
        if self._lines is None:
            self._absorb = LiveAbsorb(self._state, self._parts)
        else:
            self._lines.moved_to(self._state, state)
        self._early, self._ahead = {}, {}
        self._looks.clear()
        self._outcome = self._outcome_now()
        self._observations.restore(state)
        self.costs.restore(state)

    def _make_room(self, pulls: int) -> None:
        if pulls >= self._parts.judge.room():
            self._parts = self._parts._replace(judge=self._parts.judge.extended(2 * pulls + 64))


Undo = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]
"""Arrays, and what they were."""


def before_choice(state: SearchState, draws: bool) -> Undo:
    """What a choice changes, by a rule that draws scores or by another one."""
    drawn = [state.board, state.unscored] if draws and state.pulls.shape[0] > RESCORED_PER_CHOICE else []
    return [(array, array.copy()) for array in (state.counts, *drawn)]


def undo(before: Undo) -> None:
    """Write back what was there before."""
    for array, kept in before:
        array[:] = kept


def _counted(outstanding: Outstanding) -> Integers | None:
    return None if outstanding is None else np.asarray(outstanding, dtype=np.int64)
