"""Turns: who waits for one reads meanwhile what others record, and nobody waits for long."""

import threading
import time
import types
from collections.abc import Sequence
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import DamagedLog, StorageError
from satisfice.study import durable
from satisfice.study.events import Event
from satisfice.study.storage.protocol import KeepsUp, open_storage
from satisfice.study.storage.sql_pipeline import Answer, Carries, Wanted, in_one_trip
from satisfice.study.storage.sql_turns import PostgresTurns, SQLiteTurns


def endless(storage: str, **more: object) -> sf.Study:
    return sf.create_study(["a", "b"], ["x >= 1 : normal(1)"], error_rate=1e-9, storage=storage, **more)


def one_more(study: sf.Study, pulls: list[sf.Pull]) -> list[sf.Pull]:
    return study.exchange([(pull, {"x": 1.0}) for pull in pulls], ask=1)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def test_who_waits_for_a_turn_has_read_what_came_before_it(database: str) -> None:
    """Before, everything that others had recorded was read and applied in the turn, for which all others waited."""
    study = endless(database)
    first, second = (open_storage(database).open(study.name) for _ in range(2))
    assert isinstance(first, KeepsUp)
    study.ask(10)
    second.extend_following(1, lambda news: None, lambda news: [])  # many news: from now on it stands in line
    study.ask(6)
    holding, waiting, followed, left = threading.Event(), threading.Event(), [], []

    def hold(news: Sequence[Event]) -> Sequence[Event]:
        holding.set()
        assert waiting.wait(30)
        return []

    def follow(news: Sequence[Event]) -> None:
        followed.extend(event.position for event in news)
        waiting.set()

    def decide(news: Sequence[Event]) -> Sequence[Event]:
        left.extend(event.position for event in news)
        return []

    threads = [threading.Thread(target=first.extend, args=(17, hold))]
    threads[0].start()
    assert holding.wait(30)
    threads.append(threading.Thread(target=second.extend_following, args=(11, follow, decide)))
    threads[1].start()
    for thread in threads:
        thread.join(30)
    assert (followed, left) == (list(range(12, 18)), [])


def test_who_waits_reads_no_more_than_there_is(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, everything after the last event was asked for at every look whether the file is free."""
    study, other = endless(sqlite), sf.load_study(sqlite)
    holding, reads, after = threading.Event(), [], SQLiteTurns._after

    def hold(news: Sequence[Event]) -> Sequence[Event]:
        holding.set()
        time.sleep(0.3)
        return []

    def read(self: SQLiteTurns, driver: Any, position: int) -> Any:
        found = after(self, driver, position)
        reads.append(len(found))
        return found

    other.view()
    study.ask(6)
    thread = threading.Thread(target=study._log.extend, args=(7, hold))
    thread.start()
    assert holding.wait(30)
    monkeypatch.setattr(SQLiteTurns, "_after", read)
    other.ask()
    thread.join(30)
    assert reads == [6, 0, 0]  # what there is, that there is no more, and the same in its turn


def test_nothing_is_recorded_where_following_fails(database: str) -> None:
    study, other = endless(database), sf.load_study(database)
    other.ask(10)
    pull = other.ask()

    def refuse(news: Sequence[Event]) -> Sequence[Event]:
        raise RuntimeError("not now")

    for _ in range(2):  # the second time it stands in line
        with pytest.raises(RuntimeError, match="not now"):
            study._log.extend_following(1, refuse, refuse)

    def stand_in_line() -> None:
        for _ in range(2):
            other._log.extend_following(1, lambda news: None, lambda news: [])

    thread = threading.Thread(target=stand_in_line, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()  # who failed has left the line
    other.tell(pull, {"x": 1.0})
    assert study.counts().told == 1
    assert sf.verify(database).ok


def test_nobody_waits_for_long_while_another_takes_turn_after_turn(sqlite: str) -> None:
    """Before, SQLite let one sleep for a tenth of a second at a time while others came and went: seconds in a crowd."""
    study, busy = endless(sqlite), sf.load_study(sqlite)
    over, pulls = threading.Event(), []

    def take_turns() -> None:
        mine: list[sf.Pull] = []
        while not over.is_set():
            mine = one_more(busy, mine)

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        longest = 0.0
        for _ in range(20):
            start = time.monotonic()
            pulls = one_more(study, pulls)
            longest = max(longest, time.monotonic() - start)
    finally:
        over.set()
        thread.join()
    assert longest < 10.0
    assert sf.verify(sqlite).ok


def test_one_process_takes_a_snapshot_for_all(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, each process vouched for one of its own when the events of others took it past the same place."""
    monkeypatch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 20)
    study, other = endless(database), sf.load_study(database)
    other.view()
    study.ask(30)
    other.ask()
    assert [event.kind for event in study._log.read(0)].count("snapshot") == 1


