"""The scale on which intervals are drawn against a threshold: positions from 0 (left end) to 1 (right end)."""

from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

Estimate = tuple[float, tuple[float, float]]
"""A mean and its interval, whose ends may be infinite."""

ROOM, BEYOND = 0.2, 0.02
"""Room on both sides, and beyond the last of what is drawn, as shares of the range of means and threshold."""


class Span(NamedTuple):
    """Where an interval starts and ends on a scale, and at which of the two it is cut off."""

    start: float
    end: float
    cut_at_start: bool
    cut_at_end: bool


class Scale(NamedTuple):
    """The part of one metric's values that is shown."""

    low: float
    high: float

    def position(self, value: float) -> float:
        """Where a value lies; what is beyond an end is put there."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def value(self, position: float) -> float:
        """The value at a position."""
        return self.low + position * (self.high - self.low)

    def span(self, interval: tuple[float, float]) -> Span:
        """Where an interval lies, or what is left of it."""
        low, high = interval
        return Span(self.position(low), self.position(high), bool(low < self.low), bool(high > self.high))

    def passing(self, threshold: float, tolerance: float, *, at_most: bool) -> tuple[float, float]:
        """From where to where values pass, tolerance included."""
        if at_most:
            return 0.0, self.position(threshold + tolerance)
        return self.position(threshold - tolerance), 1.0


def scale_of(estimates: Iterable[Estimate], threshold: float, tolerance: float = 0.0) -> Scale:
    """A scale that shows the threshold with its tolerance and all means, with some room on both sides.

    Intervals may reach beyond it, but it does not go on where nothing is drawn any more: shares of 0 to 1 have no
    empty space below 0. Estimates that are not numbers are left aside.
    """
    known = [(mean, interval) for mean, interval in estimates if isfinite(mean)]
    shown = [threshold - tolerance, threshold + tolerance, *(mean for mean, _ in known)]
    low, high = min(shown), max(shown)
    width = high - low or abs(threshold) or 1.0
    if not known:
        return Scale(low - ROOM * width, high + ROOM * width)
    first = min(low, *(interval[0] for _, interval in known)) - BEYOND * width
    last = max(high, *(interval[1] for _, interval in known)) + BEYOND * width
    return Scale(max(low - ROOM * width, first), min(high + ROOM * width, last))
