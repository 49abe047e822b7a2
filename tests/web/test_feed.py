"""One reader of a study: snapshot and deltas say the same, and who comes back loses and doubles nothing."""

import json
import time
from threading import Event, Thread

import pytest

import satisfice as sf
from satisfice.study.study import Study
from satisfice.web import feed as feeds
from satisfice.web.feed import Feed
from tests.helpers.parts import endless, results_of, study_in
from tests.web.following import Followed, followed, read


def same_log(study: Study) -> Study:
    """The study as another process would read it."""
    return Study(study.name, study._log)


def tell(study: Study, number: int) -> None:
    for pull in study.ask(number):
        study.tell(pull, results_of(pull))


def look(feed: Feed, seconds: float = 1.0) -> None:
    with feed._lock:
        feed._look(seconds)


def test_deltas_lead_to_what_a_new_snapshot_says() -> None:
    study = study_in(goal="all")
    feed = Feed(same_log(study), "memory")
    page, serial = followed(feed), feed.snapshot().serial
    for number in (1, 3, 7, 2, 20, 40, 60, 0, 5):
        tell(study, number)
        look(feed)
        for update in feed.after(serial) or []:
            page.apply(read(update))
            serial = update.serial
    fresh = followed(Feed(same_log(study), "memory"))
    assert page.rows == fresh.rows
    assert sum(row[0] for row in page.rows.values()) == study.counts().folded > 20
    kept = page.known["now"]
    assert {key: kept[key] for key in ("evaluations", "seal", "counts", "outcome", "decided")} == {
        key: fresh.known["now"][key] for key in ("evaluations", "seal", "counts", "outcome", "decided")
    }
    assert page.known["position"] == fresh.known["position"] == study.view().position


def test_what_is_not_computed_in_time_comes_later() -> None:
    study = endless(number=12)
    tell(study, 36)
    feed = Feed(same_log(study), "memory")
    look(feed, seconds=0.0)
    page, serial = followed(feed), feed.snapshot().serial
    known = [len(row) > 3 for row in page.rows.values()]
    assert known.count(True) == 1  # one at a time at least
    assert page.known["now"]["computing"] == 11
    for _ in range(11):
        look(feed, seconds=0.0)
    for update in feed.after(serial) or []:
        assert update.position == page.known["position"]  # the log stood still
        page.apply(read(update))
    assert all(len(row) == 3 + 5 * 2 for row in page.rows.values())
    assert page.known["now"]["computing"] == 0


def test_who_comes_back_goes_on_where_it_was() -> None:
    study = endless()
    tell(study, 4)
    feed = Feed(same_log(study), "memory")
    page = followed(feed)
    tell(study, 3)
    look(feed)
    first = (feed.after(0) or [])[-1]
    page.apply(read(first))
    for number in (2, 5):
        tell(study, number)
        look(feed)
    serial = feed.since(first.position, feed.key)
    assert serial is not None
    for update in feed.after(serial) or []:
        page.apply(read(update))
    assert page.rows == followed(feed).rows
    page.apply(read(first))  # an old delta again, and all after it: nothing is doubled
    for update in feed.after(serial) or []:
        page.apply(read(update))
    assert page.rows == followed(feed).rows


def test_another_server_begins_with_a_snapshot() -> None:
    study = endless()
    tell(study, 4)
    old, new = (Feed(same_log(study), "memory") for _ in range(2))
    position = old.snapshot().position
    assert new.snapshot().position == position
    assert new.since(position, old.key) is None
    assert new.since(position + 5, new.key) is None  # a log that is not the one it was


def test_who_is_too_slow_gets_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_UPDATES", 3)
    study = endless()
    feed = Feed(same_log(study), "memory")
    start = feed.snapshot().serial
    for _ in range(3):
        tell(study, 1)
        look(feed)
    assert feed.after(start) is not None
    tell(study, 1)
    look(feed)
    assert feed.after(start) is None


def test_a_storage_out_of_reach_is_said_and_forgotten_again(monkeypatch: pytest.MonkeyPatch) -> None:
    study = endless()
    feed = Feed(same_log(study), "memory")
    page, serial = followed(feed), feed.snapshot().serial

    def broken() -> None:
        raise sf.errors.StorageError("The storage is out of reach.")

    with monkeypatch.context() as now:
        now.setattr(feed._study, "view", broken)
        look(feed)
        look(feed)
    said = feed.after(serial) or []
    assert [read(one)["now"]["trouble"] for one in said] == ["The storage is out of reach."]  # once
    tell(study, 1)
    look(feed)
    for update in feed.after(serial) or []:
        page.apply(read(update))
    assert page.known["now"]["trouble"] == ""
    assert page.known["now"]["evaluations"] == 1


def test_the_thread_follows_and_ends(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "IDLE_SECONDS", 0.0)
    study = endless(sqlite)
    heard: list[int] = []
    feed = Feed(sf.load_study(sqlite), sqlite, tell=lambda: heard.append(1))
    before = feed.snapshot().position
    feed.join()
    tell(study, 3)
    thread = feed._thread
    assert thread is not None
    for _ in range(200):
        if feed._position > before:
            break
        thread.join(0.05)
    assert feed._position > before
    assert heard
    feed.leave()
    thread.join(5.0)
    assert not thread.is_alive()
    feed.close()


@pytest.mark.parametrize("late", ["leaves", "leaves while it is read", "joins", "joins and leaves"])
def test_the_thread_of_a_feed_that_is_closed_ends_whoever_leaves_later(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """Once whoever left then kept it reading for ever, and closing it took 5 seconds, for which all others waited."""
    endless(sqlite).close()
    feed, closing = Feed(sf.load_study(sqlite), "here"), Event()
    monkeypatch.setattr(feed._forecaster, "close", closing.set)
    feed.join()
    thread = feed._thread
    assert thread is not None
    if late == "leaves while it is read":
        look = feed._look
        reads = Event()

        def slowly(seconds: float) -> None:
            reads.set()
            time.sleep(0.5)
            look(seconds)

        monkeypatch.setattr(feed, "_look", slowly)
        assert reads.wait(5)
    closes = Thread(target=feed.close)
    closes.start()
    assert closing.wait(5)
    if late.startswith("joins"):
        feed.join()
    if late != "joins":
        feed.leave()
    closes.join(3)
    assert not closes.is_alive()
    assert not thread.is_alive()


def test_a_snapshot_is_json_without_infinities() -> None:
    study = study_in()
    tell(study, 2)
    text = Feed(same_log(study), "memory").snapshot().text
    assert isinstance(Followed(json.loads(text, parse_constant=pytest.fail)), Followed)


def test_with_many_configs_the_first_snapshot_does_not_wait_for_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "FEW_CONFIGS", 2)
    study = sf.create_study(["a", "b", "c"], ["x <= 1 : normal(1)"], goal="all")
    for pull in study.ask(40):
        study.tell(pull, {"x": 1.0 + 50.0 * (pull.number % 7)})  # not with a standard deviation of 1
    assert study.view().warnings
    feed = Feed(same_log(study), "memory")
    page, serial = followed(feed), feed.snapshot().serial
    assert page.known["now"]["warnings"] == []
    assert page.known["now"]["assumptions"]
    look(feed)  # the log stands still
    for update in feed.after(serial) or []:
        page.apply(read(update))
    assert page.known["now"]["warnings"] == [*study.view().doubts, *study.view().warnings]
    looked = len(feed.after(serial) or [])
    look(feed)
    look(feed)
    assert len(feed.after(serial) or []) == looked  # nothing is new