def test_a_head_that_was_moved_is_noticed_and_nothing_is_recorded(database: str) -> None:
    study = endless(database)
    study.ask(3)
    with study._log._turn(writing=True) as connection:
        connection.exec_driver_sql("UPDATE satisfice_studies SET head_position = 3")
    with pytest.raises(DamagedLog, match="ends at event 4 and should not"):
        study.ask()
    assert len(list(study._log.read(0))) == 4


def test_texts_come_back_as_they_were_given(database: str) -> None:
    study = sf.create_study(["a"], ["x >= 1 : normal(1)"], storage=database, on_error="retry", retries=9)
    reasons = ['say "no"', "back\\slash \\", "{a,b}", "NULL", "", "ü 🙂 \n\t'", "\\\"'$1"]
    study.tell(study.ask() or "", {"x": 1.0})
    for reason in reasons:
        study.fail(study.ask() or "", reason)
    found = [event.content["reason"] for event in sf.load_study(database)._log.read(0) if event.kind == "failed"]
    assert found == reasons
    assert sf.verify(database).ok


def test_old_libraries_need_a_round_trip_for_each_statement(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg  # noqa: PLC0415 - there only with PostgreSQL

    study, other = endless(postgres), sf.load_study(postgres)
    monkeypatch.setattr(psycopg.Pipeline, "is_supported", lambda: False)
    pulls = study.ask(12)
    mine = [one_more(other, []) for _ in range(2)][1]  # the second time it stands in line
    study.exchange([(pull, {"x": 1.0}) for pull in pulls])
    one_more(other, mine)
    assert sf.verify(postgres).ok


def with_cursors(driver: Any, /, *wanted: Wanted, commit: bool = False) -> list[Answer]:
    """What `in_one_trip` does, in the words of psycopg."""
    from psycopg import RawCursor  # noqa: PLC0415 - there only with PostgreSQL

    found = []
    for (_, sql), arguments in wanted:
        done = RawCursor(driver).execute(sql, [list(one) if isinstance(one, tuple) else one for one in arguments])
        rows = done.fetchall() if done.description else []
        found.append(
            Answer([tuple(None if one is None else str(one) for one in row) for row in rows], max(done.rowcount, 0))
        )
    if commit:
        driver.commit()
    return found


def test_a_round_trip_for_many_statements_does_what_one_for_each_does(postgres: str) -> None:
    def recorded(name: str, *carried_by: Carries) -> list[tuple[str, dict[str, object]]]:
        seconds, clock = iter(range(10**6)), types.SimpleNamespace(monotonic=lambda: 0.0)
        clock.time = lambda: float(next(seconds))
        limits = ["x >= 1 : normal(1)"]
        first = sf.create_study(["a", "b"], limits, error_rate=1e-9, storage=postgres, name=name, clock=clock)
        workers = [first, *(sf.load_study(postgres, name, clock=clock) for _ in carried_by[1:])]
        for worker, carries in zip(workers, carried_by, strict=True):
            worker._log._turns = PostgresTurns(worker._log._study, carries)
        mine: list[list[sf.Pull]] = [[] for _ in workers]
        for step in range(12):
            for place, worker in enumerate(workers):
                told = [(pull, {"x": float(pull.number % 3)}) for pull in mine[place]]
                mine[place] = worker.exchange(told, ask=1 + 5 * (step % 2), worker=f'{place} "{{\\ü')
        assert sf.verify(postgres, name).ok
        own = [(one.kind, one.content) for one in first._log.read(1)]
        return [(kind, {key: value for key, value in content.items() if key != "sha256"}) for kind, content in own]

    one_trip = recorded("one", in_one_trip, in_one_trip)
    assert one_trip == recorded("cursors", with_cursors, with_cursors) == recorded("both", in_one_trip, with_cursors)
    assert len(one_trip) > 100


def test_a_statement_that_fails_is_a_sentence_and_the_study_goes_on(postgres: str) -> None:
    study = endless(postgres)
    with study._log._turn(writing=True) as connection:
        connection.exec_driver_sql("ALTER TABLE satisfice_events RENAME TO elsewhere")
    with pytest.raises(StorageError, match="satisfice_events"):
        study.ask()
    with study._log._turn(writing=True) as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO satisfice_events")
    assert study.ask() is not None
    assert sf.verify(postgres).ok
