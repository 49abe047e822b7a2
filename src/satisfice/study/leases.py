"""Leases: which pulls are lost and may be given to somebody else.

Clocks of different machines are not compared. A worker is silent for too long when somebody who asks has seen no sign
of life of it for the length of its lease on a clock of its own that never goes back: a process that has just come waits
for one lease before it takes anything over. Workers on the same machine are looked at directly. A pull that a process
of this machine asked for and left to others, and has ended since, is lost when its lease has passed on the clock that
all processes of a machine share and that nobody sets: the name of such a worker says when it asked. Once somebody has
given a sign of life for it, it is as any other. What clocks say the time is decides nothing.

Names of workers say by which process another one sees that it is gone. Signs of life come from a thread of their own.
"""

import os
import re
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from hashlib import sha256
from math import inf
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

from satisfice.errors import SatisficeError
from satisfice.study.pull import OpenPull, Pull
from satisfice.study.storage.protocol import Beat, EventLog, KeepsHeartbeats

if TYPE_CHECKING:
    from satisfice.study.study import Study


SKEW_SAID = 5.0
"""Seconds: clocks that disagree by more are spoken of."""


class Clock(Protocol):
    """What says when something happened, and what measures how long ago."""

    def time(self) -> float:
        """Seconds since 1970, for people: another machine's may differ, and it may be set back."""

    def monotonic(self) -> float:
        """Seconds since some moment, for leases: it never goes back, and is compared on one machine alone."""


LEFT = ".left"
"""After when a process started: it only asked, and whoever has the pull's id may tell. When it asked may follow."""
PROCESS = re.compile(rf"(?P<number>[0-9]{{1,10}})\.(?P<start>[0-9]{{1,20}})(?P<left>{re.escape(LEFT)})?")
ASKED = re.compile(rf"(?P<worker>.*{re.escape(LEFT)})\.(?P<milliseconds>[0-9]{{1,20}})", re.DOTALL)


class Presence(Enum):
    """What can be known here of a worker: that its process has ended, and whether its pulls went with it."""

    UNKNOWN = 0
    GONE = 1
    LEFT_IT_TO_OTHERS = 2


def worker_name(label: str | None = None, *, evaluates: bool = True) -> str:
    """The name of this process, with a label in front: label@host/machine/process.start.

    A process that `evaluates` what it asks for takes its pulls with it when it ends; otherwise another one may have
    their ids.
    """
    start = _own_start(os.getpid())
    place = f"{_place()}/{os.getpid()}.{start}" + ("" if evaluates else LEFT)
    return f"{label}@{place}" if label else place


def asking_at(worker: str, elapsed: float) -> str:
    """The name of a worker that asks now and leaves its pulls to others, with the time on the clock of this machine.

    That clock, which nobody sets, is the same one for all processes since the machine was started. A worker that
    evaluates itself, or is of another machine, keeps its name.
    """
    place = worker.rpartition("@")[2].rpartition("/")[0]
    return f"{worker}.{int(1000 * elapsed)}" if worker.endswith(LEFT) and place == _place() else worker


def asked_at(worker: str) -> float | None:
    """When a worker of this machine asked, in seconds on the same clock; None unless its name says so."""
    said = ASKED.fullmatch(worker)
    return None if said is None else int(said["milliseconds"]) / 1000


def presences_of(workers: Iterable[str]) -> dict[str, Presence]:
    """What can be known here of each worker; each process is looked at once, however often it asked."""
    processes = {worker: _process_of(worker) for worker in workers}
    found = {process: presence_of(process) for process in set(processes.values())}
    return {worker: found[process] for worker, process in processes.items()}


def presence_of(worker: str) -> Presence:
    """Whether the process of that name was on this machine and has ended; unknown whenever that cannot be known."""
    place, _, process = _process_of(worker).rpartition("@")[2].rpartition("/")
    said = PROCESS.fullmatch(process)
    if place != _place() or place.endswith("/unknown") or said is None:
        return Presence.UNKNOWN
    if _start_of(int(said["number"])) == int(said["start"]):
        return Presence.UNKNOWN
    return Presence.LEFT_IT_TO_OTHERS if said["left"] else Presence.GONE


def _process_of(worker: str) -> str:
    """The name without when it asked."""
    said = ASKED.fullmatch(worker)
    return worker if said is None else said["worker"]


@cache
def _place() -> str:
    """This machine since it was started, seen from this container: numbers of processes and times mean the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        inside = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return f"{socket.gethostname()}/unknown"
    with suppress(OSError):  # kernels before 5.6 have one clock for all
        inside += str(Path("/proc/self/ns/time").readlink())
    return f"{socket.gethostname()}/{sha256(f'{boot}{inside}'.encode()).hexdigest()[:8]}"


@cache
def _own_start(process: int) -> int:
    """When this process was started; a forked one has another number, and asks anew."""
    return _start_of(process) or 0


def _start_of(process: int) -> int | None:
    """When the process was started, in ticks; None if there is none or it has ended. Numbers are used again."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if after_name[0] in "ZX" else int(after_name[19])


BEATS_A_LEASE = 3


class Heartbeat:
    """Extends the leases of the pulls that it holds, for as long as they take."""

    def __init__(self, study: "Study", lease: float) -> None:
        self._study, self._pause = study, lease / BEATS_A_LEASE
        self._holding: dict[str, Pull] = {}
        self._lock, self._over = Lock(), Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def hold(self, pull: Pull) -> None:
        with self._lock:
            self._holding[pull.id] = pull

    def drop(self, pull: Pull) -> None:
        with self._lock:
            self._holding.pop(pull.id, None)

    def _beat(self) -> None:
        before: set[str] = set()
        while not self._over.wait(self._pause):
            with self._lock:
                pulls = dict(self._holding)
            old = [pull for one, pull in pulls.items() if one in before]  # new ones have a fresh lease
            with suppress(SatisficeError):  # one was given away, which is noticed when it is told
                self._study.heartbeat(*old)
            before = set(pulls)


