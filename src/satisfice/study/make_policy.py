"""A policy from what a user says, at first or anew: checked against what is measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.given import MOST_COUNTED, is_countable, is_number, shown
from satisfice.layout.numbers import written
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.statistics.raw import Unexpected
from satisfice.study.policy import BY_EXCEPTION, NAMED, OnError, OnLost, Policy, PolicyChanges
from satisfice.study.subject import checked_revision


def make_policy(
    problem: Problem,
    *,
    on_error: str,
    retries: int,
    worst: Mapping[str, float] | None,
    on_lost: str,
    max_evaluations: int | None,
    timeout: float | None = None,
    jobs: int = 1,
    max_cost: float | None = None,
    retry_on: Sequence[str] = (),
    worst_on: Sequence[str] = (),
    wait_on: Sequence[str] = (),
    strict: bool = False,
    outputs: Sequence[str] = (),
    revision: str | None = None,
) -> Policy:
    """A policy from what a user gives, checked against what is measured."""
    if on_error not in tuple(OnError):
        raise InvalidSpec(
            f"on_error must be 'stop', 'retry' or 'worst', got {shown(on_error)}: whether a failed evaluation stops "
            "the study, is tried again, or counts as the worst result there can be."
        )
    if on_lost not in tuple(OnLost):
        raise InvalidSpec(
            f"on_lost must be 'reissue', 'worst' or 'stop', got {shown(on_lost)}: whether an evaluation whose worker "
            "was lost is given to another one, counts as the worst result there can be, or stops the study."
        )
    most = 0 if max_evaluations is None else max_evaluations
    for number, what in ((retries, "retries"), (most, "max_evaluations"), (jobs, "jobs")):
        if not (isinstance(number, int) and is_countable(number, 0)):
            raise InvalidSpec(f"{what} must be a whole number from 0 to {MOST_COUNTED:,}, got {shown(number)}.")
    by_name = _worst_by_name(problem, worst or {})
    if timeout is not None and not (is_number(timeout) and timeout > 0):
        raise InvalidSpec(f"timeout must be a positive number of seconds, got {shown(timeout)}.")
    seconds = None if timeout is None else float(timeout)
    if max_cost is not None and not (is_number(max_cost) and max_cost >= 0):
        raise InvalidSpec(f"max_cost must be a number, 0 or more, in the unit of the cost, got {shown(max_cost)}.")
    money = None if max_cost is None else float(max_cost)
    named = str(OnError(on_error)), retries, by_name, str(OnLost(on_lost))
    retry, worst_types, wait = map(_named, BY_EXCEPTION, (retry_on, worst_on, wait_on))
    if not isinstance(strict, bool):
        raise InvalidSpec(f"strict must be true or false, got {shown(strict)}.")
    written_files = _named("outputs", outputs, "names of files, such as ['out.zst']")
    version = None if revision is None else checked_revision(revision)
    by_types = retry, worst_types, wait
    policy = Policy(*named, max_evaluations, seconds, jobs, money, *by_types, strict, written_files, version)
    policy.worst_values(problem)
    return policy


def _named(what: str, given: object, kind: str = "names of exceptions, such as ['OSError']") -> tuple[str, ...]:
    names: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    if not all(isinstance(each, str) for each in names):
        raise InvalidSpec(f"{what} must be a list of {kind}, got {shown(given, 60)}.")
    return tuple(sorted(set(names)))


def changed_policy(policy: Policy, problem: Problem, changes: PolicyChanges, *, priced: bool) -> Policy:
    """A policy with some of it said anew, checked; `priced` says that it is known what evaluations cost.

    Exceptions and files are named beside those that were named before: what was said of these has been done.
    """
    made = make_policy(problem, **policy.but(**changes))
    check_budget(made, priced=priced)
    retry, worst, wait, outputs = (tuple(sorted({*getattr(policy, each), *getattr(made, each)})) for each in NAMED)
    return replace(made, retry_on=retry, worst_on=worst, wait_on=wait, outputs=outputs)


def check_budget(policy: Policy, *, priced: bool) -> None:
    """Raise where money is limited, and nobody said what evaluations cost."""
    if policy.max_cost is not None and not priced:
        raise InvalidSpec(
            f"max_cost = {written(policy.max_cost)} limits what the study costs, and nothing says what an evaluation "
            "costs. Give cost: a number, an expression of parameters or a metric that evaluations report. Or limit "
            "max_evaluations."
        )


def _worst_by_name(problem: Problem, worst: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(worst, Mapping):
        raise InvalidSpec(f"Expected worst as values by metric, as in {{'loss': 1}}, got {shown(worst, 60)}.")
    for name, value in worst.items():
        if name not in problem.measured:
            raise unknown_name("metric", name, problem.measured)
        if not is_number(value):
            raise InvalidSpec(f"The worst value of {name!r} must be a finite number, got {shown(value)}.")
        _check_misses(name, float(value), problem)
    return {name: float(value) for name, value in sorted(worst.items())}


def _check_misses(name: str, value: float, problem: Problem) -> None:
    """Raise if what a failed evaluation counts as would pass all limits on the metric."""
    own = [metric for metric in problem.metrics if metric.name == name and not metric.beside_baseline]
    if own and all(_passes(metric, value) for metric in own):
        raise InvalidSpec(
            f"The worst value of {name!r} passes its limit, {' and '.join(repr(one.limited) for one in own)}, so that "
            f"failed evaluations would count as good ones: got {written(value)}. Give the worst value that there can "
            "be."
        )


def _passes(metric: Metric, value: float) -> bool:
    asked = metric.asked
    try:
        seen = metric.observed(value).value
    except Unexpected:
        return False
    return seen >= asked.threshold if asked.at_least else seen <= asked.threshold
