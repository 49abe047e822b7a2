"""Evaluations that fail, return nonsense or do not end."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import EvaluationFailed, InvalidResult, InvalidSpec, StudyStopped
from tests.helpers.parts import evaluate, study_in


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

    study = study_in(on_error="retry", retries=3, goal="all")
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


def test_the_reason_of_a_failure_says_what_was_wrong_and_no_more() -> None:
    study = study_in(on_error="retry", retries=0)
    with pytest.raises(StudyStopped):
        study.run(lambda config: {"speed": 1.0, "loss": 0.5})
    assert [one.failure for one in study.evaluations()] == ["Expected 0 or 1 for 'loss' (bernoulli), got 0.5."]
    with pytest.raises(InvalidResult, match=r"got 0\.5\. Nothing was recorded\.$"):
        study_in().check({"speed": 1.0, "loss": 0.5})