LOOK_SECONDS = 1.0
"""How often it is looked which leases have ended and which workers of this machine are gone."""


class Seen(NamedTuple):
    """The last sign of life of an attempt at a pull, and when it was seen first, on the clock of who looks."""

    attempt: int
    sign: float | None
    since: float


class Leases:
    """Finds lost pulls, without looking at all of them at every ask.

    Where the log keeps no heartbeats, those of this process count for this process alone.
    """

    def __init__(self, log: EventLog, clock: Clock) -> None:
        self._log = log if isinstance(log, KeepsHeartbeats) else None
        self._clock = clock
        self._next_look = -inf
        self._seen: dict[int, Seen] = {}
        self._unheard: list[OpenPull] = []
        self._past: set[int] = set()

    def lost(self, pulls: Mapping[int, OpenPull], free: set[int]) -> list[OpenPull]:
        """Pulls that nobody works on any more, in the order of asking."""
        lost, elapsed = set(free), self._clock.monotonic()
        unseen = [pull for number, pull in pulls.items() if number not in self._seen]  # sets would go through all seen
        if unseen:
            self.saw(unseen)
        if elapsed >= self._next_look:
            self._next_look = elapsed + LOOK_SECONDS
            lost |= self._silent(pulls, elapsed)
        return [pulls[number] for number in sorted(lost)]

    def named(self, worker: str) -> str:
        """The name under which a worker is given pulls now."""
        return asking_at(worker, self._clock.monotonic())

    def saw(self, pulls: Iterable[OpenPull]) -> None:
        """Pulls that were given out just now, as far as is known here."""
        elapsed = self._clock.monotonic()
        self._seen.update({pull.number: Seen(pull.attempt, None, elapsed) for pull in pulls})

    def extend(self, attempts: Mapping[int, int]) -> None:
        """Signs of life, now, by the number of the pull and the attempt at it."""
        beats = {number: Beat(attempt, self._clock.time()) for number, attempt in attempts.items()}
        if self._log is not None:
            self._log.beat(beats)
        elapsed = self._clock.monotonic()
        self._seen.update({number: Seen(*beat, elapsed) for number, beat in beats.items()})

    def broke_off(self, issued: Iterable[OpenPull]) -> None:
        """A step failed: whether it gave out these pulls is not known, but nobody got them; look at the next ask."""
        self._next_look = -inf
        self._unheard.extend(issued)
        self._past.clear()

    def unheard(self, pulls: Mapping[int, OpenPull]) -> list[OpenPull]:
        """Pulls that are given out and that nobody got, to be asked for with all events of the log applied."""
        self._unheard = [pull for pull in self._unheard if pulls.get(pull.number) == pull]
        return list(self._unheard)

    def _silent(self, pulls: Mapping[int, OpenPull], elapsed: float) -> set[int]:
        self._forget(pulls)
        self.saw(pull for number, pull in pulls.items() if self._seen[number].attempt != pull.attempt)
        if any(self._silence(pull, elapsed) * BEATS_A_LEASE >= pull.lease for pull in pulls.values()):
            self._listen(pulls, elapsed)
        workers = {pull.worker for pull in pulls.values() if pull.worker is not None}
        presences = presences_of(workers)
        held = [(pull, presences[pull.worker]) for pull in pulls.values() if pull.worker is not None]
        if any(self._is_left_too_long(pull, presence, elapsed) for pull, presence in held):
            self._listen(pulls, elapsed)
        return {pull.number for pull, presence in held if self._is_lost(pull, presence, elapsed)}

    def _is_lost(self, pull: OpenPull, presence: Presence, elapsed: float) -> bool:
        if presence is Presence.GONE:
            return True
        return self._is_left_too_long(pull, presence, elapsed) or self._silence(pull, elapsed) >= pull.lease

    def _is_left_too_long(self, pull: OpenPull, presence: Presence, elapsed: float) -> bool:
        """Whether its process has ended, its lease too, and nobody is known to have it."""
        if presence is not Presence.LEFT_IT_TO_OTHERS or self._seen[pull.number].sign is not None:
            return False
        asked = asked_at(pull.worker or "")
        return asked is not None and elapsed >= asked + pull.lease

    def _silence(self, pull: OpenPull, elapsed: float) -> float:
        """For how long there was no sign of life, in seconds."""
        return elapsed - self._seen[pull.number].since

    def _listen(self, pulls: Mapping[int, OpenPull], elapsed: float) -> None:
        """Take in signs of life that are new, and forget those of pulls that were settled at the last look already.

        Whether a pull that the present step settles stays settled is not known: the step may break off.
        """
        if self._log is None:
            return
        beats = self._log.beats()
        past = beats.keys() - pulls.keys()
        if settled := sorted(past & self._past):
            self._log.forget_beats(settled)
        self._past = past
        for number, beat in beats.items():
            pull, seen = pulls.get(number), self._seen.get(number)
            if pull is not None and seen is not None and pull.attempt == beat.attempt and seen.sign != beat.sign:
                self._seen[number] = Seen(beat.attempt, beat.sign, elapsed)

    def _forget(self, pulls: Mapping[int, OpenPull]) -> None:
        """What is settled."""
        self._seen = {number: seen for number, seen in self._seen.items() if number in pulls}
