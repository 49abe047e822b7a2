"""Taking in a result in a live search: `absorb` on views of the same arrays that give Python's own numbers.

Interpreted code computes with those two to three times faster than with numpy's, and to the same bits, except where it
divides by zero or overflows: there numpy goes on, and Python raises. Then, and wherever a part from outside wants more
of an array than its numbers, the arm's sums are taken back and the result is absorbed in numpy's numbers.
"""

from typing import Any

from satisfice.arrays import Floats
from satisfice.rules.protocol import MARGIN, kind_of
from satisfice.search.absorb import absorb, conclude, take_in
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.stopping.decision import KEEP
from satisfice.stopping.protocol import transfers

VIEWED = (
    *("deficits", "deficits_within", "memory", "margins", "tolerances", "pooled"),
    *("results", "results_within", "weights"),
)
CHOSEN_BY = ("board", "held", "held_scores", "pulls")
"""What a choice by margins looks at."""
MOST_ROWS = 4096
"""Of how many arms and metrics views are kept."""


class Rows(dict[tuple[int, ...], Any]):
    """An array of three dimensions, as views of its rows by their two places."""

    def __init__(self, array: Floats) -> None:
        self.shape, self._array = array.shape, array

    def __missing__(self, key: tuple[int, ...]) -> Any:
        if len(key) == 3:
            return self[key[:2]][key[2]]
        if len(self) >= MOST_ROWS:
            self.clear()
        view = memoryview(self._array[key])
        super().__setitem__(key, view)
        return view

    def __setitem__(self, key: tuple[int, ...], value: float) -> None:
        self[key[:2]][key[2]] = value


class LiveAbsorb:
    """`absorb` for one state, whose arrays stay the same ones; `for_choices` is that state as `choose` takes it."""

    def __init__(self, state: SearchState, parts: Parts) -> None:
        self._state, self._on_board = state, state._replace(board=_view(state.board))
        sums = (state.deficits, state.more, state.deficits_within, state.more_within, state.memory)
        self._sums = list({id(array): array for array in sums}.values())  # most often some are others' second names
        views = {name: _view(getattr(state, name)) for name in VIEWED}
        rows: Any = Rows(state.more)
        within: Any = rows if state.more_within is state.more else Rows(state.more_within)
        self._views: SearchState | None = state._replace(**views, more=rows, more_within=within)
        self.for_choices = state
        if kind_of(type(parts.rule)) is MARGIN:  # others look at more, and may want arrays
            self.for_choices = state._replace(**{name: _view(getattr(state, name)) for name in CHOSEN_BY})
        if transfers(type(parts.judge)):
            self._views = None  # a result changes what is remembered of other arms, too

    def __call__(self, parts: Parts, arm: int) -> float:
        """Take in `state.results` of an arm; its new score."""
        state = self._state
        if self._views is None or state.decisions[arm] != KEEP:
            return absorb(state, parts, arm)
        pulls, total = int(state.pulls[arm]) + 1, int(state.counts[TOTAL]) + 1
        before = [array[arm].copy() for array in self._sums]
        try:
            decision, score = take_in(self._views, parts, arm, pulls, total)
        except Exception as error:
            for array, kept in zip(self._sums, before, strict=True):
                array[arm] = kept
            if not isinstance(error, ArithmeticError):
                self._views = None
            return absorb(state, parts, arm)
        conclude(self._on_board, parts, arm, pulls, total, decision, score)
        return score


def _view(array: Any) -> Any:
    """The array's numbers by their places; one without numbers, which memoryview does not do, as it is."""
    return memoryview(array) if array.size else array
