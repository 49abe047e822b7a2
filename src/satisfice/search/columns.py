"""Which numbers of an evaluation a metric looks at."""

from collections.abc import Callable
from typing import Any, NamedTuple

from satisfice.problem.problem import Problem
from satisfice.problem.results import Row
from satisfice.search.state import SearchState


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
