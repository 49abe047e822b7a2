"""Numbers for people: as many digits as are known, intervals as text and as a drawing."""

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import NamedTuple

from satisfice.noise.process import Interval
from satisfice.problem.metric import Direction, Metric


def compact(number: float, digits: int = 3) -> str:
    """So many digits, more only before the point: 0.0123, 98.8, 12,346."""
    if not isfinite(number):
        return "∞" if number > 0 else "-∞" if number < 0 else "-"
    if abs(number) < 1e-12:  # sums of results leave such remains
        return "0"
    return fixed(number, digits - 1 - floor(log10(abs(number))))


def fixed(number: float, decimals: int) -> str:
    """So many digits after the point, none of them if that is negative; a zero is just 0."""
    text = f"{number:,.{max(0, decimals)}f}"
    return "0" if not any(digit in text for digit in "123456789") else text


def with_interval(mean: float, interval: Interval, digits: int = 2) -> str:
    """An estimate with its interval, in as many digits as its width leaves a meaning, and one more for the estimate."""
    low, high = interval
    if not (isfinite(low) and isfinite(high)):
        return compact(mean)
    decimals = digits - 1 - floor(log10(high - low)) if high > low else 3
    dash = "–" if low >= 0 else " to "
    return f"{fixed(mean, decimals + (digits < 2))} ({fixed(low, decimals)}{dash}{fixed(high, decimals)})"


def duration(seconds: float) -> str:
    """A time in the two units that matter: 4.2 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for big, small, size in (("d", "h", 86_400), ("h", "min", 3600), ("min", "s", 60)):
        if whole >= size:
            rest = whole % size // {"h": 3600, "min": 60, "s": 1}[small]
            return f"{whole // size} {big}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"


class Track(NamedTuple):
    """A line for one metric on which intervals are drawn, with the threshold at the same place in every row."""

    metric: Metric
    low: float
    high: float
    width: int

    @classmethod
    def over(cls, metric: Metric, means: Sequence[float], width: int) -> "Track":
        """A track that shows all means and the threshold, with some room beside them."""
        shown = [metric.threshold, *means]
        margin = 0.15 * (max(shown) - min(shown) or abs(metric.threshold) or 1.0)
        return cls(metric, min(shown) - margin, max(shown) + margin, width)

    def drawn(self, mean: float, interval: Interval) -> str:
        """The interval as a line, the estimate as a dot, the threshold as a bar: ──●── │."""
        cells = [" "] * self.width
        for place in range(self.place(interval.low), self.place(interval.high) + 1):
            cells[place] = "─"
        limit = self.place(self.metric.threshold)
        cells[limit] = "┼" if cells[limit] == "─" else "│"
        cells[self.place(mean)] = "●"
        return "".join(cells)

    def place(self, value: float) -> int:
        """The cell of a value; what lies beyond an end is drawn there."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return min(self.width - 1, int(share * self.width))

    def colour(self, low: float, high: float) -> str:
        """Green where the whole interval passes, tolerance included; red where it is beyond the limit."""
        limit, tolerance = self.metric.threshold, self.metric.tolerance
        if self.metric.direction is Direction.AT_MOST:
            return "green" if high <= limit + tolerance else "red" if low > limit else ""
        return "green" if low >= limit - tolerance else "red" if high < limit else ""
