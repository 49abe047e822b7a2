"""Leases: which pulls are lost and may be given to somebody else.

Clocks of different machines are not compared. A worker is silent for too long when somebody who asks has seen no sign
of life of it for the length of its lease on a clock of its own that never goes back: a process that has just come waits
for one lease before it takes anything over. Workers on the same machine are looked at directly. A pull that a process
of this machine asked for and left to others, and has ended since, is lost when its lease has passed on the clock that
all processes of a machine share and that nobody sets: the name of such a worker says when it asked. Once somebody has
given a sign of life for it, it is as any other. What clocks say the time is decides nothing.
"""

from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

from satisfice.study.clock import Clock
from satisfice.study.heartbeat import BEATS_A_LEASE
from satisfice.study.open_pull import OpenPull
from satisfice.study.process_id import Presence, asked_at, asking_at, presences_of
from satisfice.study.storage.protocol import Beat, EventLog, KeepsHeartbeats

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
