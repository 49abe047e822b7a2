"""Running a study with a function: in this thread, in threads, in processes, on Dask; budgets, Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import satisfice as sf
from tests.helpers.parts import endless, evaluate, study_in


@pytest.mark.parametrize("workers", [1, 8])
def test_runs_to_the_verdict(storage: Any, workers: int) -> None:
    study = study_in(storage)
    assert study.run(evaluate, workers=workers).arm == "good"
    assert study.counts().outstanding == 0
    assert sf.verify(storage).ok


def test_who_listens_hears_which_study_runs_and_what_it_came_to(caplog: pytest.LogCaptureFixture) -> None:
    study = study_in()
    with caplog.at_level("INFO", logger="satisfice"):
        verdict = study.run(evaluate)
    assert caplog.messages == [f"{study.name}: running, 1 at a time", f"{study.name}: {verdict}"]


def test_one_worker_evaluates_in_the_calling_thread() -> None:
    seen = set()

    def here(config: str) -> dict[str, float]:
        seen.add(threading.current_thread())
        return evaluate(config)

    study_in().run(here)
    assert seen == {threading.current_thread()}


def test_no_more_than_so_many_at_a_time() -> None:
    now, most, lock = [0], [0], threading.Lock()

    def slow(config: str) -> dict[str, float]:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return evaluate(config)

    endless().run(slow, workers=5, max_evaluations=60)
    assert most[0] == 5


def test_processes() -> None:
    study = study_in()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert study.run(evaluate, workers=4, executor=pool).arm == "good"


@pytest.mark.filterwarnings("ignore")  # of Dask and what it loads
def test_dask() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, dashboard_address=None, protocol="inproc://"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        study = study_in()
        assert study.run(evaluate, workers=4, executor=client.get_executor(pure=False)).arm == "good"


def test_the_budget_counts_all_runs(storage: Any) -> None:
    study = study_in(storage)
    assert study.run(evaluate, workers=3, max_evaluations=10).outcome is sf.Outcome.UNDECIDED
    assert study.counts().told == 10
    assert study.run(evaluate, workers=3, max_evaluations=10).evaluations == 10
    assert study.run(evaluate, workers=3, max_evaluations=12).evaluations == 12
    assert study.run(evaluate).arm == "good"


def test_the_budget_of_time_ends_what_is_under_way() -> None:
    """It waited for evaluations that nobody would count."""
    over = threading.Event()
    study = study_in()
    verdict = study.run(lambda config: over.wait(100) and {}, workers=2, max_seconds=0.12)
    over.set()
    assert verdict.outcome is sf.Outcome.UNDECIDED
    assert [one.worker for one in study.outstanding()] == [None, None]
    assert study.counts().released == 2


def test_a_run_ends_with_the_verdict_and_not_with_the_last_evaluation() -> None:
    """It waited for stragglers whose results change nothing."""
    over, late = threading.Event(), list[int]()

    def straggles(pull: sf.Pull) -> dict[str, float]:
        if pull.name == "lossy" and not late:
            late.append(pull.number)
            over.wait(100)
        return evaluate(pull.name)

    study = study_in(configs=["good", "lossy"])
    assert study.run(straggles, workers=2, with_pull=True).arm == "good"
    over.set()
    assert late
    assert [one.pull.number for one in study.outstanding() if one.pull.number in late] == late


def test_whoever_wants_the_whole_pull_gets_it() -> None:
    numbers = []

    def whole(pull: sf.Pull) -> dict[str, float]:
        numbers.append(pull.number)
        return evaluate(pull.name)

    study_in().run(whole, with_pull=True, max_evaluations=5)
    assert numbers == [0, 1, 2, 3, 4]


def test_whoever_waits_leaves_the_storage_alone(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    study = study_in(sqlite)
    exchange = study.exchange
    monkeypatch.setattr(study, "exchange", lambda *args, **given: (steps.append(args), exchange(*args, **given))[1])

    def slow(config: str) -> dict[str, float]:
        time.sleep(1.2)
        return evaluate(config)

    study.run(slow, workers=2, max_evaluations=2, on_progress=lambda progress: None)
    assert len(steps) <= 4


def test_progress_is_reported_with_what_is_running() -> None:
    seen: list[sf.RunProgress] = []

    def slow(config: str) -> dict[str, float]:
        time.sleep(0.02)
        return evaluate(config)

    study = endless()
    study.run(slow, workers=3, max_evaluations=30, on_progress=seen.append)
    assert {len(one.running) for one in seen} >= {0, 3}
    assert seen[-1].running == ()
    assert seen[-1].verdict.evaluations == 30
    assert seen[0].study is study


INTERRUPTED = """
import sys, time
import satisfice as sf
study = sf.create_study(["a", "b"], ["x >= 0 : normal(1)"], storage=sys.argv[1], load_if_exists=True)
def evaluate(config):
    time.sleep(0.05)
    return {"x": 0.0}
print("ready", flush=True)
study.run(evaluate, workers=int(sys.argv[2]))
"""


@pytest.mark.parametrize("workers", [1, 4])
def test_ctrl_c_gives_back_what_is_not_finished(sqlite: str, workers: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, sqlite, str(workers)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    while sf.load_study(sqlite).counts().told == 0:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=10)
    assert b"KeyboardInterrupt" in error
    study = sf.load_study(sqlite)
    assert study.counts().told > 0
    assert all(one.worker is None for one in study.outstanding())
    left = study.counts().outstanding
    assert left <= workers
    assert [pull.attempt for pull in study.ask(left + 1)] == [1] * left + [0]
    assert sf.verify(sqlite).ok
