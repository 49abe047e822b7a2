"""A whole system under one seed: a study, its storage, clocks, workers, a network and programs, in simulated time.

Everything that happens is an action at a time; what happens next depends on the seed alone. Workers crash, are
suspended and come back, their clocks are wrong and are set, the storage is out of reach, refuses to write, or writes
and loses the answer, messages come twice, evaluations fail, and long ones are long because their result is large. After
`CALM` no more goes wrong, so that there must be a verdict in the end.
"""

import heapq
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import satisfice as sf
from satisfice.errors import PullAlreadyTold, PullReissued, StorageError, StorageUnreachable
from satisfice.study.events import Event, stored
from satisfice.study.storage.protocol import Beat, Decide, StudySummary, summary_of
from satisfice.study.study import Study

MEANS = {"bad": 6.0, "good": 4.0}
THRESHOLD = "seconds <= 5 ~ 0.5 : normal(1)"
LEASE = 10.0
CALM = 150.0
"""Seconds after which nothing goes wrong any more."""
LAST = 3000.0


@dataclass
class Ledger:
    """What really happened, by the pull's number and attempt; nobody in the system sees it."""

    drawn: dict[tuple[int, int], float] = field(default_factory=dict)
    acknowledged: dict[tuple[int, int], float] = field(default_factory=dict)
    last_sign: dict[tuple[int, int], float] = field(default_factory=dict)
    taken_too_early: list[tuple[int, int, float]] = field(default_factory=list)


class WorkerClock:
    """A clock that is wrong, and that somebody sets; what is elapsed only goes a little too fast or too slow."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.offset = world.rng.choice([0.0, 0.0, 600.0, -600.0, world.rng.uniform(-5, 5)])
        self._rate = world.rng.uniform(0.999, 1.001)

    def time(self) -> float:
        return 1e9 + self._world.now + self.offset

    def monotonic(self) -> float:
        return 77.0 + self._rate * self._world.now


class Server:
    """Rows that are on disk, and signs of life; what a connection may do to it is decided by the world."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.rows: list[tuple[int, str, str, str]] = []
        self.noted: dict[int, Beat] = {}
        self.down_until = 0.0

    def check_reachable(self) -> None:
        if self._world.now < self.down_until or self._world.happens(0.02):
            raise StorageUnreachable("The server does not answer.")


