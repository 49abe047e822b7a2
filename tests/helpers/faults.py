"""A small study in which calls fail: it is told everything as often as it takes, and then judged.

Judged by a process of its own: python -m tests.helpers.faults FILE; the file has a list of [url, name, told].
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import satisfice as sf
from satisfice.errors import SatisficeError, StorageError
from satisfice.study import durable, snapshots
from satisfice.study.events import Event
from satisfice.study.storage.sql import SQLStorage
from satisfice.study.study import Study
from tests.helpers.parts import Clock

T = TypeVar("T")
LEASE = 60.0
TRIES = 20
SPEC: dict[str, Any] = {
    "configs": ["slow", "good"],
    "thresholds": ["speed >= 0 : normal(1)"],
    "error_rate": 0.1,
    "on_error": "retry",
    "lease_seconds": LEASE,
}
VERDICT = ("FOUND", "good", 12)
CALLS = ("connect", "do_execute", "do_executemany", "do_execute_no_params", "do_commit", "do_rollback")
"""What SQLAlchemy does to a database, in its own words."""


class Faults:
    """Fails the `first`-th call that is counted, and the next ones up to `length`; `after`: once they took effect."""

    def __init__(self, first: int = 0, length: int = 1, *, after: bool = False, error: Any = MemoryError) -> None:
        self.first, self.length, self.after, self._error = first, length, after, error
        self.counted = self.struck = 0
        self._paused = False

    def call(self, do: Callable[..., T], *given: Any, **named: Any) -> T:
        if self._paused:
            return do(*given, **named)
        self.counted += 1
        if not 0 < self.first <= self.counted < self.first + self.length:
            return do(*given, **named)
        self.struck += 1
        if self.after:
            made: Any = do(*given, **named)
            if hasattr(made, "close"):
                made.close()  # a connection that nobody heard of
        raise self._error(*given)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def in_engine(self, make: Callable[..., Any], url: Any, **named: Any) -> Any:
        """An engine whose calls are counted."""
        engine = make(url, **named)
        for name in CALLS:
            setattr(engine.dialect, name, partial(self.call, getattr(engine.dialect, name)))
        return engine

    def in_function(self, whole: Callable[..., T]) -> Callable[..., T]:
        """A function, or a method, whose calls are counted."""

        def counted(*given: Any, **named: Any) -> T:
            return self.call(whole, *given, **named)

        return counted


def results_of(pull: sf.Pull) -> dict[str, float]:
    """Fixed by the pull's number and config, whoever evaluates it and how often."""
    mean = 1.0 if pull.name == "good" else -1.0
    return {"speed": float(np.random.default_rng([1, pull.number]).normal(mean, 1.0))}


def copy_often(patch: Any) -> None:
    """Let a small study have snapshots and checkpoints, too."""
    patch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 9)
    patch.setattr(snapshots, "CHECKPOINT_EVERY_EVENTS", 5)


class Driver:
    """Takes the small study to its verdict, and does again whatever failed; `told` is what was acknowledged.

    With `reopens`, another study object goes on after a fault. `look` is called after each fault, and `note` with
    what was acknowledged.
    """

    def __init__(self, url: str, name: str, *, reopens: bool = False, now: float = 1000.0) -> None:
        self.url, self.name, self._reopens = url, name, reopens
        self._clock = Clock(now)
        self._study: Study | None = None
        self._holding: int | None = None
        self.asked: set[int] = set()
        self.told: dict[int, float] = {}
        self.look: Callable[[Driver], None] = lambda driver: None
        self.note: Callable[[int, float], None] = lambda number, value: None

    def play(self) -> "Driver":
        self._again(lambda study: study.change_policy(retries=5))
        while (pull := self._again(lambda study: study.ask())) is not None:
            self.asked.add(pull.number)
            self._holding = pull.number
            self._settle(pull)
            self._holding = None
        found = self._again(lambda study: study.verdict())
        assert (str(found.outcome), found.arm, found.evaluations) == VERDICT, found
        self._again(lambda study: study.close())
        return self

    def _settle(self, pull: sf.Pull) -> None:
        if pull.number == 2:
            self._again(lambda study: study.heartbeat(pull))
        if pull.number == 3 and pull.attempt == 0:
            self._again(lambda study: study.fail(pull, "now and then one fails"))
        elif pull.number == 5 and pull.attempt == 0:
            self._again(lambda study: study.release(pull))
        else:
            results = results_of(pull)
            self._again(lambda study: study.tell(pull, results))
            self.told[pull.number] = results["speed"]
            self.note(pull.number, results["speed"])

    def _again(self, act: Callable[[Study], T]) -> T:
        for _ in range(TRIES):
            try:
                return act(self._opened())
            except (StorageError, MemoryError):
                self._clock.now += LEASE + 1  # what was given out and not heard of is lost by then
                self.look(self)
                if self._reopens:
                    self._study = None
        raise AssertionError(f"failed {TRIES} times")

    def _opened(self) -> Study:
        if self._study is None:
            study = sf.create_study(**SPEC, storage=self.url, name=self.name, load_if_exists=True, clock=self._clock)
            lost = [one.pull for one in study.outstanding() if one.worker and one.pull.number != self._holding]
            if lost:  # given out to this process, which did not hear of it
                study.release(*lost)
            self._study = study
        return self._study


def events_in(url: str, name: str) -> list[Event]:
    """What is in a log, whoever writes it; nothing where there is none."""
    try:
        storage = SQLStorage(url, create=False)
        log = storage.open(name)
    except SatisficeError:
        return []
    try:
        return list(log.read(0))
    finally:
        log.close()


def problems_of(url: str, name: str, told: dict[int, float]) -> list[str]:
    """What is wrong with a study that has come to its end, of which all this was acknowledged."""
    problems = list(sf.verify(url, name).problems)
    with sf.load_study(url, name) as study:
        kept = [(one.number, one.results["speed"]) for one in study.evaluations() if one.failure is None]
        found = study.verdict()
        if (str(found.outcome), found.arm, found.evaluations) != VERDICT:
            problems.append(f"the verdict is {found}")
        expected = {one.number: results_of(_pull_of(study, one))["speed"] for one in study.evaluations()}
    if len(dict(kept)) != len(kept):
        problems.append("a pull counts twice")
    if any(dict(kept).get(number) != value for number, value in told.items()):
        problems.append("what was acknowledged is not there")
    if any(expected[number] != value for number, value in kept):
        problems.append("there is a result that nobody told")
    return problems


def _pull_of(study: Study, one: Any) -> sf.Pull:
    return sf.Pull(study.identity, one.number, 0, 0, one.config, {})


if __name__ == "__main__":
    studies = json.loads(Path(sys.argv[1]).read_text())
    judged = [(n, problems_of(u, n, {int(number): value for number, value in t.items()})) for u, n, t in studies]
    print(json.dumps([one for one in judged if one[1]]))
