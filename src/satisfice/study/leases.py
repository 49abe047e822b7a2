"""Leases: which pulls are lost and may be given to somebody else."""

from collections.abc import Mapping
from math import inf

from satisfice.study.process_id import is_gone
from satisfice.study.state import OpenPull
from satisfice.study.storage.protocol import Beat, EventLog, KeepsHeartbeats

LOOK_SECONDS = 1.0
"""How often it is looked which leases have ended and which workers of this machine are gone."""


class Leases:
    """Finds lost pulls, without looking at all of them at every ask.

    Where the log keeps no heartbeats, those of this process count for this process alone.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log if isinstance(log, KeepsHeartbeats) else None
        self._next_look = -inf
        self._beats: Mapping[int, Beat] = {}

    def lost(self, pulls: Mapping[int, OpenPull], free: set[int], now: float) -> list[OpenPull]:
        """Pulls that nobody works on any more, in the order of asking."""
        lost = set(free)
        if now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            lost |= self._silent(pulls, now)
        return [pulls[number] for number in sorted(lost)]

    def extend(self, beats: Mapping[int, Beat]) -> None:
        """Note signs of life by the number of the pull."""
        if self._log is not None:
            self._log.beat(beats)
        else:
            self._beats = {**self._beats, **beats}

    def look_now(self) -> None:
        """Look at the next ask, however recent the last look."""
        self._next_look = -inf

    def _silent(self, pulls: Mapping[int, OpenPull], now: float) -> set[int]:
        workers = {pull.worker for pull in pulls.values() if pull.worker is not None}
        gone = {worker for worker in workers if is_gone(worker)}
        silent = {number for number, pull in pulls.items() if pull.worker in gone}
        ended = {number for number, pull in pulls.items() if pull.expires <= now} - silent
        if self._log is not None and any(self._expires(pulls[number]) <= now for number in ended):
            self._beats = self._log.beats()  # the latest signs of life
        past = [number for number in self._beats if number not in pulls]
        if past:
            if self._log is not None:
                self._log.forget_beats(past)
            self._beats = {number: beat for number, beat in self._beats.items() if number in pulls}
        return silent | {number for number in ended if self._expires(pulls[number]) <= now}

    def _expires(self, pull: OpenPull) -> float:
        beat = self._beats.get(pull.number)
        return max(pull.expires, beat.expires) if beat is not None and beat.attempt == pull.attempt else pull.expires
