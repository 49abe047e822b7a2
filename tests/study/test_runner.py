"""Running a study with a function: in this thread, in threads, in processes, on Dask; budgets, time-outs, Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import EvaluationFailed, InvalidResult, InvalidSpec, StorageUnreachable, StudyStopped
from satisfice.search.search import Search
from satisfice.study import retry
from satisfice.study.events import Event
from satisfice.study.process_id import worker_name
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from satisfice.study.storage.protocol import Decide
from study.parts import MEANS, endless, results_of, study_in

_draws = count()


def evaluate(config: str) -> dict[str, float]:
    rng = np.random.default_rng([5, next(_draws)])
    speed, loss = MEANS[config.split(maxsplit=1)[0]]
    return {"speed": float(rng.normal(speed, 1.0)), "loss": float(rng.random() < loss)}


@pytest.mark.parametrize("workers", [1, 8])
def test_runs_to_the_verdict(storage: Any, workers: int) -> None:
    study = study_in(storage)
    assert study.run(evaluate, workers=workers).arm == "good"
    assert study.counts().outstanding == 0
    assert sf.verify(storage).ok


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


def test_the_budget_of_time_waits_for_what_is_under_way() -> None:
    def slow(config: str) -> dict[str, float]:
        time.sleep(0.05)
        return evaluate(config)

    study = study_in()
    verdict = study.run(slow, workers=2, max_seconds=0.12)
    assert verdict.outcome is sf.Outcome.UNDECIDED
    assert 2 <= study.counts().told <= 8
    assert study.counts().outstanding == 0


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


def test_an_evaluation_that_raises_stops_the_study_and_it_goes_on_when_run_again(storage: Any) -> None:
    left = [3]

    def sometimes(config: str) -> dict[str, float]:
        left[0] -= 1
        if left[0] == 0:
            raise ZeroDivisionError("a bad day")
        return evaluate(config)

    study = study_in(storage)
    with pytest.raises(StudyStopped, match="ZeroDivisionError: a bad day"):
        study.run(sometimes)
    assert study.counts().told == 2
    assert study.run(sometimes).arm == "good"
    assert study.counts().failed == 1


def test_sentences_of_evaluations_are_kept_as_they_are() -> None:
    def broken(config: str) -> dict[str, float]:
        raise EvaluationFailed("bench.sh ended with code 3.")

    study = study_in(on_error="retry", retries=1)
    with pytest.raises(StudyStopped, match=r"failed: bench\.sh ended with code 3"):
        study.run(broken, workers=2)
    assert {one.failure for one in study.evaluations()} == {"bench.sh ended with code 3."}


@pytest.mark.parametrize("result", [{"speed": 1.0}, None, 3.0])
def test_results_that_lack_a_metric_are_a_mistake_whatever_the_policy(result: Any) -> None:
    study = study_in(on_error="worst", worst={"speed": 0.0})
    with pytest.raises(StudyStopped, match=r"missing|mapping"):
        study.run(lambda config: result)
    assert study.counts().told == 0


def test_values_that_are_no_numbers_are_failures() -> None:
    study = study_in(on_error="worst", worst={"speed": 0.0})
    study.run(lambda config: {"speed": float("nan"), "loss": 0}, max_evaluations=4)
    assert (study.counts().failed, study.counts().told) == (4, 4)


@pytest.mark.parametrize("pool", [False, True])
def test_time_outs_are_failures(pool: bool) -> None:
    slow = Counter[str]()

    def hangs(config: str) -> dict[str, float]:
        slow[config] += 1
        time.sleep(1.0 if slow[config] == 1 and config == "slow" else 0.0)
        return evaluate(config)

    study = study_in(on_error="retry", retries=3)
    executor = None
    if pool:
        executor = ThreadPoolExecutor(2)
    assert study.run(hangs, workers=2, executor=executor, timeout=0.5).arm == "good"
    assert [one.failure for one in study.evaluations() if one.failure] == ["timed out after 0.5 seconds"]


def test_an_executor_full_of_evaluations_that_do_not_end() -> None:
    over = threading.Event()
    study = study_in(on_error="retry", retries=9)
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(StudyStopped, match="All 2 places of the executor"):
            study.run(lambda config: over.wait() and {}, workers=2, executor=pool, timeout=0.05)
        over.set()


def test_long_evaluations_give_signs_of_life(storage: Any) -> None:
    study = study_in(storage, lease_seconds=0.9)
    other = study_in(storage, load_if_exists=True, lease_seconds=0.9)
    stolen = []

    def long(config: str) -> dict[str, float]:
        time.sleep(2.0)
        stolen.extend(pull for pull in other.ask(3) if pull.attempt)
        return evaluate(config)

    study.run(long, max_evaluations=1)
    assert stolen == []
    assert study.counts().told == 1


def test_a_result_that_comes_too_late_is_dropped_and_the_run_goes_on() -> None:
    study = study_in(lease_seconds=1000)
    first = []

    def stolen(pull: sf.Pull) -> dict[str, float]:
        if not first:
            first.append(pull)
            study.release(pull)  # as if the lease had ended and somebody had asked
        return evaluate(pull.name)

    assert study.run(stolen, with_pull=True).arm == "good"
    assert study.counts().reissued == 1


@pytest.mark.parametrize("workers", [0, True, 1.5])
def test_workers_are_counted(workers: Any) -> None:
    with pytest.raises(InvalidSpec, match="workers must be a whole number"):
        study_in().run(evaluate, workers=workers)


def test_timeouts_are_positive() -> None:
    with pytest.raises(InvalidSpec, match="timeout must be a positive number"):
        study_in().run(evaluate, timeout=0)


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


def test_workers_of_a_study(storage: Any) -> None:
    study = study_in(storage)
    threads = [threading.Thread(target=sf.work, args=(storage, None, evaluate)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.verdict().arm == "good"
    assert sf.verify(storage).ok
    assert worker_name() in {one.worker.partition("@")[2] for one in study.evaluations()}


def test_a_worker_does_not_resume_what_a_failure_stopped(storage: Any) -> None:
    study = study_in(storage)
    study.fail(study.ask(), "no power")
    with pytest.raises(StudyStopped, match="no power"):
        sf.work(storage, None, evaluate)


class Deaf(MemoryLog):
    """A log whose next answer is lost: what was appended is there, and whoever appended it does not hear of it."""

    deaf = False

    def extend(self, after: int, decide: Decide) -> None:
        super().extend(after, decide)
        if self.deaf:
            self.deaf = False
            raise StorageUnreachable("the connection broke")


class DeafStorage(MemoryStorage):
    def create(self, name: str, first: Event) -> MemoryLog:
        return self._logs.setdefault(name, Deaf(first))


def test_after_an_outage_a_worker_gives_back_what_it_never_heard_of_and_nothing_else() -> None:
    storage = DeafStorage()
    study, other = endless(storage, lease_seconds=1000), endless(storage, load_if_exists=True, lease_seconds=1000)
    others, evaluated = other.ask(2), []
    log = study._log

    def slow(pull: sf.Pull) -> dict[str, float]:
        evaluated.append(pull.id)
        log.deaf = len(evaluated) in (5, 12)
        time.sleep(0.01 * (1 + pull.number % 3))
        return results_of(pull)

    study.run(slow, workers=3, with_pull=True, max_evaluations=30, patience=20.0)
    assert len(evaluated) == len(set(evaluated)) == study.counts().told == 28  # what ran during the outage counts
    assert study.counts().reissued > 0  # what was given out into the void came again at once
    assert [one.pull.id for one in study.outstanding()] == [pull.id for pull in others]
    assert all(one.worker is not None for one in study.outstanding())
    assert sf.verify(storage).ok


def test_a_run_ends_when_it_is_told_to() -> None:
    enough, over = threading.Event(), threading.Event()
    study = endless()

    def evaluation(pull: sf.Pull) -> dict[str, float]:
        if pull.number >= 10:
            enough.set()
            over.wait(20)  # does not end by itself
        return results_of(pull)

    start = time.monotonic()
    verdict = study.run(evaluation, workers=2, with_pull=True, until=enough.is_set)
    assert time.monotonic() - start < 10
    over.set()
    assert verdict.outcome is sf.Outcome.UNDECIDED
    assert study.counts().told == 10
    assert all(one.worker is None for one in study.outstanding())  # given back, for the next run


def test_a_run_that_may_not_begin_evaluates_nothing() -> None:
    study = endless()
    study.run(lambda config: pytest.fail("evaluated"), until=lambda: True)
    assert study.counts().asked == 0


def test_patience_doubles_its_pauses_and_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now, pauses, recovered = [0.0], [], []
    monkeypatch.setattr(retry.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(retry.time, "sleep", lambda pause: (pauses.append(pause), now.__setitem__(0, now[0] + pause)))

    def never() -> None:
        raise StorageUnreachable("no")

    with pytest.raises(StorageUnreachable):
        retry.patiently(never, 20.0, lambda: recovered.append(now[0]))
    assert pauses[:7] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0])
    assert sum(pauses) <= 20.0
    assert len(recovered) == len(pauses)


def test_results_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study, checked = study_in(), []
    checks = Search.checked
    monkeypatch.setattr(Search, "checked", lambda self, results: (checked.append(results), checks(self, results))[1])
    study.run(evaluate, max_evaluations=7)
    assert len(checked) == 7


def test_the_reason_of_a_failure_says_what_was_wrong_and_no_more() -> None:
    study = study_in(on_error="retry", retries=0)
    with pytest.raises(StudyStopped):
        study.run(lambda config: {"speed": 1.0, "loss": 0.5})
    assert [one.failure for one in study.evaluations()] == ["Expected 0 or 1 for 'loss' (bernoulli), got 0.5."]
    with pytest.raises(InvalidResult, match=r"got 0\.5\. Nothing was recorded\.$"):
        study_in().tell(study_in().ask(), {"speed": 1.0, "loss": 0.5})
