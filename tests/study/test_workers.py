"""Workers of a study, what they do in an outage, and how a run ends."""

import threading
import time
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import StorageUnreachable, StudyStopped
from satisfice.search.search import Search
from satisfice.study import retry
from satisfice.study.events import Event
from satisfice.study.leases import worker_name
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from satisfice.study.storage.protocol import Decide
from tests.helpers.parts import endless, evaluate, results_of, study_in


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
        log.deaf |= len(evaluated) in (5, 12)  # until the next answer, whoever begins meanwhile
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
    monkeypatch.setattr(Search, "checked", lambda self, *given: (checked.append(given), checks(self, *given))[1])
    study.run(evaluate, max_evaluations=7)
    assert len(checked) == 7
