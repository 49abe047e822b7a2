"""One attempt at an evaluation: the task that an executor runs, and what its end means.

On a Dask cluster a task is run once, or it is said that it was not. A cluster that loses a worker runs its tasks again
on another, and tells nobody. Which tasks those are depends on how long they took, so a task notes on the scheduler that
it has begun, and one that finds its own note is lost.
"""

import errno
import inspect
import pickle
import secrets
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import replace
from typing import Any, NamedTuple, ParamSpec, TypeVar

from satisfice.cluster import ExecutorLike, client_of, executor_of
from satisfice.errors import EvaluationFailed, InvalidResult, InvalidSpec, NotMeasured
from satisfice.given import is_number
from satisfice.problem.cost import LARGEST
from satisfice.search.search import Results
from satisfice.study.policy import FailureKind
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.retry import Way
from satisfice.study.storage.passwords import without_secrets

P = ParamSpec("P")
T = TypeVar("T")


class RunAgain(Exception):
    """A task that the cluster lost with a worker and began once more."""


class DaskExecutor(Executor):
    """The executor of a client, whose tasks are never taken from what was computed before, nor run a second time.

    A client, or an executor that somebody had of one.
    """

    def __init__(self, given: ExecutorLike) -> None:
        self._client, self._inner = client_of(given) or given, executor_of(given)
        self._over: list[str] = []

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        while self._over:
            _note(self._over.pop(), self._client).clear()
        name = f"satisfice-{secrets.token_hex(8)}"
        future: Future[T] = self._inner.submit(_once, name, function, *arguments, **named)
        future.add_done_callback(lambda _: self._over.append(name))
        return future


def _once(name: str, function: Callable[..., T], /, *arguments: Any, **named: Any) -> T:
    begun = _note(name)
    if begun.is_set():
        raise RunAgain("the cluster lost it with a worker and ran it again")
    begun.set()
    return function(*arguments, **named)


def _note(name: str, client: Any = None) -> Any:
    from distributed import Event  # noqa: PLC0415 - an extra, and there where a client is

    return Event(name, client=client)  # type: ignore[no-untyped-call]  # Dask's


Evaluated = Results | Awaitable[Results]
Evaluate = Callable[..., Evaluated] | Mapping[str, Callable[..., Evaluated]]
"""A function or an `async def` of a config, with the groups where metrics are measured in groups, and the item where a
limit is on a set of items; or one function for each group by name."""
Passed = tuple[str, ...]
"""What a function is called with: the whole pull, or its config and perhaps its groups and item."""

LACKING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EAGAIN, errno.EDQUOT, errno.EROFS)
"""What an operating system says when it has nothing left: it is about the machine, and not about a config."""
MISTAKES = (NotMeasured, NameError, ImportError, SyntaxError, MemoryError, pickle.PicklingError, BrokenExecutor)
LONGEST_TRACEBACK = 4000


class EvaluatedPair(NamedTuple):
    """What came of a config, and of the baseline beside it."""

    results: Any
    baseline: Any


def evaluated(evaluate: Evaluate, pull: Pull, passed: Passed) -> Any:
    """What an evaluation returns: of a config, or of a config and the baseline, back to back in the order drawn.

    The pull is among the arguments: an executor that remembers what it was asked before has never seen this.
    """
    if pull.baseline is None:
        return _now(called(evaluate, pull, passed))
    found = {side: _now(called(evaluate, given, passed)) for side, given in _sides(pull)}
    return EvaluatedPair(found[0], found[1])


async def evaluated_async(evaluate: Evaluate, pull: Pull, passed: Passed) -> Any:
    """The same of an evaluation that is awaited."""
    if pull.baseline is None:
        return await called(evaluate, pull, passed)
    found = {side: await called(evaluate, given, passed) for side, given in _sides(pull)}
    return EvaluatedPair(found[0], found[1])


def called(evaluate: Evaluate, pull: Pull, passed: Passed) -> Any:
    """What the function for a pull returns: with groups of metrics, one of several, or one that is told which."""
    known = {"pull": pull, "config": pull.config, "groups": pull.groups, "item": pull.item}
    arguments = [known[name] for name in passed]
    return evaluate[pull.groups[0]](*arguments) if isinstance(evaluate, Mapping) else evaluate(*arguments)


def is_async(evaluate: Callable[..., Any] | Mapping[str, Callable[..., Any]]) -> bool:
    """Whether it is an `async def`, or an object whose call is one; of functions by group, whether all are."""
    if isinstance(evaluate, Mapping):
        return all(map(is_async, evaluate.values()))
    return inspect.iscoroutinefunction(evaluate) or inspect.iscoroutinefunction(getattr(evaluate, "__call__", None))  # noqa: B004 - it is not asked whether it can be called


def _sides(pull: Pull) -> list[tuple[int, Pull]]:
    """What is evaluated of a pair, back to back in the order drawn: 0 is the config, 1 the baseline."""
    sides = [pull, pull.of_baseline()]
    order = (1, 0) if pull.baseline_first else (0, 1)
    return [(side, sides[side]) for side in order]


def _now(found: Any) -> Any:
    """What was returned, unless it is a promise to return something."""
    if isinstance(found, Coroutine):
        found.close()
        raise NotMeasured(
            "the function returned a coroutine that nobody awaits. Give the `async def` itself to run or arun, not a "
            "plain function that calls it"
        )
    return found


def failure_of(error: BaseException, way: Way | None = None) -> Failure:
    """What an exception says about an evaluation: that it failed, was lost, or could not be made.

    Where its type leads to a `way` of its own, it failed. What could not be made may be tried again so, and is no worst
    result however its type was named.
    """
    if way is not None:
        found = failure_of(error)
        if found.kind != FailureKind.NOT_MEASURED:
            return replace(found, kind=FailureKind.FAILED, by_exception=str(way))
        return replace(found, by_exception=str(way)) if way is Way.RETRY else found
    lost = isinstance(error, BrokenExecutor | CancelledError | RunAgain)
    lacking = isinstance(error, OSError) and error.errno in LACKING
    kind = FailureKind.LOST if lost else FailureKind.FAILED
    if not lost and (lacking or isinstance(error, MISTAKES)):
        kind = FailureKind.NOT_MEASURED
    if isinstance(error, EvaluationFailed):
        known = is_number(error.cost) and 0 <= float(error.cost or 0.0) < LARGEST
        return Failure(str(error), kind, cost=float(error.cost or 0.0) if known else None)
    told = without_secrets("".join(traceback.format_exception(error)))  # before half of a secret is cut off
    return Failure(f"{type(error).__name__}: {error}", kind, told[-LONGEST_TRACEBACK:])


def outcome_of(results: Any, pull: Pull, settled: Callable[[Any, Any, Pull], Measured | Failure]) -> Measured | Failure:
    """What an evaluation returned, checked."""
    own, baseline = results if isinstance(results, EvaluatedPair) else (results, None)
    try:
        return settled(own, baseline, pull)
    except InvalidResult as error:
        kind = FailureKind.NOT_MEASURED if error.is_mistake else FailureKind.FAILED
        return Failure(error.reason, kind, cost=error.cost)


def check_can_be_sent(evaluate: Evaluate, packed: Callable[[Any], bytes]) -> None:
    """Raise unless another process can be told to evaluate, in the way in which it is told."""
    try:
        packed(evaluate)
    except Exception as error:
        raise InvalidSpec(
            f"{getattr(evaluate, '__qualname__', evaluate)!s:.60} cannot be sent to another process: {error}. Give a "
            "function that stands at the top of a module, or run it in threads, without an executor."
        ) from error
