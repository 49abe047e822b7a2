"""What is known of every configuration, as rows that a browser draws; what takes long is computed bit by bit."""

import json
from collections import Counter
from collections.abc import Iterable
from math import isfinite
from time import monotonic

import numpy as np

from satisfice.layout.numbers import to_digits
from satisfice.layout.tracks import Scale, scale_of, ticks
from satisfice.search.verdict import ArmStatus
from satisfice.study import StudyView


class Rows:
    """The rows of a study, by the place of their configuration.

    A row is [evaluations, decision, running], with the decision 0 while it is open, 1 if the configuration passes and 2
    if it fails, and, once it is computed, estimate, low, high, evidence for and against of each limit: an interval
    takes milliseconds, so that those which matter most come first.
    """

    def __init__(self, view: StudyView) -> None:
        count = len(view.spec.names)
        self._places = view.spec.places
        self._names = view.spec.names
        self._metrics = view.problem.metrics
        self._pulls = np.zeros(count, dtype=np.int64)
        self._decisions = np.zeros(count, dtype=np.int8)
        self._running: Counter[int] = Counter()
        self._stale: set[int] = set()
        self.known: dict[int, ArmStatus] = {}
        self.texts: dict[int, str] = {}
        self._scales: list[Scale] = []

    @property
    def waiting(self) -> int:
        """How many rows are not up to date."""
        return len(self._stale)

    def counts(self) -> dict[str, int]:
        """How many configurations pass, fail, are open and were not evaluated at all."""
        passes, fails = int((self._decisions == 1).sum()), int((self._decisions == 2).sum())
        untouched = int(((self._decisions == 0) & (self._pulls == 0)).sum())
        return {
            "passes": passes,
            "fails": fails,
            "open": len(self._names) - passes - fails - untouched,
            "untouched": untouched,
        }

    def refresh(self, view: StudyView, *, seconds: float) -> list[int]:
        """Take in a view; the places whose row is another one now, with as many statuses as `seconds` allow."""
        pulls = np.fromiter(view.evaluations.values(), dtype=np.int64, count=len(self._names))
        decisions = self._decided(view)
        running = Counter({self._places[name]: count for name, count in view.running.items()})
        moved = np.flatnonzero((pulls != self._pulls) | (decisions != self._decisions)).tolist()
        changed = set(moved)
        changed |= {one for one in running.keys() | self._running.keys() if running[one] != self._running[one]}
        self._pulls, self._decisions, self._running = pulls, decisions, running
        self._stale.update(moved)
        changed.update(self._compute(view, seconds))
        for place in changed:
            self.texts[place] = json.dumps(self.values(place), separators=(",", ":"))
        return sorted(changed)

    def _decided(self, view: StudyView) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
        found = np.zeros(len(self._names), dtype=np.int8)
        for names, code in ((view.verdict.accepted, 1), (view.verdict.rejected, 2)):
            found[[self._places[name] for name in names]] = code
        return found

    def _compute(self, view: StudyView, seconds: float) -> Iterable[int]:
        until, done = monotonic() + seconds, []
        for place in sorted(self._stale, key=self._interest, reverse=True):
            self.known[place] = view.status(self._names[place])
            done.append(place)
            if monotonic() >= until:
                break
        self._stale.difference_update(done)
        return done

    def _interest(self, place: int) -> tuple[bool, bool, bool, bool, int]:
        decision = self._decisions[place]
        first = place not in self.known
        return bool(decision == 1), place in self._running, first, bool(decision == 0), int(self._pulls[place])

    def values(self, place: int) -> list[float | None]:
        """A row as the page reads it."""
        row: list[float | None] = [int(self._pulls[place]), int(self._decisions[place]), self._running[place]]
        status = self.known.get(place)
        if status is not None:
            nothing = (None,) * len(status.means)
            accept, reject = status.accept_progress or nothing, status.reject_progress or nothing
            for index, (low, high) in enumerate(status.intervals):
                row += [short(status.means[index]), short(low), short(high), short(accept[index]), short(reject[index])]
        return row

    def estimates(self, index: int) -> list[tuple[float, tuple[float, float]]]:
        """The estimates of one metric, as far as they are computed."""
        return [(one.means[index], one.intervals[index]) for one in self.known.values() if one.pulls]

    def scales(self) -> list[Scale]:
        """One scale for each limit, on which all rows are drawn; it only ever grows, so that nothing jumps."""
        found = [scale_of(self.estimates(place), *metric.shown_limit) for place, metric in enumerate(self._metrics)]
        if self._scales:
            found = [_kept(old, new) for old, new in zip(self._scales, found, strict=True)]
        self._scales = found
        return found


def _kept(old: Scale, new: Scale) -> Scale:
    """The old scale as long as the new one is within it and not much smaller."""
    fits = old.low <= new.low and new.high <= old.high
    return old if fits and (new.high - new.low) > 0.6 * (old.high - old.low) else new


def drawn_scale(scale: Scale) -> dict[str, object]:
    """A scale with its round ticks, as the page draws it."""
    return {"low": scale.low, "high": scale.high, "ticks": ticks(scale.low, scale.high, 4)}


def short(number: float | None, digits: int = 6) -> float | None:
    """A number rounded to `digits` significant ones; None for what is not finite."""
    if number is None or not isfinite(number):
        return None
    return to_digits(number, digits) if abs(number) >= 1e-12 else 0.0
