"""What becomes of evaluations that fail."""

from collections.abc import Mapping
from enum import StrEnum
from math import isfinite
from numbers import Real

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.problem.problem import Problem


class OnError(StrEnum):
    """What becomes of an evaluation that failed or ran out of time."""

    WORST = "worst"
    RETRY = "retry"
    STOP = "stop"


def policy_of(on_error: str) -> str:
    if on_error not in tuple(OnError):
        raise InvalidSpec(
            f"on_error must be 'stop', 'retry' or 'worst', got {on_error!r}: whether a failed evaluation stops the "
            "study, is tried again, or counts as the worst result there can be."
        )
    return str(OnError(on_error))


def worst_by_name(problem: Problem, on_error: str, worst: Mapping[str, float]) -> dict[str, float]:
    for name, value in worst.items():
        if name not in problem.measured:
            raise unknown_name("metric", name, problem.measured)
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            raise InvalidSpec(f"The worst value of {name!r} must be a finite number, got {value!r}.")
    given = {name: float(value) for name, value in sorted(worst.items())}
    if on_error == OnError.WORST:
        for name in problem.measured:
            worst_of(name, problem, given)
    return given


def worst_of(name: str, problem: Problem, worst: Mapping[str, float]) -> float:
    """What a failed evaluation counts as: what was given, the end of the range, or a value that misses any limit."""
    own = [metric for metric in problem.metrics if metric.name == name]
    if any(metric.beside_baseline for metric in own):
        raise InvalidSpec(
            f"on_error='worst' does not know what a failed pair counts as, and {name!r} is compared with the baseline. "
            "Use on_error='retry' or 'stop'."
        )
    if name in worst:
        return worst[name]
    metric = own[0]
    known = metric.statistic.worst(metric.limit, *metric.process.bounds(metric.noise))
    if isfinite(known):
        return known
    raise InvalidSpec(
        f"on_error='worst' needs to know the worst value of {name!r}, which has none as {metric.noise}. "
        f"Give worst={{{name!r}: value}}, declare bounded(low, high), or use on_error='retry' or 'stop'."
    )
