"""Taking in a result in a live search: `absorb` on views of the same arrays that give Python's own numbers.

Interpreted code computes with those two to three times faster than with numpy's, and to the same bits, except where it
divides by zero or overflows: there numpy goes on, and Python raises. Then, and wherever a part from outside wants more
of an array than its numbers, the arm's sums are taken back and the result is absorbed in numpy's numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any, TypeVar, cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.rules.protocol import MARGIN, kind_of
from satisfice.search.absorb import absorb, conclude, fold, judged, place, pool_when_due, score_of, take_in
from satisfice.search.live import PlainNoise
from satisfice.search.live_patience import Patience, patience_with
from satisfice.search.state import POOL_AT, TOTAL, Parts, SearchState
from satisfice.stopping.decision import KEEP

T = TypeVar("T")
Sums = list[Floats]
"""What is known of one arm, copied."""

TakenIn = tuple[list[float], list[float], list[float]]
"""One evaluation as the state has it in `results`, `results_within` and `weights`."""

VIEWED = (
    *("deficits", "deficits_within", "memory", "margins", "tolerances", "pooled", "board"),
    *("results", "results_within", "weights"),
)
CHOSEN_BY = ("board", "held", "held_scores", "pulls", "ahead")
"""What a choice by margins looks at."""
MOST_ROWS = 4096
"""Of how many arms and metrics views are kept."""
ASKED_AGAIN_AFTER = 8
"""How many results of an arm are looked at before it is asked again for how long nothing can be decided about it."""
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
    computed then: `unscored` are the arms that wait for theirs. Likewise results that can decide nothing yet, as long
    as there is `Patience` with their arm, are folded together when its sums are looked at.
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
        self._patience, self._impatient = dict[int, Patience](), dict[int, int]()
        self._waiting, self._noise = dict[int, list[TakenIn]](), cast(PlainNoise, parts.noise)
        self._by_margins = kind_of(type(parts.rule)) is MARGIN
        self._has_patience = self._by_margins and state.earlier.shape[1] == 0
        if self._by_margins:  # others look at more, and may want arrays
            self.for_choices = state._replace(**{name: _view(getattr(state, name)) for name in CHOSEN_BY})

    def takes_quietly(self, parts: Parts, arm: int) -> bool:
        """Take in `state.results` of an arm if it is known that they decide nothing; whether it was done.

        Its score is left for later.
        """
        views, pulls = self._views, self._pulls[arm] + 1
        if views is None or self._decisions[arm] != KEEP or self._pooling_is_due():
            return False
        results = within = views.results.tolist()
        if self._noise.two_sided:
            within = views.results_within.tolist()
        patience = self._patience.get(arm)
        if patience is None or not patience.has_room_for(results, within):
            patience = self._new_patience(parts, views, arm, pulls)
            if patience is None or not patience.has_room_for(results, within):
                return False
        self._waiting.setdefault(arm, []).append((results, within, views.weights.tolist()))
        self._leave_for_later(arm, pulls)
        return True

    def fold_waiting(self, only: int | None = None) -> None:
        """Let the sums of all arms, or of one, rest on all results that were taken in."""
        for arm in list(self._waiting) if only is None else [only]:
            if arm in self._waiting:
                before = self._copied(arm)
                try:
                    self._fold_rows(arm, self._waiting[arm], before)
                except BaseException:  # out of memory, say: then they still wait
                    self.put(arm, before)
                    raise
                del self._waiting[arm]

    def _fold_rows(self, arm: int, rows: list[TakenIn], before: Sums) -> None:
        if self._views is not None:
            try:
                fold_many(self._views, self._noise, arm, rows)
                return
            except NOT_IN_PLAIN_NUMBERS as error:
                self._give_up(arm, before, error)
        state = self._state
        scratch = (state.results, state.results_within, state.weights)
        now = [array.copy() for array in scratch]
        with np.errstate(all="ignore"):
            for row in rows:
                _write(scratch, row)
                fold(state, self._noise, arm)
        _write(scratch, now)

    def _pooling_is_due(self) -> bool:
        """Whether the next result is one after which all arms are looked at."""
        return self._noise.pools and bool(self._counts[TOTAL] + 1 >= self._counts[POOL_AT])

    def _leave_for_later(self, arm: int, pulls: int) -> None:
        self.unscored.add(arm)
        self._pulls[arm], self._ahead[arm] = pulls, 0
        self._counts[TOTAL] += 1

    def _new_patience(self, parts: Parts, views: SearchState, arm: int, pulls: int) -> Patience | None:
        """The patience with an arm before its result number `pulls`; where there is none it is not asked for soon."""
        self._patience.pop(arm, None)
        if not self._has_patience or pulls <= self._impatient.get(arm, 1):
            return None
        self.fold_waiting(arm)
        try:
            found: Patience | None = patience_with(parts.judge, views, self._noise, arm, pulls - 1)
        except NOT_IN_PLAIN_NUMBERS:
            found = None
        if found is None:
            self._impatient[arm] = pulls + ASKED_AGAIN_AFTER
        else:
            self._patience[arm] = found
        return found

    def __call__(self, parts: Parts, arm: int, *, scored: bool = True) -> float:
        """Take in `state.results` of an arm; its new score, or 0 if it is left for later."""
        views, counts = self._views, self._counts
        self._patience.pop(arm, None)
        if self._waiting and self._pooling_is_due():
            self.fold_waiting()
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
            self._leave_for_later(arm, pulls)
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
        self.fold_waiting(arm)
        return self._copied(arm)

    def _copied(self, arm: int) -> Sums:
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

    def _in_arrays(self, parts: Parts, arm: int) -> float:
        self.fold_waiting(arm)
        if arm in self.unscored:
            self._score_as_it_was(parts, arm, self.sums_of(arm))
        return absorb(self._state, parts, arm)

    def scores(self, parts: Parts) -> Iterator[tuple[int, float]]:
        """Score the arms that wait for it; which they are, and their scores."""
        state = self._state
        while self.unscored:
            arm = self.unscored.pop()
            self.fold_waiting(arm)
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


def fold_many(state: SearchState, noise: PlainNoise, arm: int, rows: Sequence[TakenIn]) -> None:
    """`fold` for several results in their order, metric by metric, since none of them decides."""
    results, within, weights = (list(zip(*each, strict=True)) for each in zip(*rows, strict=True))
    sides = [(state.deficits, state.more, results), (state.deficits_within, state.more_within, within)]
    for deficits, more, columns in sides if noise.two_sided else sides[:1]:
        for metric, values in enumerate(columns):
            total = deficits[arm, metric]
            for value in values:
                total += value
            deficits[arm, metric] = total
            noise.fold_many(metric, more[arm, metric], values, weights[metric])


def _write(scratch: Sequence[Floats], row: Sequence[Sequence[float] | Floats]) -> None:
    for array, values in zip(scratch, row, strict=True):
        array[:] = values


def _view(array: Any) -> Any:
    """The array's numbers by their places; one without numbers, which memoryview does not do, as it is."""
    return memoryview(array) if array.size else array
