"""Taking in a result in a live search: `absorb` on views of the same arrays that give Python's own numbers.

Interpreted code computes with those two to three times faster than with numpy's, and to the same bits, except where it
divides by zero or overflows: there numpy goes on, and Python raises. Then, and wherever a part from outside wants more
of an array than its numbers, the arm's sums are taken back and the result is absorbed in numpy's numbers.
"""

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, TypeVar

from satisfice.arrays import Floats
from satisfice.rules.protocol import MARGIN, kind_of
from satisfice.search.absorb import absorb, conclude, judged, place, pool_when_due, score_of, take_in
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.stopping.decision import KEEP
from satisfice.stopping.protocol import transfers

T = TypeVar("T")
Sums = list[Floats]
"""What is known of one arm, copied."""

VIEWED = (
    *("deficits", "deficits_within", "memory", "margins", "tolerances", "pooled", "board"),
    *("results", "results_within", "weights"),
)
CHOSEN_BY = ("board", "held", "held_scores", "pulls", "ahead")
"""What a choice by margins looks at."""
MOST_ROWS = 4096
"""Of how many arms and metrics views are kept."""
NOT_IN_PLAIN_NUMBERS = (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError)
"""What is raised where numpy would go on, or by a part that wants more of an array than its numbers."""


class Rows(dict[tuple[int, ...], Any]):
    """An array of three dimensions, as views of its rows by their two places."""

    def __init__(self, array: Floats) -> None:
        self.shape, self._array, self._view = array.shape, array, _view(array)

    def __missing__(self, key: tuple[int, ...]) -> Any:
        if len(key) == 3:
            return self._view[key]
        if len(self) >= MOST_ROWS:
            self.clear()
        view = memoryview(self._array[key])
        super().__setitem__(key, view)
        return view

    def __setitem__(self, key: tuple[int, ...], value: float) -> None:
        self._view[key] = value


class LiveAbsorb:
    """`absorb` for one state, whose arrays stay the same ones; `for_choices` is that state as `choose` takes it.

    An arm's score by margins follows from its own results and from what is pooled of all, after which all are scored
    anew. So of many results that come before the next choice only the last of each arm needs a score, and that can be
    computed then: `unscored` are the arms that wait for theirs.
    """

    def __init__(self, state: SearchState, parts: Parts) -> None:
        self._state, self._on_board = state, state._replace(board=_view(state.board))
        sums = (state.deficits, state.more, state.deficits_within, state.more_within, state.memory)
        self._sums = list({id(array): array for array in sums}.values())  # most often some are others' second names
        whole = (state.counts, state.pulls, state.decisions, state.ahead)
        self._counts, self._pulls, self._decisions, self._ahead = map(_view, whole)
        views = {name: _view(getattr(state, name)) for name in VIEWED}
        rows: Any = Rows(state.more)
        within: Any = rows if state.more_within is state.more else Rows(state.more_within)
        self._views: SearchState | None = state._replace(**views, more=rows, more_within=within)
        self.for_choices, self.unscored = state, set[int]()
        self._by_margins = kind_of(type(parts.rule)) is MARGIN
        if self._by_margins:  # others look at more, and may want arrays
            self.for_choices = state._replace(**{name: _view(getattr(state, name)) for name in CHOSEN_BY})
        if transfers(type(parts.judge)):
            self._views = None  # a result changes what is remembered of other arms, too

    def __call__(self, parts: Parts, arm: int, *, scored: bool = True) -> float:
        """Take in `state.results` of an arm; its new score, or 0 if it is left for later."""
        views, counts = self._views, self._counts
        if views is None or self._decisions[arm] != KEEP:
            return self._in_arrays(parts, arm)
        later = self._by_margins and not scored
        pulls, total, before = self._pulls[arm] + 1, counts[TOTAL] + 1, self.sums_of(arm)
        try:
            if later:
                decision, _ = judged(views, parts, arm, pulls)
                score = 0.0 if decision == KEEP else -inf
            else:
                decision, score = take_in(views, parts, arm, pulls, total)
        except NOT_IN_PLAIN_NUMBERS as error:
            self._give_up(arm, before, error)
            return self._in_arrays(parts, arm)
        if decision != KEEP and arm in self.unscored:
            self._score_as_it_was(parts, arm, before)
        if later and decision == KEEP:
            self.unscored.add(arm)
            self._pulls[arm], self._ahead[arm], counts[TOTAL] = pulls, 0, total
            pool_when_due(self._on_board, parts, total)
        else:
            conclude(self._on_board, parts, arm, pulls, total, decision, score)
        return score

    def try_out(self, arm: int, act: Callable[[SearchState], T]) -> T:
        """Do something with what is known of an arm, in Python's own numbers where that goes."""
        if self._views is not None:
            before = self.sums_of(arm)
            try:
                return act(self._views)
            except NOT_IN_PLAIN_NUMBERS as error:
                self._give_up(arm, before, error)
        return act(self._state)

    def sums_of(self, arm: int) -> Sums:
        """What is known of an arm now."""
        return [array[arm].copy() for array in self._sums]

    def put(self, arm: int, sums: Sums) -> None:
        """Let that be known of an arm."""
        for array, kept in zip(self._sums, sums, strict=True):
            array[arm] = kept

    def _give_up(self, arm: int, before: Sums, error: Exception) -> None:
        """Take an arm's sums back, for numpy's numbers; a part that wants arrays will always want them."""
        self.put(arm, before)
        if not isinstance(error, ArithmeticError):
            self._views = None

    def _in_arrays(self, parts: Parts, arm: int) -> float:
        if arm in self.unscored:
            self._score_as_it_was(parts, arm, self.sums_of(arm))
        return absorb(self._state, parts, arm)

    def scores(self, parts: Parts) -> Iterator[tuple[int, float]]:
        """Score the arms that wait for it; which they are, and their scores."""
        state = self._state
        while self.unscored:
            arm = self.unscored.pop()
            if state.decisions[arm] == KEEP:
                score = self._score(parts, arm, int(state.pulls[arm]), int(state.counts[TOTAL]))
                place(parts.rule, self._on_board, parts, arm, KEEP, score)
                yield arm, score

    def _score_as_it_was(self, parts: Parts, arm: int, before: Sums) -> None:
        """An arm that is decided keeps the margins that it had before its last result."""
        state, after = self._state, self.sums_of(arm)
        self.put(arm, before)
        self._score(parts, arm, int(state.pulls[arm]), int(state.counts[TOTAL]))
        self.put(arm, after)
        self.unscored.discard(arm)

    def _score(self, parts: Parts, arm: int, pulls: int, total: int) -> float:
        shortfall = 0.0  # not looked at by rules that look at margins
        if self._views is not None:
            try:
                return float(score_of(parts.rule, self._views, parts, arm, pulls, shortfall, total))
            except NOT_IN_PLAIN_NUMBERS as error:
                if not isinstance(error, ArithmeticError):
                    self._views = None
        return float(score_of(parts.rule, self._state, parts, arm, pulls, shortfall, total))


def _view(array: Any) -> Any:
    """The array's numbers by their places; one without numbers, which memoryview does not do, as it is."""
    return memoryview(array) if array.size else array
