"""The storage of a world: what is on disk, and the log of the study as each process reaches it.

It is out of reach, refuses to write, writes and loses the answer, or breaks off in the middle of what is taken in; and
whoever reaches it may die in the middle of a transaction. In half of the worlds one waits for one's turn while others
take theirs, and follows meanwhile what they record. Snapshots are refused, lost, cut off or damaged, and an old one may
be there in place of the latest.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from satisfice.errors import StorageError, StorageUnreachable
from satisfice.study.events import Event, stored
from satisfice.study.snapshots import packed
from satisfice.study.storage.protocol import Beat, Decide, Follow, Snapshot, StudySummary, summary_of
from tests.whole_system.workers import Crashed, Process

if TYPE_CHECKING:
    from tests.whole_system.world import World

LOST_IN_THE_MIDDLE = "The connection was lost in the middle of what was read."
LONGEST_WAIT = 1.0
"""Seconds that one waits for others before one looks again what they recorded."""


class Server:
    """Rows that are on disk, and signs of life; what a connection may do to it is decided by the world."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.rows: list[tuple[int, str, str, str]] = []
        self.noted: dict[int, Beat] = {}
        self.snapshots: list[Snapshot] = []
        self.down_until = 0.0

    def check_reachable(self) -> None:
        if self._world.now < self.down_until or self._world.happens(0.02):
            raise StorageUnreachable("The server does not answer.")


class Connection:
    """The log of the study as one process reaches it, which may die in the middle of a transaction."""

    def __init__(self, world: "World", process: Process | None = None) -> None:
        self._world, self._server, self._process = world, world.server, process

    def read(self, after: int) -> Iterator[Event]:
        self._server.check_reachable()
        return iter(self._news(after))

    def extend(self, after: int, decide: Decide) -> None:
        self._server.check_reachable()
        made = decide(self._news(after))
        self._may_die()
        if self._world.happens(0.02):
            raise StorageError("The disk is full.")
        if self._world.happens(0.02):
            raise StorageUnreachable("The connection was lost before it was written.")
        for event in made:
            self._server.rows.append((event.position, event.kind, event.body, event.digest))
            self._world.wrote(event)
        self._may_die()
        if self._world.happens(0.02):
            raise StorageUnreachable("It was written, and the connection was lost before that was said.")
        if self._process is not None:
            self._process.took = len(self._server.rows)

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

    def snapshot(self) -> Snapshot | None:
        self._server.check_reachable()
        known, rng = self._server.snapshots, self._world.rng
        if not known or self._happened("lost", 0.1):
            return None
        return rng.choice(known) if self._happened("stale", 0.2) else known[-1]

    def keep(self, snapshot: Snapshot) -> None:
        self._server.check_reachable()
        self._may_die()
        if self._happened("refused", 0.1):
            raise StorageError("There is no room for a snapshot.")
        if self._happened("torn", 0.4):
            damage = self._world.rng.choice([cut_off, with_a_bit_flipped, with_other_numbers, with_other_numbers])
            snapshot = snapshot._replace(data=damage(snapshot.data, self._world.rng))
        if self._happened("lost", 0.1):
            return
        self._server.snapshots.append(snapshot)
        self._world.snapshots["kept"] += 1

    def close(self) -> None:
        """Nothing to close."""

    def _happened(self, what: str, probability: float) -> bool:
        happened = self._world.happens(probability)
        self._world.snapshots[what] += happened
        return happened

    def _news(self, after: int, most: int | None = None) -> list[Event]:
        rows = self._server.rows[after:] if most is None else self._server.rows[after : after + most]
        news = [stored(*row) for row in rows]
        return CutOff(news) if len(news) > 1 and self._world.happens(0.02) else news

    def _may_die(self) -> None:
        if self._process is not None and self._world.happens(0.01):
            raise Crashed


class KeepingUp(Connection):
    """The same where one waits for one's turn and follows meanwhile, a piece at a time, what others record."""

    def extend_following(self, after: int, follow: Follow, decide: Decide) -> None:
        assert self._process is not None
        pieces = 0
        for _ in range(self._world.rng.choice([0, 0, 1, 1, 2, 3])):
            self._server.check_reachable()
            news = self._news(after, self._world.rng.choice([None, None, 1, 2]))
            if news:
                follow(news)
                after, pieces = news[-1].position, pieces + 1
            self._may_die()
            self._process.wait(self._world.rng.uniform(0, LONGEST_WAIT))
        self._world.followed += pieces
        self._world.overtaken += pieces > 0 and after < len(self._server.rows)
        self.extend(after, decide)


class CutOff(list[Event]):
    """Events that are read up to a certain one, which is only taken in by half."""

    def __iter__(self) -> Iterator[Event]:
        half = len(self) // 2
        yield from self[:half]
        yield self[half]._replace(content=Half(self[half].content))
        raise StorageUnreachable(LOST_IN_THE_MIDDLE)


class Half(dict[str, Any]):
    """What an event says, where something breaks off in the middle of taking it in: what is looked at last is when."""

    def __getitem__(self, key: str) -> Any:
        if key == "at":
            raise StorageUnreachable(LOST_IN_THE_MIDDLE)
        return super().__getitem__(key)


def cut_off(data: bytes, rng: Random) -> bytes:
    """What is there when the writer stops in the middle."""
    return data[: rng.randrange(len(data))]


def with_a_bit_flipped(data: bytes, rng: Random) -> bytes:
    """What a bad disk makes of it."""
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def with_other_numbers(data: bytes, rng: Random) -> bytes:
    """A snapshot of results that nobody had: as sound in itself as any other."""
    factor = rng.choice([-1.0, 0.5, 2.0])
    with np.load(io.BytesIO(data)) as arrays:
        return packed({name: factor * found if found.dtype == float else found for name, found in arrays.items()})


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
