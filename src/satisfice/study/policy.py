"""What becomes of evaluations that fail."""

from collections.abc import Mapping
from enum import StrEnum
from math import isfinite
from numbers import Real

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.statistics.raw import Unexpected
from satisfice.study.pull import Failure, Measured

ALL_ALIKE = 5
"""So many times the same failure and nothing else is no bad luck of a configuration."""


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
        _check_misses(name, float(value), problem)
    given = {name: float(value) for name, value in sorted(worst.items())}
    if on_error == OnError.WORST:
        for name in problem.measured:
            worst_of(name, problem, given)
    return given


def _check_misses(name: str, value: float, problem: Problem) -> None:
    """Raise if what a failed evaluation counts as would pass all limits on the metric."""
    own = [metric for metric in problem.metrics if metric.name == name and not metric.beside_baseline]
    if own and all(_passes(metric, value) for metric in own):
        raise InvalidSpec(
            f"The worst value of {name!r} passes its limit, {' and '.join(repr(one.limited) for one in own)}, so that "
            f"failed evaluations would count as good ones: got {value:g}. Give the worst value that there can be."
        )


def _passes(metric: Metric, value: float) -> bool:
    asked = metric.asked
    try:
        seen = metric.observed(value).value
    except Unexpected:
        return False
    return seen >= asked.threshold if asked.at_least else seen <= asked.threshold


class SameFailures:
    """Whether all that came of a study so far is one and the same failure: then the program is at fault."""

    def __init__(self, worked: bool) -> None:
        self._worked, self._reason, self._times = worked, "", 0

    def judged(self, outcome: Measured | Failure) -> Measured | Failure:
        """The outcome itself, or a failure that stops the study."""
        if isinstance(outcome, Measured):
            self._worked = True
        elif not self._worked:
            self._times = self._times + 1 if outcome.reason == self._reason else 1
            self._reason = outcome.reason
            if self._times >= ALL_ALIKE:
                reason = f"the first {self._times} evaluations all failed alike: {outcome.reason}"
                return Failure(reason, must_stop=True)
        return outcome


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
