"""Which numbers of an evaluation a metric looks at."""

from collections.abc import Callable
from typing import Any, NamedTuple

from satisfice.problem.problem import Problem


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


def is_plain(problem: Problem) -> bool:
    """Whether every metric is the mean of numbers that nobody else looks at, by far the most frequent case."""
    plain = [
        metric.is_plain and not metric.process.weighted and metric.process.interval_of_values is None
        for metric in problem.metrics
    ]
    return all(plain) and len(problem.measured) == len(plain)
