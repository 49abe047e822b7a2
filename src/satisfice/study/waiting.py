"""Evaluations that begin later, and how many may run at a time while a server refuses some of them."""

import time
from heapq import heappop, heappush
from math import inf
from random import Random

from satisfice.study.backoff import Backoff, retry_after
from satisfice.study.pull import Pull

DECREASE = 0.5
"""By what the limit is multiplied when a server refuses; it grows by one for each round of successes."""


class AdaptiveLimit:
    """How many evaluations may run at a time: additive increase, multiplicative decrease (Chiu and Jain 1989).

    Refusals of evaluations that began before the last decrease are of that same crowd, and do not count again.
    """

    def __init__(self, most: int) -> None:
        self.most, self._limit, self._decreased = most, float(most), -inf

    @property
    def now(self) -> int:
        return int(self._limit)

    def succeeded(self) -> None:
        self._limit = min(float(self.most), self._limit + 1 / self._limit)

    def refused(self, began: float, running: int) -> None:
        if began >= self._decreased:
            self._limit = max(1.0, DECREASE * min(self._limit, running))
            self._decreased = time.monotonic()


class Waiting:
    """The pulls that this run holds and evaluates later, and how often each was refused."""

    def __init__(self, workers: int, backoff: Backoff) -> None:
        self.limit, self._backoff, self._rng = AdaptiveLimit(workers), backoff, Random()
        self._later: list[tuple[float, str, Pull]] = []
        self._times: dict[int, int] = {}
        self._quiet_until, self._last_success = -inf, time.monotonic()

    def __len__(self) -> int:
        return len(self._later)

    @property
    def pulls(self) -> tuple[Pull, ...]:
        return tuple(pull for _, _, pull in self._later)

    @property
    def next_at(self) -> float:
        """When the next one is due, on the monotonic clock."""
        return max(self._later[0][0], self._quiet_until) if self._later else inf

    def room(self, running: int) -> int:
        """How many evaluations may begin now."""
        return 0 if time.monotonic() < self._quiet_until else max(0, self.limit.now - running)

    def due(self, most: int) -> list[Pull]:
        """The pulls whose time has come, at most `most` of them."""
        now, found = time.monotonic(), list[Pull]()
        while self._later and len(found) < most and self._later[0][0] <= now:
            found.append(heappop(self._later)[2])
        return found

    def succeeded(self, pull: Pull) -> None:
        self._times.pop(pull.number, None)
        self._last_success = time.monotonic()
        self.limit.succeeded()

    def refuse(self, pull: Pull, error: BaseException, began: float, running: int) -> float | None:
        """Keep a pull that a server refused for later: after how many seconds; None if that takes too long."""
        wanted, now = retry_after(error), time.monotonic()
        self.limit.refused(began, running)
        if max(now - self._last_success, wanted or 0.0) > self._backoff.give_up:
            return None
        if wanted is not None:
            self._quiet_until = max(self._quiet_until, now + wanted)
        return self.put_off(pull, wanted)

    def put_off(self, pull: Pull, wanted: float | None = None) -> float:
        """Keep a pull for later, the longer the more often that happens to it: after how many seconds."""
        times = self._times[pull.number] = self._times.get(pull.number, 0) + 1
        pause = self._backoff.pause(times, wanted, self._rng)
        heappush(self._later, (time.monotonic() + pause, pull.id, pull))
        return pause
