"""Whether a question can be answered at all, and what is doubtful about it, before anything is evaluated."""

from math import isfinite

from satisfice.errors import InvalidProblem
from satisfice.layout.numbers import percent, to_digits, written
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem

WIDE = 0.5
"""A tolerance of a larger part of its limit is doubted: more than half as much again would still be accepted."""


def check_limits(problem: Problem) -> None:
    """Raise InvalidProblem where a limit lies outside what a mean can be, or where it can never be proven."""
    for metric in problem.metrics:
        if not metric.beside_baseline:
            _check_limit(metric)


def _check_limit(metric: Metric) -> None:
    low, high = metric.process.bounds(metric.noise)
    limit = metric.asked
    if not low <= limit.threshold <= high:
        raise InvalidProblem(
            f"'{metric.limited} : {metric.noise}': every mean lies {_range(low, high)}, so the limit decides nothing. "
            "Give a limit inside, in the same unit as the results."
        )
    best = high if limit.at_least else low
    whole_set = metric.set_size > 0  # after all its items the mean is known
    if limit.threshold == best and limit.edge == best and not metric.two_sided and not whole_set:
        raise InvalidProblem(
            f"'{metric.limited} : {metric.noise}' can never be proven: every mean lies {_range(low, high)}, and no "
            f"number of evaluations tells {written(best)} from nearly {written(best)}. Give a tolerance, as in "
            f"'{metric.limited} ~ 0.01'."
        )


def doubts_about(problem: Problem) -> tuple[str, ...]:
    """What one should know about the limits before anything runs, in words."""
    found = (_doubt(metric) for metric in problem.metrics)
    return tuple(words for words in found if words is not None)


def _doubt(metric: Metric) -> str | None:
    written_limit, limit = metric.limit, metric.asked
    low, high = (-float("inf"), float("inf")) if metric.beside_baseline else metric.process.bounds(metric.noise)
    if limit.threshold == (low if limit.at_least else high):
        return f"'{metric.limited}': every mean lies {_range(low, high)}, so that all pass."
    room = min(limit.threshold - low, high - limit.threshold)
    accepted = f"what is accepted may be as {'low' if written_limit.at_least else 'high'} as"
    if 0.0 < room < limit.tolerance:
        return (
            f"'{metric.limited}': the tolerance {written(limit.tolerance)} is larger than the distance of the limit to "
            f"the end of the range, {written(_short(room))}: {accepted} {written(_short(limit.edge))}."
        )
    size, tolerance, edge = abs(written_limit.threshold), written_limit.tolerance, written_limit.edge
    unit = ""
    if written_limit.ratio and written_limit.tolerance_ratio:
        size, tolerance, edge = abs(written_limit.ratio), written_limit.tolerance_ratio, written_limit.edge_ratio
        unit = " * baseline"
    if size > 0.0 and tolerance > WIDE * size:
        share = percent(tolerance / size)
        return f"'{metric.limited}': the tolerance is {share} of the limit: {accepted} {written(_short(edge))}{unit}."
    return None


def _short(number: float) -> float:
    """Without what differences of decimal numbers leave behind."""
    return to_digits(number, 12)


def _range(low: float, high: float) -> str:
    if isfinite(low) and isfinite(high):
        return f"between {written(low)} and {written(high)}"
    return f"at {written(low)} or above" if isfinite(low) else f"at {written(high)} or below"
