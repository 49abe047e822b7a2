"""What evaluations returned, as a live search takes it in: deficits, the values that estimates need, and oddities."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.checks import Check, Checks
from satisfice.search.columns import columns_of, is_plain, write_result
from satisfice.search.first_results import FirstResults
from satisfice.search.hints import Hint
from satisfice.search.kept_values import KeptValues
from satisfice.search.state import SearchState
from satisfice.search.verdict import ArmStatus


class Observations:
    """The results of all arms of a problem, checked before; `checks` look at what is odd about them."""

    def __init__(self, problem: Problem, arm_names: tuple[str, ...]) -> None:
        self._standard, self._kept = problem.standardisation(), KeptValues(problem)
        self._columns, self._plain = columns_of(problem), is_plain(problem)
        self.checks, self._first = Checks(problem, arm_names), FirstResults(problem)

    def take(self, state: SearchState, place: int, values: Row, baseline: Row) -> None:
        """Write one evaluation into the state as deficits, and look at what is odd about it."""
        self.write(state, values, baseline)
        if self._plain:
            self.checks.add(place, values)
            return
        self._kept.add(place, values, baseline)
        self.checks.add_results(place, values, baseline)

    def write(self, state: SearchState, values: Row, baseline: Row) -> None:
        """Write one evaluation into the state as deficits."""
        standard = self._standard
        if self._plain:  # by far the most frequent case
            for metric, value in enumerate(values):
                state.results[metric] = standard.slopes[metric] * (value - standard.thresholds[metric])
            return
        for metric, column in enumerate(self._columns):
            write_result(state, metric, column, standard.slopes[metric], standard.thresholds[metric], values, baseline)

    def first_of(self, group: int) -> FirstResults:
        """The first results of the metrics that are the same every time."""
        return self._first

    def found(self, *, ended: bool) -> tuple[Check, ...]:
        """What is odd about results, of a search that has `ended` or goes on."""
        return self.checks.found(ended=ended)

    def hints(self) -> tuple[Hint, ...]:
        """What to declare of metrics."""
        return self.checks.hints()

    def estimated(self, status: ArmStatus, place: int) -> ArmStatus:
        """The status with estimates that need the values themselves."""
        return status if self._plain or not status.pulls else self._kept.estimated(status, place)

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it, as arrays."""
        return self._kept.state() | self.checks.state() | self._first.state()

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        self._kept.restore(state)
        self.checks.restore(state)
        self._first.restore(state)
