"""Taking in a result in a live search: `absorb` on views of the same arrays that give Python's own numbers.

Interpreted code computes with those two to three times faster than with numpy's, and to the same bits, except where it
divides by zero or overflows: there numpy goes on, and Python raises. Then, and wherever a part from outside wants more
of an array than its numbers, the arm's sums are taken back and the result is absorbed in numpy's numbers.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from satisfice.arrays import Floats
from satisfice.rules.protocol import MARGIN, kind_of
from satisfice.search.absorb import absorb, conclude, take_in
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.stopping.decision import KEEP

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
    """`absorb` for one state, whose arrays stay the same ones; `for_choices` is that state as `choose` takes it."""

    def __init__(self, state: SearchState, parts: Parts) -> None:
        self._state, self._on_board = state, state._replace(board=_view(state.board))
        sums = (state.deficits, state.more, state.deficits_within, state.more_within, state.memory)
        self._sums = list({id(array): array for array in sums}.values())  # most often some are others' second names
        self._counts, self._pulls, self._decisions = map(_view, (state.counts, state.pulls, state.decisions))
        views = {name: _view(getattr(state, name)) for name in VIEWED}
        rows: Any = Rows(state.more)
        within: Any = rows if state.more_within is state.more else Rows(state.more_within)
        self._views: SearchState | None = state._replace(**views, more=rows, more_within=within)
        self.for_choices = state
        if kind_of(type(parts.rule)) is MARGIN:  # others look at more, and may want arrays
            self.for_choices = state._replace(**{name: _view(getattr(state, name)) for name in CHOSEN_BY})

    def __call__(self, parts: Parts, arm: int) -> float:
        """Take in `state.results` of an arm; its new score."""
        views = self._views
        if views is None or self._decisions[arm] != KEEP:
            return absorb(self._state, parts, arm)
        pulls, total, before = self._pulls[arm] + 1, self._counts[TOTAL] + 1, self.sums_of(arm)
        try:
            decision, score = take_in(views, parts, arm, pulls, total)
        except NOT_IN_PLAIN_NUMBERS as error:
            self._give_up(arm, before, error)
            return absorb(self._state, parts, arm)
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
        """Replace the sums of an arm by these."""
        for array, kept in zip(self._sums, sums, strict=True):
            array[arm] = kept

    def _give_up(self, arm: int, before: Sums, error: Exception) -> None:
        """Restore an arm's sums, to go on in numpy's arrays; where a part needs these, not just numbers, for good."""
        self.put(arm, before)
        if not isinstance(error, ArithmeticError):
            self._views = None


def _view(array: Any) -> Any:
    """The array's numbers by their places; one without numbers, which memoryview does not do, as it is."""
    return memoryview(array) if array.size else array
