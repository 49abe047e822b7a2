"""What evaluations returned, as a live search takes it in: deficits, values that estimates need, and diagnostics."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any, NamedTuple

import numpy as np

from satisfice.noise.process import Interval
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.diagnostics import Check, Checks
from satisfice.search.hints import Hint
from satisfice.search.state import SearchState
from satisfice.search.verdict import ArmStatus
from satisfice.statistics import needs_values
from satisfice.statistics.raw import one_number, values_of


class Column(NamedTuple):
    """How a metric observes what was measured, at which place that is, and at which what the baseline has, if any."""

    observe: Callable[..., Any]
    own: int
    other: int | None


def columns_of(problem: Problem) -> list[Column]:
    """A column for each metric."""
    measured, compared = problem.measured, problem.compared
    return [
        Column(
            metric.observed,
            measured.index(metric.name),
            compared.index(metric.name) if metric.beside_baseline else None,
        )
        for metric in problem.metrics
    ]


def write_result(
    state: SearchState, metric: int, column: Column, slope: float, threshold: float, values: Row, baseline: Row
) -> None:
    """Write one result into the state as deficits; one that was not measured has no weight."""
    observe, own, other = column
    raw = values[own]
    if raw is None:
        state.results[metric] = state.results_within[metric] = state.weights[metric] = 0.0
        return
    observed = observe(raw, None if other is None else baseline[other])
    state.results[metric] = slope * (observed.value - threshold)
    state.results_within[metric] = slope * (observed.within - threshold)
    state.weights[metric] = observed.weight


def is_plain(problem: Problem) -> bool:
    """Whether every metric is the mean of numbers that nobody else looks at, by far the most frequent case."""
    plain = [
        metric.is_plain
        and not (metric.process.weighted or metric.process.certain)
        and metric.process.interval_of_values is None
        for metric in problem.metrics
    ]
    return all(plain) and len(problem.measured) == len(plain)


def _keeps_values(metric: Metric) -> bool:
    return needs_values(metric.statistic) or metric.process.interval_of_values is not None


def _of_pairs(metric: Metric) -> bool:
    """Whether its interval is that of differences from the baseline, one after the other."""
    return metric.process.interval_of_values is not None and metric.beside_baseline


class KeptValues:
    """What evaluations returned, by arm and place in `problem.measured`; nothing where no limit asks for it."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        pairs = [(problem.measured.index(metric.name), metric) for metric in problem.metrics]
        self._wanted = sorted({place for place, metric in pairs if _keeps_values(metric) and not _of_pairs(metric)})
        self._pairs = [
            (len(problem.measured) + number, metric, own, problem.compared.index(metric.name))
            for number, (own, metric) in enumerate(pairs)
            if _of_pairs(metric)
        ]
        self._parts = sorted({problem.compared.index(metric.name) for metric in problem.metrics if metric.is_part})
        self._forget()

    def _forget(self) -> None:
        self._values = array("d")
        self._runs: list[tuple[int, int, int]] = []
        self._starts: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._baselines: dict[tuple[int, int], float] = {}

    def add(self, arm: int, values: Row, baseline: Row) -> None:
        """Keep what is needed of one evaluation of an arm, and of the baseline beside it."""
        for place in self._parts:
            if baseline[place] is None:
                continue
            self._baselines[arm, place] = self._baselines.get((arm, place), 0.0) + one_number(baseline[place])
        for place in self._wanted:
            if values[place] is not None:  # else its set of items is through
                self._add(arm, place, values_of(values[place]))
        for place, metric, own, other in self._pairs:
            if values[own] is not None:
                self._add(arm, place, [metric.observed(values[own], baseline[other]).value])

    def _add(self, arm: int, place: int, run: list[float]) -> None:
        self._runs.append((arm, place, len(run)))
        self._starts.setdefault((arm, place), []).append((len(self._values), len(run)))
        self._values.extend(run)

    def _place_of(self, metric: Metric) -> int:
        own = next((place for place, other, _, _ in self._pairs if other is metric), None)
        return self._problem.measured.index(metric.name) if own is None else own

    def estimated(self, status: ArmStatus, arm: int, places: Sequence[int] | None = None) -> ArmStatus:
        """The status with the percentiles themselves in place of shares, and parts of the baseline's mean so far.

        `places` are those of the metrics in the status, where that is about more.
        """
        means, intervals = list(status.means), list(status.intervals)
        error_rate = self._problem.error_rate / status.chosen_from
        for place, metric in zip(places or range(len(means)), self._problem.metrics, strict=True):
            if not status.count_of(place):
                continue
            if needs_values(metric.statistic):
                pieces = self._starts[arm, self._problem.measured.index(metric.name)]
                runs = [self._values[start : start + size] for start, size in pieces]
                means[place], intervals[place] = metric.statistic.estimate(
                    runs, error_rate, independent=metric.process.weighted
                )
            elif (interval := metric.process.interval_of_values) is not None:
                values = [self._values[start] for start, _ in self._starts[arm, self._place_of(metric)]]
                intervals[place] = interval(metric.noise, values, error_rate)
            elif metric.is_part:
                mean = self._baselines[arm, self._problem.compared.index(metric.name)] / status.count_of(place)
                means[place], *ends = (
                    metric.ratio + each / mean if mean > 0.0 else nan for each in (means[place], *intervals[place])
                )
                intervals[place] = Interval(*ends)
        return replace(status, means=tuple(means), intervals=tuple(intervals))

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it as arrays."""
        return {
            "kept.values": np.array(self._values, dtype=np.float64),
            "kept.runs": np.array(self._runs, dtype=np.int64).reshape(-1, 3),
            "kept.baselines": np.array([[*key, total] for key, total in self._baselines.items()]).reshape(-1, 3),
        }

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        self._forget()
        self._baselines = {(int(arm), int(place)): total for arm, place, total in state["kept.baselines"].tolist()}
        values, start = array("d", state["kept.values"].tobytes()), 0
        for arm, place, size in state["kept.runs"].tolist():
            self._add(arm, place, values[start : start + size])  # type: ignore[arg-type]  # as good as a list
            start += size


ROUNDING = 1e-12
"""Numbers that differ by a smaller part of themselves are the same."""


SAMPLED = "sampled'."
"""What a sentence ends with that advises to declare sampled items."""
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
