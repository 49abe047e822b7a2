"""Tasks on a Dask cluster: each is run once, or it is said that it was not.

A cluster that loses a worker runs its tasks again on another, and tells nobody. Which tasks those are depends on how
long they took, so a task notes on the scheduler that it has begun, and one that finds its own note is lost.
"""

import secrets
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from satisfice.cluster import ExecutorLike, client_of, executor_of

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