class Connection:
    """The log of the study as one worker reaches it."""

    def __init__(self, world: "World") -> None:
        self._world, self._server = world, world.server

    def read(self, after: int) -> Iterator[Event]:
        self._server.check_reachable()
        return iter([stored(*row) for row in self._server.rows[after:]])

    def extend(self, after: int, decide: Decide) -> None:
        self._server.check_reachable()
        made = decide([stored(*row) for row in self._server.rows[after:]])
        if self._world.happens(0.02):
            raise StorageError("The disk is full.")
        if self._world.happens(0.02):
            raise StorageUnreachable("The connection was lost before it was written.")
        for event in made:
            self._server.rows.append((event.position, event.kind, event.body, event.digest))
            self._world.wrote(event)
        if self._world.happens(0.02):
            raise StorageUnreachable("It was written, and the connection was lost before that was said.")

    def beat(self, beats: Mapping[int, Beat]) -> None:
        self._server.check_reachable()
        self._server.noted.update(beats)
        for number, beat in beats.items():
            self._world.ledger.last_sign[number, beat.attempt] = self._world.now

    def beats(self) -> dict[int, Beat]:
        self._server.check_reachable()
        return dict(self._server.noted)

    def forget_beats(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._server.noted.pop(number, None)

    def close(self) -> None:
        """Nothing to close."""


class WorldStorage:
    """The server as a storage with one study."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def create(self, name: str, first: Event) -> Connection:
        self._world.server.rows.append((first.position, first.kind, first.body, first.digest))
        return Connection(self._world)

    def open(self, name: str) -> Connection:
        return Connection(self._world)

    def studies(self) -> tuple[StudySummary, ...]:
        return (summary_of("study", [stored(*row) for row in self._world.server.rows]),)

    def close(self) -> None:
        """Nothing to close."""


class Worker:
    """Asks, evaluates, says that it lives, and tells; whatever it does not hear back, it does again."""

    def __init__(self, world: "World", number: int) -> None:
        self._world, self._label = world, f"worker {number}"
        self._life = 0
        self._asleep_until = 0.0
        self.clock = WorkerClock(world)
        self.start()

    def start(self) -> None:
        self._life += 1
        self._study: Study | None = None
        self._holding: sf.Pull | None = None
        self._soon(0.1, self._ask)

    def crash(self) -> None:
        self._life += 1  # nothing that it had in mind happens
        self._world.after(self._world.rng.uniform(0.1, 20), self.start)

    def sleep(self, seconds: float) -> None:
        self._asleep_until = self._world.now + seconds

    def _soon(self, seconds: float, act: Callable[[], None]) -> None:
        life = self._life

        def awake() -> None:
            if life != self._life:
                return
            if self._world.now < self._asleep_until:
                self._world.after(self._asleep_until - self._world.now, awake)
            else:
                act()

        self._world.after(seconds, awake)

    def _ask(self) -> None:
        try:
            if self._study is None:
                self._study = Study("study", Connection(self._world), clock=self.clock, lease=LEASE)
            pull = self._study.ask(worker=self._label)
        except StorageError:
            self._soon(self._world.rng.uniform(0.1, 3), self._ask)
            return
        if pull is None:
            self._world.saw_the_end(self._study)
            return
        self._holding = pull
        key = (pull.number, pull.attempt)
        value = self._world.ledger.drawn[key] = self._world.draw(pull)
        self._soon(LEASE / 3, lambda: self._beat(pull))
        done = self._fail if self._world.happens(0.05) else self._tell
        self._soon(max(0.1, value * self._world.slowness), lambda: done(pull, value))

    def _beat(self, pull: sf.Pull) -> None:
        if self._holding is not pull or self._study is None:
            return
        with suppress(StorageError, PullReissued, PullAlreadyTold):
            self._study.heartbeat(pull)
        self._soon(LEASE / 3, lambda: self._beat(pull))

    def _tell(self, pull: sf.Pull, value: float) -> None:
        assert self._study is not None
        try:
            for _ in range(2 if self._world.happens(0.1) else 1):
                self._study.tell(pull, {"seconds": value})
        except StorageError:
            self._soon(self._world.rng.uniform(0.1, 3), lambda: self._tell(pull, value))
            return
        except (PullReissued, PullAlreadyTold):
            pass  # it was too slow
        else:
            self._world.ledger.acknowledged[pull.number, pull.attempt] = value
        self._holding = None
        self._soon(0.05, self._ask)

    def _fail(self, pull: sf.Pull, value: float) -> None:
        assert self._study is not None
        try:
            self._study.fail(pull, "no luck")
        except StorageError:
            self._soon(self._world.rng.uniform(0.1, 3), lambda: self._fail(pull, value))
            return
        except (PullReissued, PullAlreadyTold):
            pass
        self._holding = None
        self._soon(0.05, self._ask)


class World:
    """One seed, played to its end."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng = seed, random.Random(seed)
        self.now, self.ledger, self.ended = 0.0, Ledger(), False
        self._actions: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._freed: set[int] = set()
        self.server = Server(self)
        self.slowness = self.rng.choice([0.2, 1.0, 4.0])
        sf.create_study(
            list(MEANS),
            [THRESHOLD],
            error_rate=0.1,
            stopping="evidence",  # of which `history` knows the formulas
            seed=seed,
            storage=WorldStorage(self),
            on_error="retry",
            retries=1000,
            lease_seconds=LEASE,
            clock=WorkerClock(self),
        )
        self.workers = [Worker(self, number) for number in range(self.rng.randint(1, 6))]
        for _ in range(self.rng.randint(0, 12)):
            self.after(self.rng.uniform(0, CALM), self._mishap)

    def play(self) -> "World":
        while self._actions and not self.ended and self.now < LAST:
            self.now, _, act = heapq.heappop(self._actions)
            act()
        return self

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._actions, (self.now + seconds, self._count, act))

    def happens(self, probability: float) -> bool:
        return 0 < self.now < CALM and self.rng.random() < probability

    def draw(self, pull: sf.Pull) -> float:
        """What an evaluation gives: in a world of its own for every attempt."""
        own = random.Random(f"{self.seed} {pull.number} {pull.attempt}")
        return own.gauss(MEANS[pull.name], 1.0)

    def wrote(self, event: Event) -> None:
        """An event is on disk: whoever gets a pull that another one holds must have waited for a lease."""
        content: Any = event.content
        if event.kind in ("asked", "reissued"):
            number, attempt = content["number"], content.get("attempt", 0)
            before = self.ledger.last_sign.get((number, attempt - 1))
            if before is not None and number not in self._freed and self.now - before < 0.99 * LEASE:
                self.ledger.taken_too_early.append((number, attempt, self.now - before))
            self._freed.discard(number)
            self.ledger.last_sign[number, attempt] = self.now
        elif event.kind in ("failed", "released"):
            self._freed.add(content["number"])

    def saw_the_end(self, study: Study) -> None:
        self.ended = study.outcome is not sf.Outcome.UNDECIDED

    def _mishap(self) -> None:
        worker = self.rng.choice(self.workers)
        match self.rng.choice(["crash", "sleep", "clock", "server"]):
            case "crash":
                worker.crash()
            case "sleep":
                worker.sleep(self.rng.uniform(1, 60))
            case "clock":
                worker.clock.offset += self.rng.choice([-3600.0, 600.0, 30.0])
            case "server":
                self.server.down_until = self.now + self.rng.uniform(0.5, 20)
