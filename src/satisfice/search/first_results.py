"""The first result of each configuration where results are declared to be the same every time."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.columns import Column, columns_of

ROUNDING = 1e-12
"""Numbers that differ by a smaller part of themselves are the same."""


VARY = "vary."
"""What the sentence ends with that advises not to declare results the same every time."""


class FirstResults:
    """What was told first, by arm and metric; `difference` compares with it what is told later."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        columns = zip(problem.metrics, columns_of(problem), strict=True)
        self._columns = [(place, column) for place, (metric, column) in enumerate(columns) if metric.process.certain]
        self._first: dict[tuple[int, int], float] = {}

    def difference(self, arm: int, name: str, values: Row, baseline: Row) -> str | None:
        """In a sentence, by what these results of an arm contradict the first ones; None where they do not."""
        for place, column in self._columns:
            first, value = self._first.get((arm, place)), _observed(column, values, baseline)
            if first is None or value is None:
                continue
            if abs(value - first) > ROUNDING * max(abs(value), abs(first)):
                metric = self._problem.metrics[place]
                before, now = (metric.statistic.in_words(each) for each in (first, value))
                return (
                    f"{name!r} gave {metric.name} {before}, and {now} when it was evaluated again. Leave out "
                    f"': {metric.noise}' where results {VARY}"
                )
        return None

    def note(self, arm: int, values: Row, baseline: Row) -> None:
        """Keep results of an arm, unless there are some."""
        for place, column in self._columns:
            value = _observed(column, values, baseline)
            if value is not None:
                self._first.setdefault((arm, place), value)

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it as an array."""
        return {"first.results": np.array([[*key, value] for key, value in self._first.items()]).reshape(-1, 3)}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        self._first = {(int(arm), int(place)): value for arm, place, value in state["first.results"].tolist()}


def _observed(column: Column, values: Row, baseline: Row) -> float | None:
    """The number that is compared; None where the evaluation failed and counts as the worst."""
    observe, own, other = column
    return (
        None if values[own] is None else float(observe(values[own], None if other is None else baseline[other]).value)
    )
