"""Snapshots: the same state as a replay, bit for bit, and never more than a convenience."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import StorageError
from satisfice.study import durable, snapshots
from satisfice.study.events import Event
from satisfice.study.state import StudyState, arrays_of
from satisfice.study.study import Study
from satisfice.study.transaction import Transaction
from tests.helpers.parts import Clock, endless, results_of


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 20)


def busy(study: Study, steps: int, clock: Clock, seed: int = 0) -> None:
    """Ask, tell out of order, fail, release and lose pulls, so that the state has everything in it."""
    rng = np.random.default_rng(seed)
    waiting: list[sf.Pull] = []
    for step in range(steps):
        clock.now += 1.0
        waiting += study.ask(2)
        for _ in range(2 if len(waiting) > 10 else 1):
            pull = waiting.pop(int(rng.integers(len(waiting))))
            if step % 7 == 3:
                study.fail(pull, "now and then")
            elif step % 11 == 5:
                study.release(pull)
            else:
                study.tell(pull, results_of(pull))


def states(study: Study) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The state as it was loaded, and the state of a replay from the first event."""
    replay = StudyState(study.spec)
    for event in study.events():
        replay.apply(event)
    return (
        {key: value.tobytes() for key, value in arrays_of(study._durable.current()).items()},
        {key: value.tobytes() for key, value in arrays_of(replay).items()},
    )


@pytest.mark.parametrize("rule", ["pandora", "murphy", "multitucb", "multilucb"])
@pytest.mark.parametrize(("count", "stopping"), [(3, "evidence"), (80, "evidence"), (4, "transfer")])
def test_a_snapshot_is_the_state_of_a_replay(rule: str, count: int, stopping: str, sqlite: str) -> None:
    clock = Clock()
    study = endless(sqlite, count, rule, stopping=stopping, clock=clock)
    busy(study, 60, clock)
    opened = sf.load_study(sqlite, clock=clock)
    kept = opened._log.snapshot()
    assert kept is not None
    assert kept.position > 100
    loaded, replayed = states(opened)
    assert loaded == replayed
    assert sf.verify(sqlite).ok


def test_one_snapshot_is_kept_and_it_is_used(sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    study = endless(sqlite, clock=clock)
    busy(study, 40, clock)
    base = sqlite3.connect(tmp_path / "study.db")
    assert base.execute("SELECT count(*) FROM satisfice_snapshots").fetchone() == (1,)
    base.close()
    applied = []
    apply = StudyState.apply
    monkeypatch.setattr(StudyState, "apply", lambda self, event: (applied.append(event), apply(self, event))[1])
    assert sf.load_study(sqlite).verdict() == study.verdict()
    assert len(applied) < 20 + 5


@pytest.mark.parametrize("spoil", ["version = 'old'", "digest = 'wrong'", "position = position - 1"])
def test_a_snapshot_that_does_not_fit_is_not_used(spoil: str, sqlite: str, tmp_path: Path) -> None:
    clock = Clock()
    study = endless(sqlite, clock=clock)
    busy(study, 40, clock)
    base = sqlite3.connect(tmp_path / "study.db")
    with base:
        base.execute(f"UPDATE satisfice_snapshots SET {spoil}")
    base.close()
    assert sf.load_study(sqlite).verdict() == study.verdict()


def test_a_snapshot_of_another_state_fails_the_verification(sqlite: str, tmp_path: Path) -> None:
    clock = Clock()
    study = endless(sqlite, clock=clock)
    busy(study, 40, clock)
    kept = study._log.snapshot()
    assert kept is not None
    replay = snapshots.restored(study.spec, kept)
    replay.search.fold(2, (100.0, 0.0))
    forged = snapshots.taken(replay)
    base = sqlite3.connect(tmp_path / "study.db")
    with base:
        base.execute("UPDATE satisfice_snapshots SET data = ?", (forged.data,))
    base.close()
    report = sf.verify(sqlite)
    assert not report.ok
    assert "snapshot" in report.problems[0]


def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of the events that are applied from now on."""
    applied = list[int]()

    def apply(state: StudyState, event: Event, then: Callable[[StudyState, Event], None] = StudyState.apply) -> None:
        applied.append(event.position)
        then(state, event)

    monkeypatch.setattr(StudyState, "apply", apply)
    return applied


def test_after_a_step_that_breaks_off_little_of_the_log_is_read_again(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is taken from a copy that follows it, however long the study is; and it is the one of the log."""
    monkeypatch.setattr(snapshots, "CHECKPOINT_EVERY_EVENTS", 40)
    clock = Clock()
    study = endless(sqlite, clock=clock)
    busy(study, 60, clock)

    def break_off(*given: Any, issue: Callable[..., Any] = Transaction.issue) -> None:
        issue(*given)
        raise StorageError("the disk is full")

    applied = noted(monkeypatch)
    study.ask(3)
    position = study.view().position
    with monkeypatch.context() as broken:
        broken.setattr(Transaction, "issue", break_off)
        with pytest.raises(StorageError, match="the disk is full"):
            study.ask()
    applied.clear()
    found = study.view()
    assert found.position == position > 3 * snapshots.CHECKPOINT_EVERY_EVENTS
    assert applied == list(range(position - len(applied) + 1, position + 1))
    assert 0 < len(applied) <= snapshots.CHECKPOINT_EVERY_EVENTS
    loaded, replayed = states(study)
    assert loaded == replayed


def test_after_a_read_that_fails_nothing_is_read_again(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a state to which nothing had been done was thrown away whenever the storage was out of reach."""
    clock = Clock()
    study, other = endless(sqlite, clock=clock), sf.load_study(sqlite)
    busy(study, 60, clock)
    position = study.view().position
    other.ask(2)
    end = other.view().position

    def lost_after_one(after: int) -> Iterator[Event]:
        yield from other.events(after + 1, after=after)
        raise StorageError("out of reach")

    applied = noted(monkeypatch)
    for _ in range(2):
        with monkeypatch.context() as broken:
            broken.setattr(study._log, "read", lost_after_one)
            with pytest.raises(StorageError, match="out of reach"):
                study.view()
    study.view()
    assert applied == list(range(position + 1, end + 1))
    loaded, replayed = states(study)
    assert loaded == replayed
