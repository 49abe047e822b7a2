"""What becomes of evaluations that fail or are lost, and the check of what a user says about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from math import isfinite
from typing import Any, Literal, TypedDict, Unpack, cast

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.given import MOST_COUNTED, is_countable, is_number, shown, writable
from satisfice.layout.numbers import written
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.statistics.raw import Raw, Unexpected
from satisfice.study.subject import checked_revision

FIRST_FAILURES, FAILURES_IN_A_ROW = 5, 20
"""When that many evaluations fail, the first of a study or later ones in a row, it is no bad luck of a config."""

BY_EXCEPTION = ("retry_on", "worst_on", "wait_on")
"""Fields of a policy that name types of exceptions."""
NAMED = (*BY_EXCEPTION, "outputs")
"""Fields that are lists of texts; what was in one of them stays there."""
SELDOM = (*NAMED, "strict", "revision")


class OnError(StrEnum):
    """What becomes of an evaluation that failed or ran out of time."""

    WORST = "worst"
    RETRY = "retry"
    STOP = "stop"


class OnLost(StrEnum):
    """What becomes of an evaluation whose worker was lost."""

    REISSUE = "reissue"
    WORST = "worst"
    STOP = "stop"


OnErrorLike = OnError | Literal["worst", "retry", "stop"]
OnLostLike = OnLost | Literal["reissue", "worst", "stop"]


class FailureKind(StrEnum):
    """Why an evaluation has no results.

    It failed; it could not be made, which says nothing about its config; its result is one that the declaration rules
    out; or its worker was lost.
    """

    FAILED = "failed"
    NOT_MEASURED = "not measured"
    RULED_OUT = "ruled out"
    LOST = "lost"


class Then(StrEnum):
    """What follows from a failure: a worst result, another attempt, the study stops, or it stops for good."""

    WORST = "worst"
    RETRY = "retry"
    STOP = "stop"
    END = "end"


class PolicyChanges(TypedDict, total=False):
    """What is said anew of a policy."""

    on_error: str
    retries: int
    worst: Mapping[str, float]
    on_lost: str
    max_evaluations: int | None
    timeout: float | None
    jobs: int
    max_cost: float | None
    retry_on: tuple[str, ...]
    worst_on: tuple[str, ...]
    wait_on: tuple[str, ...]
    strict: bool
    outputs: tuple[str, ...]
    revision: str | None


@dataclass(frozen=True)
class Policy:
    """What failures and losses lead to, how many evaluations there may be of the whole study, and what it may cost.

    It is not the question of a study, and may change while it goes on. `timeout` and `jobs` are what the last
    `satisfice run` said of them, for the record. `retry_on`, `worst_on` and `wait_on` name types of exceptions, by
    which somebody who evaluates told failures apart. With `strict` a verdict is withheld that a check of the results
    speaks against. `outputs` are files that the program was seen to write, and `revision` a text that was given for
    what is measured after the study had begun: both say what the `Subject` of the study is compared by.
    """

    on_error: str = str(OnError.STOP)
    retries: int = 2
    worst: Mapping[str, float] = field(default_factory=dict)
    on_lost: str = str(OnLost.REISSUE)
    max_evaluations: int | None = None
    timeout: float | None = None
    jobs: int = 1
    max_cost: float | None = None
    retry_on: tuple[str, ...] = ()
    worst_on: tuple[str, ...] = ()
    wait_on: tuple[str, ...] = ()
    strict: bool = False
    outputs: tuple[str, ...] = ()
    revision: str | None = None

    @property
    def meaning(self) -> tuple[Any, ...]:
        """What failures and losses mean."""
        return self.on_error, self.retries, self.worst, self.on_lost, self.timeout

    def as_content(self) -> dict[str, Any]:
        """The policy as JSON can write it, without what is seldom said."""
        content = {key: value for key, value in asdict(self).items() if key not in SELDOM or value}
        return content | {key: list(getattr(self, key)) for key in NAMED if getattr(self, key)}

    def but(self, **changes: Unpack[PolicyChanges]) -> PolicyChanges:
        """All of it, with some said anew."""
        kept: PolicyChanges = {
            "on_error": self.on_error,
            "retries": self.retries,
            "worst": self.worst,
            "on_lost": self.on_lost,
            "max_evaluations": self.max_evaluations,
            "timeout": self.timeout,
            "jobs": self.jobs,
            "max_cost": self.max_cost,
            "retry_on": self.retry_on,
            "worst_on": self.worst_on,
            "wait_on": self.wait_on,
            "strict": self.strict,
            "outputs": self.outputs,
            "revision": self.revision,
        }
        return kept | changes

    def afterwards(self, policy: "Policy") -> "Policy":
        """This policy with what another one says that may still be said once there is a verdict."""
        return replace(self, strict=policy.strict, outputs=policy.outputs, revision=policy.revision)

    def said(self, names: Iterable[str]) -> PolicyChanges:
        """What it has under these names."""
        return cast("PolicyChanges", {name: getattr(self, name) for name in names})

    def worst_values(self, problem: Problem, arm_number: int = 0) -> tuple[Raw, ...] | None:
        """What a failed evaluation counts as, in the order of `problem.measured`; None unless some count as worst.

        After `arm_number` others of its configuration: where that is the whole set, it was of no item.
        """
        if OnError.WORST not in (self.on_error, self.on_lost) and not self.worst_on:
            return None
        left_out = problem.left_out(arm_number)
        return tuple(None if name in left_out else worst_of(name, problem, self.worst) for name in problem.measured)

    def consequence(self, kind: str, failures: int, in_a_row: int, worked: bool, by_exception: str = "") -> Then:
        """What follows from one more failure.

        Its pull failed `failures` times before, the study `in_a_row` times since the last result; `worked` says that
        there was one, or that somebody resumed the study all the same. `by_exception` is 'retry' or 'worst' where the
        type of the exception says so; once retries are spent, it says nothing any more.
        """
        if kind == FailureKind.RULED_OUT:
            return Then.WORST if self.on_error == OnError.WORST else Then.END
        if in_a_row + 1 >= (FAILURES_IN_A_ROW if worked else FIRST_FAILURES):
            return Then.STOP
        if kind == FailureKind.NOT_MEASURED:
            return Then.RETRY
        if kind == FailureKind.LOST:
            return Then.RETRY if self.on_lost == OnLost.REISSUE else Then(self.on_lost)
        if by_exception == OnError.WORST and self.worst_on:
            return Then.WORST
        if by_exception == OnError.RETRY and self.retry_on and failures < self.retries:
            return Then.RETRY
        if self.on_error == OnError.RETRY and failures >= self.retries:
            return Then.STOP
        return Then(self.on_error)


def policy_of_content(content: Mapping[str, Any]) -> Policy:
    """The policy that was written so."""
    return Policy(
        content["on_error"],
        content["retries"],
        content["worst"],
        content.get("on_lost", str(OnLost.REISSUE)),
        content.get("max_evaluations"),
        content.get("timeout"),
        content.get("jobs", 1),
        content.get("max_cost"),
        retry_on=tuple(content.get("retry_on", ())),
        worst_on=tuple(content.get("worst_on", ())),
        wait_on=tuple(content.get("wait_on", ())),
        strict=content.get("strict", False),
        outputs=tuple(content.get("outputs", ())),
        revision=content.get("revision"),
    )


def worst_of(name: str, problem: Problem, worst: Mapping[str, float]) -> float | None:
    """What a failed evaluation counts as: what was given, the end of the range, or a value that misses any limit.

    None where it says nothing: a number that is the same every time is no other because an evaluation failed. Noisy
    metrics count as the worst.
    """
    own = [metric for metric in problem.metrics if metric.name == name]
    if all(metric.process.certain for metric in own) and not all(each.process.certain for each in problem.metrics):
        if name in worst:
            raise InvalidSpec(
                f"{name!r} is {own[0].noise}, so a failed evaluation says nothing about it. Leave out its worst value."
            )
        return None
    if any(metric.beside_baseline for metric in own):
        raise InvalidSpec(
            f"'worst' does not know what a failed or lost pair counts as, and {name!r} is compared with the baseline. "
            "Use on_error='retry' or 'stop', and on_lost='reissue' or 'stop'."
        )
    if name in worst:
        return worst[name]
    metric = own[0]
    known = metric.statistic.worst(metric.limit, *metric.process.bounds(metric.noise))
    if isfinite(known):
        return known
    raise InvalidSpec(
        f"'worst' needs to know the worst value of {name!r}, which has none as {metric.noise}. "
        f"Give worst={{{name!r}: value}}, declare bounded(low, high), or use on_error='retry' or 'stop'."
    )


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
    return tuple(sorted(set(map(writable, names))))  # files may be called anything


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
