"""Intervals as a drawing of letters."""

from typing import NamedTuple

from satisfice.layout.colours import FAIL, PASS
from satisfice.layout.scale import Scale
from satisfice.noise.process import Interval
from satisfice.problem.metric import Direction, Metric


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
