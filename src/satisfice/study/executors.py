"""Where evaluations run: in the calling thread, in threads, in an event loop, or where an executor says."""

import asyncio
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from satisfice.cluster import ExecutorLike, check_workers, client_of
from satisfice.errors import InvalidSpec
from satisfice.study.attempts import DaskExecutor, Evaluate, check_can_be_sent, is_async

P = ParamSpec("P")
T = TypeVar("T")

GRACE_SECONDS = 5.0
"""For how long coroutines that are cancelled may go on."""


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


class LoopExecutor(Executor):
    """Awaits coroutines in an event loop: in one that runs already, or in one of its own in a thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.new_event_loop()
        self._thread = None if loop is not None else Thread(target=self._loop.run_forever, daemon=True)
        if self._thread is not None:
            self._thread.start()

    def submit(self, function: Callable[P, Any], /, *arguments: P.args, **named: P.kwargs) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(function(*arguments, **named), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the loop, if it is one of our own; what still runs there is cancelled."""
        if self._thread is None or not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=GRACE_SECONDS) if others else None
    await asyncio.get_running_loop().shutdown_asyncgens()


def executor_for(given: ExecutorLike | None, evaluate: Evaluate, *, alone: bool) -> Executor:
    """The executor that was given, or one of our own; what can never be sent to it is said now."""
    if is_async(evaluate):
        if given is not None and not isinstance(given, LoopExecutor):
            raise InvalidSpec(
                "An async evaluation runs in an event loop, and not in an executor: leave out executor=, and give "
                "workers=, how many are awaited at a time."
            )
        return given or LoopExecutor()
    if given is None:
        return HereExecutor() if alone else ThreadExecutor()
    if isinstance(given, ProcessPoolExecutor):
        check_can_be_sent(evaluate, pickle.dumps)
    check_workers(given, ("satisfice",))  # there, too, it is satisfice that calls the function
    if isinstance(given, Executor) and client_of(given) is None:
        return given
    import cloudpickle  # type: ignore[import-untyped] # noqa: PLC0415 - comes with Dask, and is what it sends with

    check_can_be_sent(evaluate, cloudpickle.dumps)
    return DaskExecutor(given)
