"""The scale on which intervals are drawn against a threshold: positions from 0 (left end) to 1 (right end)."""

from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple


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

    def span(self, low: float, high: float) -> Span:
        """Where an interval lies; its ends may be infinite."""
        return Span(self.position(low), self.position(high), low < self.low, high > self.high)

    def passing(self, threshold: float, tolerance: float, *, at_most: bool) -> Span:
        """The values that pass, tolerance included."""
        edge = self.position(threshold + tolerance if at_most else threshold - tolerance)
        return Span(0.0, edge, True, False) if at_most else Span(edge, 1.0, False, True)


def scale_of(
    means: Iterable[float],
    threshold: float,
    tolerance: float = 0.0,
    *,
    margin: float = 0.2,
    limits: tuple[float, float] | None = None,
) -> Scale:
    """A scale that shows all known means, the threshold and its tolerance, with a share of their range on both sides.

    `limits` are values that no result exceeds: the scale ends a little beyond them.
    """
    shown = [threshold - tolerance, threshold + tolerance, *(mean for mean in means if isfinite(mean))]
    low, high = min(shown), max(shown)
    room = margin * (high - low or abs(threshold) or 1.0)
    low, high = low - room, high + room
    if limits is not None:
        beyond = 0.02 * (limits[1] - limits[0])
        low, high = max(low, limits[0] - beyond), min(high, limits[1] + beyond)
    return Scale(low, high)
