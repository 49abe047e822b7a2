"""Failures by policy: recorded, counted, and never dropped."""

from collections.abc import Sequence
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import PullAlreadyTold, StorageUnreachable, StudyStopped
from satisfice.study.events import Event
from satisfice.study.state import StudyState
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from satisfice.study.storage.protocol import Decide
from tests.helpers.parts import endless, finish, results_of, study_in

BOUNDED = ["quality >= 0.5 : bounded(-1, 2)", "loss <= 0.2 : bernoulli", "speed >= 1"]


def test_stop_is_the_default_and_loses_nothing(storage: Any) -> None:
    study = study_in(storage)
    first, second = study.ask(2)
    study.fail(first, "the cable broke")
    with pytest.raises(StudyStopped, match="an evaluation of 'lossy' failed: the cable broke"):
        study.ask()
    study.tell(second, results_of(second))
    other = sf.load_study(storage)
    assert other.stopped == "an evaluation of 'lossy' failed: the cable broke"
    other.resume()
    again = study.ask()
    assert (again.number, again.attempt) == (0, 1)
    study.tell(again, results_of(again))
    assert any("1 evaluation failed: each stopped the study" in words for words in study.verdict().assumptions)
    assert finish(study).arm == "good"
    assert sf.verify(storage).ok


def test_retry_tries_so_often_and_then_stops(storage: Any) -> None:
    study = study_in(storage, on_error="retry", retries=2)
    for attempt in range(3):
        pull = study.ask()
        assert (pull.number, pull.attempt) == (0, attempt)
        study.fail(pull, f"failure {attempt}")
    with pytest.raises(StudyStopped, match="failure 2"):
        study.ask()
    study.resume()
    study.fail(study.ask(), "failure 3")  # retries are counted anew
    pull = study.ask()
    study.tell(pull, results_of(pull))
    assert study.counts().failed == 4
    assert any("failures are unrelated to the metrics" in words for words in study.verdict().assumptions)
    failures = [one.failure for one in study.evaluations()]
    assert failures == ["failure 0", "failure 1", "failure 2", "failure 3", None]
    assert sf.verify(storage).ok


def test_without_retries_the_first_failure_stops() -> None:
    study = study_in(on_error="retry", retries=0)
    study.fail(study.ask(), "the only failure")
    with pytest.raises(StudyStopped, match="the only failure"):
        study.ask()


def test_worst_records_the_worst_result_there_can_be(storage: Any) -> None:
    study = study_in(storage, thresholds=BOUNDED, on_error="worst", worst={"speed": -3})
    pull = study.ask()
    study.fail(pull, "no answer")
    study.fail(pull, "no answer")
    assert study.counts().failed == study.counts().told == study.counts().folded == 1
    assert study.status(pull.name).means == pytest.approx((-1.0, 1.0, -3.0))
    record = next(study.evaluations())
    assert (record.results, record.failure) == ({"quality": -1.0, "loss": 1.0, "speed": -3.0}, "no answer")
    assert any("each counts as the worst result" in words for words in study.verdict().assumptions)
    with pytest.raises(PullAlreadyTold, match="the failure 'no answer'"):
        study.tell(pull, {"quality": 1.0, "loss": 0, "speed": 1.0})
    assert sf.verify(storage).ok


def test_a_config_that_always_fails_is_rejected_once_anything_was_measured() -> None:
    study = study_in(configs=["broken"], thresholds=["ok >= 0.9 : bernoulli"], on_error="worst")
    study.tell(study.ask(), {"ok": 1})
    while (pull := study.ask()) is not None:
        study.fail(pull, "crash")
    assert study.verdict().outcome is sf.Outcome.NONE


def test_failures_alone_decide_nothing(storage: Any) -> None:
    """A program that does not start was a durable NONE after one evaluation, or as many as there are configs."""
    study = study_in(storage, configs=["a", "b"], thresholds=["x <= 5 : normal(1)"], on_error="worst", worst={"x": 100})
    study.fail(study.ask(), "no such library")
    for _ in range(2):
        with pytest.raises(StudyStopped, match="nothing was measured yet, and failures alone would decide it, now of"):
            study.run(lambda config: (_ for _ in ()).throw(RuntimeError("no such library")))
    assert study.outcome is sf.Outcome.UNDECIDED
    study.resume()
    study.tell(study.ask(), {"x": 100.0})
    assert study.outcome is sf.Outcome.NONE
    assert sf.verify(storage).ok


def test_failures_wait_for_their_turn_as_results_do() -> None:
    study = study_in(configs=["one"], thresholds=["ok >= 0.9 : bernoulli"], on_error="worst")
    first, second = study.ask(2)
    study.fail(second, "crash")
    assert (study.counts().told, study.counts().held) == (1, 1)
    study.tell(first, {"ok": 1})
    assert study.status("one").means == (0.5,)


class Breaking(MemoryLog):
    """A log that cannot be written while it is broken: what was decided does not become durable."""

    broken = False

    def extend(self, after: int, decide: Decide) -> None:
        def decided(news: Sequence[Event]) -> Sequence[Event]:
            made = decide(news)
            if self.broken and made:
                raise StorageUnreachable("the disk is gone")
            return made

        super().extend(after, decided)


class BreakingStorage(MemoryStorage):
    def create(self, name: str, first: Event) -> MemoryLog:
        return self._logs.setdefault(name, Breaking(first))


@pytest.mark.parametrize("rule", ["pandora", "murphy"])
def test_a_step_that_does_not_become_durable_was_not_taken(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sees it, the next step is what it would have been, and little of a long log is applied again."""
    monkeypatch.setattr("satisfice.study.snapshots.CHECKPOINT_EVERY_EVENTS", 50)
    study, same = endless(BreakingStorage(), rule=rule), endless(rule=rule)
    log = study._log
    for one in (study, same):
        one.run(results_of, with_pull=True, max_evaluations=400)
    view = study.view()
    applied: list[Event] = []
    apply = StudyState.apply
    monkeypatch.setattr(StudyState, "apply", lambda self, event: (applied.append(event), apply(self, event))[1])
    for _ in range(3):
        log.broken = True
        with pytest.raises(StorageUnreachable):
            study.ask(5)
        log.broken = False
        assert study.view().position == view.position
        assert study.view().statuses == view.statuses
    assert len(applied) <= 3 * (50 + 2)
    for _ in range(20):
        ours, theirs = study.ask(), same.ask()
        assert (ours.number, ours.name) == (theirs.number, theirs.name)
        log.broken = True
        with pytest.raises(StorageUnreachable):
            study.exchange([(ours, results_of(ours))], ask=3)
        log.broken = False
        study.tell(ours, results_of(ours))
        same.tell(theirs, results_of(theirs))
    assert study.statuses() == same.statuses()
    assert [one.kind for one in study.events()] == [one.kind for one in same.events()]
