"""Plain numbers for a live search, in place of tables and arrays: `LiveAbsorb` takes in a result with them.

Interpreted code computes with Python's own numbers two to three times faster than with numpy's, and to the same bits,
except where it divides by zero or overflows: there numpy goes on, and Python raises. Then, and wherever a part from
outside wants more of an array than its numbers, the arm's sums are taken back and the result is absorbed in numpy's
numbers.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.kinds import NoiseTable
from satisfice.problem.units import Setting
from satisfice.rules.protocol import MARGIN, ClockRule, IndexRule, MarginRule, SamplingRule, kind_of
from satisfice.search.absorb import absorb, conclude, take_in
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.stopping.by_evidence import with_evidence
from satisfice.stopping.decision import KEEP


class BonusesAtHand:
    """The bonuses of a rule by number of pulls, computed when they are asked for; 0 where it has none."""

    def __init__(self, rule: SamplingRule, setting: Setting) -> None:
        self._rule = None if kind_of(type(rule)).by_draws else cast(IndexRule | MarginRule | ClockRule, rule)
        self._setting = setting

    def __getitem__(self, pulls: int) -> float:
        return 0.0 if self._rule is None else float(self._rule.bonus(int(pulls), self._setting))


def in_plain_numbers(parts: Parts) -> Parts:
    """The same parts with lists of Python's own numbers, which interpreted code reads several times faster."""
    judge = with_evidence(parts.judge, lambda evidence: evidence._replace(noise=_plain(evidence.noise)))
    array: Any = parts.costs
    costs: Any = memoryview(array)
    return parts._replace(judge=judge, noise=_plain(parts.noise), costs=costs)


class NoRatios:
    """Stands for an array without rows: of a real one numpy makes a new tuple whenever its shape is asked for."""

    shape = (0, 0)


class PlainNoise(NoiseTable):
    """A table of Python's own numbers whose `kinds` are the processes themselves: each result takes a call less."""

    __slots__ = ()

    def _process(self, metric: int) -> Any:
        return self.kinds[metric]

    def most_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> Any:
        return self.kinds[metric].most_within(pulls, deficit, more, self.numbers[metric], ratio)

    def most_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float) -> Any:
        return self.kinds[metric].most_below(pulls, deficit, more, self.numbers[metric], ratio)

    def enough_within(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> Any:
        return self.kinds[metric].enough_within(pulls, deficit, more, self.numbers[metric], ratio, need)

    def enough_below(self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, need: float) -> Any:
        return self.kinds[metric].enough_below(pulls, deficit, more, self.numbers[metric], ratio, need)

    def margin_and_sd(
        self, metric: int, pulls: int, deficit: float, more: Floats, ratio: float, variance: float, weight: float
    ) -> Any:
        return self.kinds[metric].margin_and_sd(pulls, deficit, more, self.numbers[metric], ratio, variance, weight)

    def fold(self, metric: int, more: Floats, value: float, weight: float) -> Any:
        return self.kinds[metric].fold(more, value, weight, self.numbers[metric])


def _plain(noise: NoiseTable) -> NoiseTable:
    fields = ("numbers", "averaged", "pooled", "tabulated", "twins", "certain", "worst", "best")
    table: Any = noise
    plain = {name: getattr(table, name).tolist() for name in fields}
    plain["kinds"] = [noise._process(metric) for metric in range(len(table.kinds))]
    plain["ratios"] = table.ratios if table.ratios.size else NoRatios()
    return PlainNoise(**{**table._asdict(), **plain})


def philox_stream(seed: int) -> Callable[[int], np.random.Generator]:
    """The random numbers of ask `number`: those of Philox(key=seed, counter=[0, 0, 0, number])."""
    bits = np.random.Philox(key=seed)
    rng, start = np.random.Generator(bits), cast(Any, bits.state)

    def stream(number: int) -> np.random.Generator:
        start["state"]["counter"][3] = number
        bits.state = start  # a fifth of what a new generator costs
        return rng

    return stream


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
