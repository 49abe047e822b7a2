"""What a storage of one's own must keep, as a check that anyone can run."""

from collections.abc import Sequence
from itertools import pairwise
from threading import Thread
from typing import Any

from satisfice.errors import StudyExists, UnknownStudy
from satisfice.study.events import BEFORE_ALL, Event, Kind, sealed
from satisfice.study.storage.protocol import (
    Beat,
    EventLog,
    KeepsHeartbeats,
    KeepsIndex,
    KeepsSnapshots,
    KeepsUp,
    Snapshot,
    Storage,
)
from satisfice.testing.noise import fail

WRITERS, STEPS = 4, 25


def check_storage(storage: Storage) -> None:
    """Whether a storage keeps event logs as a study needs them; raises BrokenContract if not.

    The storage must be empty. Checked are both verbs, that appending is all or nothing and takes turns, and what the
    logs can beside that: snapshots, heartbeats, an index, following. That what was appended survives a crash is for a
    test that crashes.
    """
    first = sealed(BEFORE_ALL, 1, Kind.CREATED, {"identity": "aaaaaaaaaaaa", "at": 5.0, "spec": {"text": "ü\n'\""}})
    log = storage.create("one", first)
    _expect(list(log.read(0)) == [first], log, "read must give back what create was given")
    _check_names(storage)
    _check_appending(log, first)
    _check_failing(log)
    _check_turns(storage, log)
    if isinstance(log, KeepsUp):
        _check_following(log, list(log.read(0)))
    if isinstance(log, KeepsIndex):
        _check_index(log, list(log.read(0)))
    if isinstance(log, KeepsSnapshots):
        _check_snapshots(log)
    if isinstance(log, KeepsHeartbeats):
        _check_heartbeats(log)
    again = storage.open("one")
    _expect(list(again.read(0)) == list(log.read(0)), log, "another handle must see the same events")
    log.close()


def _check_names(storage: Storage) -> None:
    for name, expected in (("one", StudyExists), ("none", UnknownStudy)):
        try:
            _ = storage.create(name, _next(None)) if expected is StudyExists else storage.open(name)
        except expected:
            continue
        fail(storage, f"{expected.__name__} must be raised for the name {name!r}")
    found = [(one.name, one.identity, one.created_at, one.events) for one in storage.studies()]
    _expect(found == [("one", "aaaaaaaaaaaa", 5.0, 1)], storage, f"studies must list the one study, got {found}")


def _check_appending(log: EventLog, first: Event) -> None:
    made: list[Event] = []

    def decide(news: Sequence[Event]) -> Sequence[Event]:
        _expect(list(news) == [first], log, "decide must be given the events after the position")
        made.extend(_chain(first, 3))
        return made

    log.extend(0, decide)
    _expect(list(log.read(1)) == made, log, "read must give the events after a position, in order")
    log.extend(4, lambda news: [])
    _expect(len(list(log.read(0))) == 4, log, "nothing must be appended where decide returns nothing")


def _check_failing(log: EventLog) -> None:
    before = list(log.read(0))

    def breaks(news: Sequence[Event]) -> Sequence[Event]:
        raise KeyError("on purpose")

    try:
        log.extend(0, breaks)
    except KeyError:
        _expect(list(log.read(0)) == before, log, "nothing must be appended where decide raises")
        return
    fail(log, "what decide raises must come through")


def _check_turns(storage: Storage, log: EventLog) -> None:
    """Several writers at a time: every event is there once, and each was appended to what came right before it."""

    def write(own: EventLog) -> None:
        for _ in range(STEPS):
            own.extend(0, lambda news: [_next(news[-1])])

    before = len(list(log.read(0)))
    writers = [Thread(target=write, args=(storage.open("one"),)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    events = list(log.read(0))
    _expect(len(events) == before + WRITERS * STEPS, log, f"{WRITERS * STEPS} appends must leave as many events")
    for earlier, later in pairwise(events):
        _expect(later == _next(earlier), log, "writers must take turns: an append must follow what decide was given")


def _check_following(log: KeepsUp, events: Sequence[Event]) -> None:
    seen: list[Event] = []

    def decide(news: Sequence[Event]) -> Sequence[Event]:
        seen.extend(news)
        return []

    log.extend_following(1, seen.extend, decide)
    _expect(seen == list(events[1:]), log, "what is followed and what decide is given must be all news, in order")


def _check_index(log: KeepsIndex, events: Sequence[Event]) -> None:
    _expect(log.head() == (len(events), events[-1].digest), log, "head must be that of the last event")
    _expect(list(log.about(1)) == [events[2]], log, "about must give the events of a number")
    _expect(list(log.about(-1)) == [], log, "about must give nothing for a number without events")


def _check_snapshots(log: KeepsSnapshots) -> None:
    _expect(log.snapshot() is None, log, "there must be no snapshot before the first")
    for position in (2, 5):
        log.keep(Snapshot(position, "digest", "version", b"\x00data" * position))
    kept = log.snapshot()
    _expect(kept == Snapshot(5, "digest", "version", b"\x00data" * 5), log, "snapshot must be the latest")


def _check_heartbeats(log: KeepsHeartbeats) -> None:
    log.beat({1: Beat(0, 10.5), 2: Beat(3, 11.5)})
    log.beat({1: Beat(1, 12.5)})
    _expect(log.beats() == {1: Beat(1, 12.5), 2: Beat(3, 11.5)}, log, "beats must be the latest by number")
    log.forget_beats([1, 7])
    _expect(log.beats() == {2: Beat(3, 11.5)}, log, "forget_beats must remove those of the numbers given")


def _chain(first: Event, length: int) -> list[Event]:
    events = [first]
    while len(events) <= length:
        events.append(_next(events[-1]))
    return events[1:]


def _next(previous: Event | None) -> Event:
    if previous is None:
        return sealed(BEFORE_ALL, 1, Kind.CREATED, {"identity": "bbbbbbbbbbbb", "at": 6.0})
    content = {"number": previous.position - 1, "at": 0.1}
    return sealed(previous.digest, previous.position + 1, Kind.ASKED, content)


def _expect(kept: bool, log: Any, promise: str) -> None:
    if not kept:
        fail(log, promise)
