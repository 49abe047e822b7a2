"""A Dask cluster: a client of an address, how much it does at a time, and whether its workers are what we are."""

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from satisfice.errors import ClusterError
from satisfice.extras import need
from satisfice.given import shown

ANSWER_SECONDS = 10
"""How long a scheduler may take to answer, and then to have a worker."""

PACKAGES = ("satisfice", "numpy", "numba")
"""What must be of one version everywhere for simulated results to be the same bit for bit."""

VERSIONS = "[getattr(__import__(name), '__version__', '?') for name in {packages!r}]"
"""What a worker is asked for; in text, so that one without satisfice can answer too."""


@runtime_checkable
class HasExecutor(Protocol):
    """What an executor can be had of: a client of Dask."""

    def get_executor(self, **options: Any) -> Executor: ...


@runtime_checkable
class DaskClient(Protocol):
    """What a client of Dask knows of its workers."""

    def nthreads(self) -> dict[str, int]: ...

    def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]: ...


ExecutorLike = Executor | HasExecutor


@contextmanager
def dask_client(address: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address, which has a worker at least; None without an address."""
    if address is None:
        yield None
        return
    need("A Dask cluster", "distributed")
    from distributed import Client  # noqa: PLC0415 - an extra, and heavy

    try:
        asyncio.run(_greet(address))  # a client that cannot connect waits long, and longer when it is given up
        client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]  # Dask's
    except (OSError, ValueError, TypeError) as error:
        why = str(error) or f"nothing came within {ANSWER_SECONDS} s"
        raise ClusterError(
            f"No Dask scheduler answers at {shown(address)}: {why}. Give the address that `dask scheduler` prints, "
            "such as 'tcp://10.0.0.1:8786', or run on this machine alone."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=ANSWER_SECONDS)
        except OSError:
            raise ClusterError(
                f"The Dask scheduler at {shown(address)} has no workers. Start some: dask worker {address}"
            ) from None
        yield client


async def _greet(address: str) -> None:
    """Shake hands with the scheduler at an address; OSError, ValueError or TypeError if that cannot be done in time."""
    from distributed.comm.addressing import normalize_address  # noqa: PLC0415 - an extra, and heavy
    from distributed.comm.core import connect  # noqa: PLC0415

    async with asyncio.timeout(ANSWER_SECONDS):
        comm = await connect(normalize_address(address), timeout=ANSWER_SECONDS)  # type: ignore[no-untyped-call]  # Dask's
        comm.abort()


def executor_of(given: ExecutorLike) -> Executor:
    """The executor itself; that of a client takes nothing from what was computed before."""
    return given if isinstance(given, Executor) else given.get_executor(pure=False)


def slots_of(given: ExecutorLike) -> int:
    """How many tasks an executor runs at a time, as far as it says."""
    client = client_of(given)
    if client is not None:
        return max(1, int(sum(client.nthreads().values())))
    return int(getattr(given, "_max_workers", 0)) or os.cpu_count() or 1  # pools of threads and processes know it


def check_workers(given: ExecutorLike, packages: tuple[str, ...] = PACKAGES) -> None:
    """ClusterError if a worker of a Dask cluster has other versions of these packages than this process."""
    client = client_of(given)
    if client is None:
        return
    here = versions_here(packages)
    for worker, found in client.run(eval, VERSIONS.format(packages=packages), on_error="return").items():
        if isinstance(found, Exception):
            raise ClusterError(
                f"The worker at {worker} lacks a package that this needs: {found}. Install there what is here: "
                f"{_listed(packages, here)}."
            )
        if found != here:
            raise ClusterError(
                f"The worker at {worker} has {_listed(packages, found)}, and here there is "
                f"{_listed(packages, here)}: its results might differ. Install the same versions there."
            )


def client_of(given: ExecutorLike) -> DaskClient | None:
    """The client of a Dask cluster: itself, or that of which it is the executor."""
    client = getattr(given, "_client", given)
    return client if isinstance(client, DaskClient) else None


def versions_here(packages: tuple[str, ...]) -> list[str]:
    """The versions of this process."""
    found: list[str] = eval(VERSIONS.format(packages=packages))  # which is written above
    return found


def _listed(packages: tuple[str, ...], versions: list[str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in zip(packages, versions, strict=True))
