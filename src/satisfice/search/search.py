"""One search, one decision at a time: which arm to evaluate next, and what a result says."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from satisfice.arrays import Integers
from satisfice.errors import InvalidProblem, RuledOut, unknown_name
from satisfice.problem.groups import check_asked_only, only_group
from satisfice.problem.results import Row, checked_pair, checked_results
from satisfice.rules.protocol import RESCORED_PER_CHOICE
from satisfice.search.choose import choose
from satisfice.search.entrust import entrust
from satisfice.search.known import KnownSearch
from satisfice.search.live_absorb import LiveAbsorb
from satisfice.search.live_pending import Line, decided_early, may_be_decided
from satisfice.search.opening import note_ask
from satisfice.search.pending import looks_ahead
from satisfice.search.start import doubt_when_due, reprice
from satisfice.search.state import ASKED, ASKS, restored
from satisfice.search.undo import before_choice, undo
from satisfice.search.verdict import Outcome

Results = Mapping[str, Any]
"""What an evaluation returned: for each metric a number, a list of numbers, or a count."""

Outstanding = Sequence[int] | Integers | None
"""How many evaluations of each arm are under way, (K,)."""


class Search(KnownSearch):
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


def _counted(outstanding: Outstanding) -> Integers | None:
    return None if outstanding is None else np.asarray(outstanding, dtype=np.int64)
