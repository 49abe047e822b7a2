"""Where evaluations run when nobody says where: in the calling thread, or each in a thread of its own."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Thread
from typing import Any, ParamSpec, TypeVar

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
