"""Nothing that happens to evaluations biases a verdict silently: losses, failures, results that are ruled out."""

import errno
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, NotMeasured, PullAlreadyTold, StudyStopped
from tests.helpers.parts import Clock, evaluate, results_of, study_in

TIMES = ["wall_time <= 5 ~ 0.05 : bounded(0, 60)"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


def lost_after(study: sf.Study, clock: Clock) -> None:
    """A worker asks and is never heard of again."""
    study.ask(worker="lost")
    clock.now += 61


def test_lost_evaluations_are_counted(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock)
    lost_after(study, clock)
    study.release(study.ask())
    pull = study.ask()
    study.tell(pull, results_of(pull))
    assert (study.counts().lost, study.counts().released, study.counts().reissued) == (1, 1, 2)
    said = "2 evaluations given out again (1 lost with their workers, 1 given back)"
    assert any(said in words for words in study.verdict().assumptions)


def test_lost_evaluations_may_count_as_the_worst(storage: Any, clock: Clock) -> None:
    study = study_in(storage, thresholds=TIMES, clock=clock, on_lost="worst")
    lost_after(study, clock)
    assert study.ask().number == 1
    assert [(one.number, one.results["wall_time"]) for one in study.evaluations()] == [(0, 60.0)]
    assert study.counts().lost == 1
    assert sf.verify(storage).ok


def test_worst_results_of_lost_workers_lead_to_a_verdict_in_the_log(storage: Any, clock: Clock) -> None:
    study = study_in(storage, configs=["one"], thresholds=TIMES, clock=clock, on_lost="worst")
    pull = study.ask()
    study.tell(pull, {"wall_time": 60.0})
    while study.ask(8, worker="lost"):
        clock.now += 61
    assert study.outcome is sf.Outcome.NONE
    assert sf.verify(storage).ok


def test_lost_evaluations_may_stop_the_study(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock, on_lost="stop")
    lost_after(study, clock)
    with pytest.raises(StudyStopped, match="an evaluation of 'lossy' failed: its worker was lost"):
        study.ask()
    study.resume()
    assert study.ask().attempt == 1
    assert sf.verify(storage).ok


def test_losses_of_durations_are_said_to_bias(clock: Clock) -> None:
    study = study_in(thresholds=[*TIMES, "queue <= 3"], clock=clock, durations=["queue"])
    assert study.view().warnings == ()
    lost_after(study, clock)
    study.ask()
    (said,) = study.view().warnings
    assert said.startswith("1 evaluation lost or given back, and wall_time, queue measures time")
    assert "on_lost='worst'" in said
    assert said in study.verdict().assumptions
    with pytest.raises(sf.errors.UnknownName, match="qeue"):
        study_in(durations=["qeue"])


def killed_at_random(seed: int, on_lost: str) -> sf.Verdict:
    """One config that takes 5.45 s on average, by a worker that is killed now and then at random moments."""
    clock, rng = Clock(), np.random.default_rng(seed)
    study = study_in(
        configs=["one"],
        thresholds=TIMES,
        clock=clock,
        on_lost=on_lost,
        lease_seconds=60,
        stopping="evidence",
    )
    for _ in range(1200):
        if study.stopped is not None:  # the very first was lost, and nothing was measured yet
            study.resume()
        try:
            pull = study.ask(worker=str(seed))
        except StudyStopped:
            continue
        if pull is None:
            break
        duration = float(rng.choice([1.0, 20.0], p=[0.766, 0.234]))
        if rng.random() < 1 - np.exp(-duration / 60):
            clock.now += 61
        else:
            clock.now += duration
            study.tell(pull, {"wall_time": duration})
    return study.verdict()


def test_killed_workers_lose_long_evaluations() -> None:
    """14 of 20 were found wrongly, and nothing said why; as worst results none is."""
    reissued = [killed_at_random(seed, "reissue") for seed in range(12)]
    assert sum(verdict.outcome is sf.Outcome.FOUND for verdict in reissued) > 0.05 * len(reissued)
    assert all(any("may be biased" in words for words in verdict.assumptions) for verdict in reissued)
    worst = [killed_at_random(seed, "worst").outcome for seed in range(12)]
    assert sf.Outcome.FOUND not in worst


def test_a_result_that_is_ruled_out_is_never_drawn_again(storage: Any) -> None:
    """With 'retry' 200 of 200 studies were found wrongly, each saying that every result lies in [0, 5]."""
    draws = np.random.default_rng(3)

    def heavy(config: str) -> dict[str, float]:
        return {"x": 1.0 if draws.random() < 0.8 else 50.0}

    study = study_in(storage, configs=["one"], thresholds=["x <= 3 : bounded(0, 5)"], on_error="retry", retries=99)
    with pytest.raises(StudyStopped, match=r"for good: 'one' has a result that is ruled out: Expected .*50\.0"):
        study.run(heavy)
    again = study_in(
        storage, configs=["one"], thresholds=["x <= 3 : bounded(0, 5)"], on_error="retry", load_if_exists=True
    )
    for go_on in (again.resume, again.ask, lambda: again.run(heavy)):
        with pytest.raises(StudyStopped, match="declaration is wrong"):
            go_on()
    assert again.outcome is sf.Outcome.UNDECIDED
    assert sf.verify(storage).ok


def test_a_result_that_is_ruled_out_may_count_as_the_worst() -> None:
    study = study_in(configs=["one"], thresholds=["x <= 3 : bounded(0, 5)"], on_error="worst")
    verdict = study.run(lambda config: {"x": 50.0 if len(list(study.evaluations())) % 2 else 3.5})
    assert verdict.outcome is sf.Outcome.NONE
    assert {one.results["x"] for one in study.evaluations()} == {3.5, 5.0}


@pytest.mark.parametrize("together", [False, True])
def test_a_number_that_is_ruled_out_cannot_be_told_anew(storage: Any, together: bool) -> None:
    """It was refused and stayed to be told: with true means of 10.8 a limit of 3 was met, in [0, 5]."""
    study = study_in(storage, configs=["one"], thresholds=["x <= 3 : bounded(0, 5)"], on_error="retry", retries=99)
    first, second = study.ask(2)
    if together:
        study.exchange([(first, {"x": 50.0})])
    else:
        with pytest.raises(StudyStopped, match=r"for good: 'one' has a result that is ruled out: Expected .*50\.0"):
            study.tell(first, {"x": 50.0})
    with pytest.raises(PullAlreadyTold):
        study.tell(first, {"x": 1.0})
    study.release(first)
    for go_on in (study.ask, study.resume):
        with pytest.raises(StudyStopped, match="declaration is wrong"):
            go_on()
    assert [one.failure for one in study.evaluations() if one.failure]
    study.tell(second, {"x": 1.0})
    assert study.outcome is sf.Outcome.UNDECIDED
    assert sf.verify(storage).ok


def test_a_number_that_is_ruled_out_counts_as_the_worst_where_failures_do() -> None:
    study = study_in(configs=["one"], thresholds=["x <= 3 : bounded(0, 5)"], on_error="worst")
    assert study.tell(study.ask(), {"x": 50.0}) is sf.Outcome.UNDECIDED
    assert [one.results["x"] for one in study.evaluations()] == [5.0]


def test_what_takes_its_worker_with_it_is_not_given_out_for_ever(storage: Any) -> None:
    """199 losses in a row were 199 attempts at the same evaluation, and nothing was said."""
    clock = Clock()
    study = study_in(storage, clock=clock)
    for _ in range(30):
        study.release(study.ask(worker="ended by its time limit"))
    for resumed in range(2):
        for _ in range(20):
            assert study.ask(worker="lost").number == 0
            clock.now += 61
        with pytest.raises(StudyStopped, match=r"evaluation 0 of .* was lost 20 times: its worker was lost"):
            study.ask(worker="other")
        assert study.counts().lost == 20 * (resumed + 1)
        study.resume()
    assert study.ask(worker="other").number == 0
    assert sf.verify(storage).ok


def not_there(config: str) -> dict[str, float]:
    raise NotMeasured("There is no interpreter.")


def misspelt(config: str) -> dict[str, float]:
    return evaluate(confg)  # type: ignore[name-defined]  # noqa: F821 - that is the mistake


def out_of_files(config: str) -> dict[str, float]:
    raise OSError(errno.EMFILE, "Too many open files")


def out_of_memory(config: str) -> dict[str, float]:
    raise MemoryError


@pytest.mark.parametrize("broken", [not_there, misspelt, out_of_files, out_of_memory])
def test_what_could_not_be_measured_is_no_worst_result_by_its_type(broken: Any) -> None:
    """worst_on=Exception made a durable NONE of a NameError."""
    study = study_in(configs=["good"], worst={"speed": 0.0})
    with pytest.raises(StudyStopped, match="could not be made, of 'good'"):
        study.run(broken, worst_on=Exception)
    assert study.counts().told == 0
    tries = []

    def in_the_end(config: str) -> dict[str, float]:
        tries.append(config)
        return broken(config) if len(tries) < 3 else evaluate(config)

    quickly = sf.Backoff(first=0.01)
    assert study.run(in_the_end, retry_on=Exception, backoff=quickly).arm == "good", "tried again, as it was named"


@pytest.mark.parametrize("broken", [not_there, misspelt, out_of_files, out_of_memory])
@pytest.mark.parametrize("on_error", ["worst", "retry", "stop"])
def test_what_could_not_be_measured_is_not_evidence(broken: Any, on_error: str) -> None:
    """Under 'worst' a NameError was a durable NONE."""
    study = study_in(configs=["good"], on_error=on_error, worst={"speed": 0.0})
    for _ in range(2):
        with pytest.raises(StudyStopped, match="could not be made, of 'good'") as raised:
            study.run(broken)
        assert raised.value.__cause__ is not None
    assert (study.counts().told, study.stopped) == (0, None)
    assert study.run(evaluate).arm == "good"


def test_one_machine_that_cannot_measure_does_not_stop_the_others(sqlite: str) -> None:
    study, other = study_in(sqlite), sf.load_study(sqlite)
    with pytest.raises(StudyStopped):
        other.run(not_there, workers=2)
    assert study.run(evaluate).arm == "good"


def test_a_study_of_failures_stops_and_can_be_reopened(storage: Any) -> None:
    study = study_in(storage, configs=["lossy", "good"], on_error="retry", retries=99)

    def fails(config: str) -> dict[str, float]:
        raise RuntimeError(f"no {config} today")

    with pytest.raises(StudyStopped, match=r"the first 5 .* all failed, at the end one of '.* today") as raised:
        study.run(fails)
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(StudyStopped, match="the last 20 evaluations all failed"):
        study.run(fails)
    last = [event for event in study.events() if event.kind == "failed"][-1]
    assert "in fails" in last.content["traceback"]
    assert study.run(evaluate).outcome is not sf.Outcome.UNDECIDED
    assert sf.verify(storage).ok


def test_a_time_limit_together_with_retries_of_durations_is_refused() -> None:
    study = study_in(thresholds=TIMES, on_error="retry")
    with pytest.raises(InvalidSpec, match="would draw 'wall_time' again until it is short enough"):
        study.run(lambda config: {"wall_time": 1.0}, timeout=3)


class Remembers(Executor):
    """An executor that gives back what it computed for the same arguments, as Dask's does unless told otherwise."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        key = (function, repr(arguments))
        future: Future[Any] = Future()
        if key not in self.known:
            self.known[key] = function(*arguments)
        future.set_result(self.known[key])
        return future


def test_every_task_of_an_executor_is_another_one() -> None:
    """Remembered results came back as new evaluations: found after 49, one constant for each config."""
    study = study_in()
    study.run(evaluate, executor=Remembers(), max_evaluations=60)
    speeds = [one.results["speed"] for one in study.evaluations()]
    assert len(set(speeds)) == len(speeds) > 20


@pytest.mark.filterwarnings("ignore")  # of Dask and what it loads
@pytest.mark.parametrize("given", ["client", "executor"])
def test_a_client_of_dask_is_taken_as_it_is_and_what_it_runs_again_is_lost(tmp_path: Path, given: str) -> None:
    """Without pure=False each config had one constant result, and what died with a worker was run again unseen.

    That of an executor which somebody had of a client, too.
    """
    distributed = pytest.importorskip("distributed")
    note = tmp_path / "died"

    def dies_once(config: str) -> dict[str, float]:
        import os  # noqa: PLC0415 - in the other process
        import random  # noqa: PLC0415

        if not note.exists():
            note.touch()
            os._exit(1)
        return {"speed": random.gauss(3 if config == "good" else 0, 1), "loss": int(config == "lossy")}

    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        study = study_in(on_error="worst", worst={"speed": 0.0})
        place = client if given == "client" else client.get_executor()
        assert study.run(dies_once, workers=2, executor=place).arm == "good"
    assert 1 <= study.counts().lost <= 2
    speeds = [one.results["speed"] for one in study.evaluations() if one.failure is None]
    assert len(set(speeds)) == len(speeds) > 20


def ends_its_process(config: str) -> dict[str, float]:
    import os  # noqa: PLC0415 - in the other process

    os._exit(1)


def test_what_cannot_be_sent_is_said_before_anything_runs() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        study = study_in()
        with pytest.raises(InvalidSpec, match=r"cannot be sent to another process: .* top of a module"):
            study.run(lambda config: {}, executor=pool)
    assert study.counts().asked == 0


def test_what_a_cluster_of_dask_cannot_be_sent_is_said_before_anything_runs() -> None:
    pytest.importorskip("cloudpickle")

    class Client:
        def get_executor(self, **options: Any) -> Executor:
            return Remembers()

    lock, study = threading.Lock(), study_in()
    with pytest.raises(InvalidSpec, match=r"cannot be sent to another process: cannot pickle '_thread.lock' object"):
        study.run(lambda config: {"speed": lock}, executor=Client())
    assert study.counts().asked == 0


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        (["0.1.9"], "The worker at tcp://one has satisfice 0.1.9, and here there is satisfice .* Install the same"),
        (ModuleNotFoundError("No module named 'satisfice'"), "The worker at tcp://one lacks .* Install there what is"),
    ],
)
def test_a_worker_of_dask_with_another_version_is_named_before_anything_runs(there: Any, sentence: str) -> None:
    """It evaluated; one without satisfice failed in the words of pickle, which could count as the worst results."""

    class Client(Remembers):
        def nthreads(self) -> dict[str, int]:
            return {"tcp://one": 1}

        def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]:
            return {"tcp://one": there}

    study = study_in(on_error="worst", worst={"speed": 0.0})
    with pytest.raises(sf.errors.ClusterError, match=sentence):
        study.run(evaluate, executor=Client())
    assert study.counts().asked == 0


def test_a_pool_that_breaks_is_counted_as_a_loss() -> None:
    """It was given out again, and nothing said so."""
    study = study_in(on_error="worst", worst={"speed": 0.0})
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(StudyStopped):
        study.run(ends_its_process, executor=pool)
    assert (study.counts().lost, study.counts().told) == (1, 0)


def test_a_straggler_does_not_hold_up_what_others_decided(sqlite: str) -> None:
    over = threading.Event()
    study, other = study_in(sqlite), sf.load_study(sqlite)
    slow = threading.Thread(target=lambda: other.run(lambda config: over.wait(100) and {}, workers=2))
    slow.start()
    while study.counts().outstanding < 2:  # of the first two, neither of which is the one that passes
        time.sleep(0.01)
    assert study.run(evaluate).arm == "good"
    slow.join(30)
    over.set()
    assert not slow.is_alive()
