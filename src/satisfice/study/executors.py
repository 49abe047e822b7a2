"""Where evaluations run: in the calling thread, each in a thread of its own, or where an executor says."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from satisfice.study.attempts import Evaluate, check_can_be_sent
from satisfice.study.dask_tasks import DaskExecutor, HasExecutor

P = ParamSpec("P")
T = TypeVar("T")


class HereExecutor(Executor):
    """Evaluates at once, in the calling thread: what is best for debuggers and for functions that need it."""

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future


class ThreadExecutor(Executor):
    """A thread for each evaluation: one that never ends keeps no other from starting, nor the process from ending."""

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        Thread(target=_settle, args=(future, function, arguments, named), daemon=True).start()
        return future


def _settle(future: Future[Any], function: Callable[..., Any], arguments: Any, named: Any) -> None:
    try:
        future.set_result(function(*arguments, **named))
    except BaseException as error:  # whatever ends the evaluation belongs to whoever waits for it
        future.set_exception(error)


ExecutorLike = Executor | HasExecutor


def executor_for(given: ExecutorLike | None, evaluate: Evaluate, *, alone: bool) -> Executor:
    """The executor that was given, or one of our own; what can never be sent to it is said now."""
    if given is None:
        return HereExecutor() if alone else ThreadExecutor()
    if isinstance(given, ProcessPoolExecutor):
        check_can_be_sent(evaluate)
    return given if isinstance(given, Executor) else DaskExecutor(given)
