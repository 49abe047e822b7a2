"""A whole system under one seed: a study, its storage, clocks, workers, a network and programs, in simulated time.

Everything that happens is an action at a time; what happens next depends on the seed alone. Workers have the storage
themselves, or are clients of one or two services, or there are some of both. They crash, are suspended and come back,
and so do the services; their clocks are wrong and are set, the storage fails in many ways, messages come late, twice or
never, evaluations fail or are made twice by mistake, and long ones are long because their result is bad. In some worlds
there are snapshots, from which a process starts that opens the study, and owners who change the policy or allow more
evaluations than there were to be.
After `CALM` no more goes wrong, so that there must be a verdict in the end.
"""

import heapq
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import satisfice as sf
from satisfice.study import durable, snapshots
from satisfice.study.events import Event
from satisfice.study.policy import PolicyChanges
from satisfice.study.study import Study
from tests.whole_system.questions import drawn
from tests.whole_system.service import Client, Service
from tests.whole_system.storage import Connection, KeepingUp, Server, WorldStorage
from tests.whole_system.truth import Disk
from tests.whole_system.workers import NO_LIMIT, Owner, Process, Worker

LEASE = 10.0
CALM = 150.0
"""Seconds after which nothing goes wrong any more."""
LAST = 30_000.0
"""A single slow worker takes nearly an hour for the slowest question; a world with a verdict ends sooner."""


@dataclass
class Ledger:
    """What really happened, by the pull's number and attempt; nobody in the system sees it."""

    drawn: dict[tuple[int, int], list[list[float]]] = field(default_factory=dict)
    acknowledged: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    last_sign: dict[tuple[int, int], float] = field(default_factory=dict)
    taken_too_early: list[tuple[int, int, float]] = field(default_factory=list)
    heard_too_early: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    raised: list[Exception] = field(default_factory=list)


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


class World:
    """One seed, played to its end."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng, self.lease = seed, random.Random(seed), LEASE
        self.now, self.ledger, self.ended = 0.0, Ledger(), False
        self._actions: list[tuple[float, int, Callable[[], None]]] = []
        self._count = self.most_together = self.followed = self.overtaken = 0
        self._freed: set[int] = set()
        self.snapshots: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.server, self.disk = Server(self), Disk()
        self._copied_every = self.rng.choice([(5000, 1000), (5000, 1000), (20, 50), (8, 5)])
        self.keeps_up = self.rng.random() < 0.5
        self.slowness = self.rng.choice([0.2, 0.5, 2.0])
        self.question = drawn(self.rng)
        with patch.object(secrets, "token_hex", lambda size: f"{seed:0{2 * size}x}"):  # all digests depend on it
            sf.create_study(
                **self.question.options(),
                seed=seed,
                storage=WorldStorage(self),
                lease_seconds=LEASE,
                clock=WorkerClock(self),
            )
        self.services = [Service(self) for _ in range(self.rng.choice([0, 0, 0, 1, 2]))]
        kinds = [Client, Client, Client, Client, Worker] if self.services else [Worker]
        self.processes: list[Process] = [self.rng.choice(kinds)(self, n) for n in range(self.rng.randint(1, 6))]
        self.processes += self.services * 2  # so that more happens to them
        owners = self.rng.choice([0, 0, 0, 3]) or int(self.question.max_evaluations is not None)
        self.processes += [Owner(self) for _ in range(owners)]
        for _ in range(self.rng.randint(0, 12)):
            self.after(self.rng.uniform(0, CALM), self._mishap)

    def play(self) -> "World":
        snapshot, checkpoint = self._copied_every
        with (
            patch.object(durable, "SNAPSHOT_EVERY_EVENTS", snapshot),
            patch.object(snapshots, "CHECKPOINT_EVERY_EVENTS", checkpoint),
        ):
            self.pass_time(LAST)
        return self

    def pass_time(self, until: float) -> None:
        """Let happen what happens until then; somebody may wait meanwhile in the middle of a step of his own."""
        while self._actions and self._actions[0][0] < until and not self.ended:
            self.now, _, act = heapq.heappop(self._actions)
            try:
                act()
            except Exception as error:  # nobody else, who may be waiting, is to catch it
                self.ledger.raised.append(error)
                self.ended = True

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._actions, (self.now + seconds, self._count, act))

    def new_clock(self) -> WorkerClock:
        return WorkerClock(self)

    def opened(self, process: Process) -> Study:
        """The study as a process of another machine opens it, of which nobody here sees whether it lives."""
        log = KeepingUp(self, process) if self.keeps_up else Connection(self, process)
        study = Study("study", log, clock=process.clock)
        study._left = "elsewhere"
        return study

    def change_of_mind(self) -> PolicyChanges:
        """What an owner says anew; once nothing goes wrong any more, that there may be any number of evaluations."""
        return self.question.change_of_mind(self.rng) if self.now < CALM else NO_LIMIT

    def happens(self, probability: float) -> bool:
        return 0 < self.now < CALM and self.rng.random() < probability

    def evaluated(self, number: int, attempt: int, name: str) -> tuple[dict[str, float], float]:
        """What an evaluation gives, and after how many seconds: in a world of its own for every attempt."""
        own = random.Random(f"{self.seed} {number} {attempt}")
        found, seconds = self.question.evaluated(name, own)
        self.ledger.drawn[number, attempt] = [list(found.values())]
        return found, seconds * self.slowness

    def evaluated_again(self, number: int, attempt: int, name: str) -> dict[str, float]:
        """What the same evaluation gives where it is made twice by mistake."""
        found, _ = self.question.evaluated(name, random.Random(f"{self.seed} {number} {attempt} again"))
        self.ledger.drawn[number, attempt].append(list(found.values()))
        return found

    def wrote(self, event: Event) -> None:
        """An event is on disk: whoever gets a pull that another one holds must have waited for a lease."""
        content: Any = event.content
        self.disk.wrote(event)
        if event.kind in ("asked", "reissued"):
            number, attempt = content["number"], content.get("attempt", 0)
            self._check_lease(number, attempt - 1)
            self._freed.discard(number)
            self.ledger.last_sign[number, attempt] = self.now
        elif event.kind in ("failed", "released"):
            if content.get("failure") == "lost":
                self._check_lease(content["number"], content["attempt"])
            self._freed.add(content["number"])

    def _check_lease(self, number: int, attempt: int) -> None:
        before = self.ledger.last_sign.get((number, attempt))
        if before is not None and number not in self._freed and self.now - before < 0.99 * LEASE:
            self.ledger.taken_too_early.append((number, attempt, self.now - before))

    def check(self, untrue: Iterable[str]) -> None:
        """Note what is not true of an answer."""
        self.ledger.untrue.extend(untrue)

    def heard(self, outcome: sf.Outcome) -> None:
        """Somebody was told what the verdict is."""
        if outcome is sf.Outcome.UNDECIDED:
            return
        self.ended = True
        if not any(f'"outcome":"{outcome}"' in body for _, kind, body, _ in self.server.rows if kind == "verdict"):
            self.ledger.heard_too_early.append(str(outcome))

    def _mishap(self) -> None:
        process = self.rng.choice(self.processes)
        match self.rng.choice(["crash", "sleep", "clock", "server"]):
            case "crash":
                process.crash()
            case "sleep":
                process.sleep(self.rng.uniform(1, 60))
            case "clock":
                process.clock.offset += self.rng.choice([-3600.0, 600.0, 30.0])
            case "server":
                self.server.down_until = self.now + self.rng.uniform(0.5, 20)
