"""Numbers for people: as many digits as are known, intervals as text and as a drawing."""

from math import floor, isfinite, log10
from typing import NamedTuple

from satisfice.layout.colours import FAIL, PASS
from satisfice.layout.scale import Scale
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
    scale: Scale
    width: int

    def drawn(self, mean: float, interval: Interval) -> str:
        """The interval as a line, the estimate as a dot, the threshold as a bar: ──●── │; ← and → where it is cut."""
        cells = [" "] * self.width
        span = self.scale.span(interval)
        first, last = self._cell(span.start), self._cell(span.end)
        cells[first : last + 1] = "─" * (last + 1 - first)
        cells[first] = "←" if span.cut_at_start else "─"
        cells[last] = "→" if span.cut_at_end else cells[last]
        limit = self._cell(self.scale.position(self.metric.shown_limit[0]))
        cells[limit] = "│" if cells[limit] == " " else "┼"
        cells[self._cell(self.scale.position(mean))] = "●"
        return "".join(cells)

    def _cell(self, position: float) -> int:
        return min(self.width - 1, int(position * self.width))

    def colour(self, interval: Interval) -> str:
        """That of passing where the whole interval passes, tolerance included; of failing where it is beyond it."""
        limit, tolerance = self.metric.shown_limit
        if self.metric.direction is Direction.AT_MOST:
            passes, fails = interval.high <= limit + tolerance, interval.low > limit
        else:
            passes, fails = interval.low >= limit - tolerance, interval.high < limit
        return PASS.terminal if passes else FAIL.terminal if fails else ""
