"""Evaluations that are awaited: in a loop of our own or in the user's, many at a time, cancelled, stopped."""

import asyncio
import contextvars
import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, StudyStopped
from tests.helpers.parts import endless, evaluate, study_in


async def soon(config: str) -> dict[str, float]:
    await asyncio.sleep(0.001)
    return evaluate(config)


@pytest.mark.parametrize("workers", [1, 8])
def test_an_async_function_is_run_to_the_verdict(storage: Any, workers: int) -> None:
    study = study_in(storage)
    assert study.run(soon, workers=workers).arm == "good"
    assert study.counts().outstanding < workers, "more than what was under way at the verdict, which is given up"
    assert sf.verify(storage).ok


def test_what_is_awaited_runs_in_the_loop_of_whoever_awaits() -> None:
    seen = set()

    async def here(config: str) -> dict[str, float]:
        seen.add((asyncio.get_running_loop(), threading.current_thread()))
        return await soon(config)

    async def main() -> tuple[sf.Verdict, Any]:
        return await study_in().arun(here, workers=4), (asyncio.get_running_loop(), threading.current_thread())

    verdict, own = asyncio.run(main())
    assert verdict.arm == "good"
    assert seen == {own}


def test_the_loop_goes_on_meanwhile() -> None:
    async def main() -> int:
        beats = 0
        running = asyncio.create_task(endless().arun(soon, workers=4, max_evaluations=200))
        while not running.done():
            await asyncio.sleep(0.001)
            beats += 1
        return beats

    assert asyncio.run(main()) > 10


def test_as_many_at_a_time_as_workers_and_nearly_in_the_time_that_takes() -> None:
    now, most = [0], [0]

    async def slow(config: str) -> dict[str, float]:
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.05)
        now[0] -= 1
        return evaluate(config)

    start = time.monotonic()
    endless().run(slow, workers=20, max_evaluations=100)
    assert most[0] == 20
    assert time.monotonic() - start < 2.5  # one after the other it is 5


def test_objects_methods_and_partials_are_awaited_too() -> None:
    class Model:
        async def __call__(self, config: str) -> dict[str, float]:
            return await soon(config)

        async def ask(self, more: int, config: str) -> dict[str, float]:
            return await soon(config)

    assert study_in().run(Model()).arm == "good"
    assert study_in().run(functools.partial(Model().ask, 1), workers=3).arm == "good"


def test_a_plain_function_can_be_awaited_and_leaves_the_loop_alone() -> None:
    threads = set()

    def plain(config: str) -> dict[str, float]:
        threads.add(threading.current_thread())
        return evaluate(config)

    assert asyncio.run(study_in().arun(plain, workers=3)).arm == "good"
    assert threading.main_thread() not in threads


def test_context_variables_are_those_of_the_caller() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    seen = set()

    async def who(config: str) -> dict[str, float]:
        seen.add(user.get())
        return evaluate(config)

    user.set("me")
    study_in().run(who, workers=2)
    asyncio.run(study_in().arun(who, workers=2))
    assert seen == {"me"}


def test_pairs_are_awaited_back_to_back() -> None:
    order: list[str] = []

    async def timed(config: str) -> dict[str, float]:
        order.append(config)
        await asyncio.sleep(0)
        return {"x": 1.0 + 0.01 * len(order) % 0.1}

    study = sf.create_study(["new"], ["x <= baseline + 50% ~ 10%"], baseline="old")
    study.run(timed, max_evaluations=20)
    pairs = [sorted(order[place : place + 2]) for place in range(0, 40, 2)]
    assert pairs == [["new", "old"]] * 20
    assert {"new", "old"} == set(order[::2])


def test_a_time_limit_cancels_what_is_awaited() -> None:
    cancelled = []

    async def hangs(config: str) -> dict[str, float]:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            cancelled.append(config)
            raise
        return {}

    study = study_in(on_error="retry", retries=1)
    with pytest.raises(StudyStopped, match=r"timed out after 0\.05 seconds"):
        study.run(hangs, workers=2, timeout=0.05)
    assert len(cancelled) >= 2


def test_a_cancelled_run_gives_back_what_is_under_way() -> None:
    study = endless()

    async def main() -> None:
        running = asyncio.create_task(study.arun(sleeps, workers=5))
        while study.counts().outstanding < 5:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    async def sleeps(config: str) -> dict[str, float]:
        await asyncio.sleep(100)
        return {}

    asyncio.run(main())
    assert [one.worker for one in study.outstanding()] == [None] * 5
    assert study.counts().released == 5


def test_no_thread_and_no_task_is_left_behind() -> None:
    before = set(threading.enumerate())

    async def slow(pull: sf.Pull) -> dict[str, float]:
        await asyncio.sleep(100 if pull.number == 3 else 0)
        return evaluate(pull.name)

    assert study_in().run(slow, workers=5, with_pull=True, max_seconds=0.5).evaluations >= 3
    assert set(threading.enumerate()) <= before


def test_an_executor_is_for_plain_functions() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(InvalidSpec, match="leave out executor="):
        study_in().run(soon, executor=pool)


def test_a_coroutine_that_nobody_awaits_is_said_so() -> None:
    with pytest.raises(StudyStopped, match="Give the `async def` itself"):
        study_in().run(lambda config: soon(str(config)))


@pytest.mark.parametrize("workers", [1, 3])
def test_stop_ends_a_run_from_within_and_keeps_what_is_under_way(workers: int) -> None:
    study = endless()

    def stops(pull: sf.Pull) -> dict[str, float]:
        if pull.number == 10:
            study.stop()
        return evaluate(pull.name)

    study.run(stops, workers=workers, with_pull=True)
    assert 11 <= study.counts().told <= 10 + 2 * workers
    assert study.counts().released == 0
    study.stop()  # nothing runs: nothing happens
    assert study.run(evaluate, max_evaluations=30).evaluations == 30


def test_stop_wakes_a_run_that_waits() -> None:
    study = endless()

    def refused(config: str) -> dict[str, float]:
        raise sf.RateLimited("later", retry_after=100)

    threading.Timer(0.2, study.stop).start()
    start = time.monotonic()
    study.run(refused, workers=3)
    assert time.monotonic() - start < 30
    assert study.counts().told == study.counts().failed == 0
