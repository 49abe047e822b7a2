"""Drawings as SVG whose letters keep their size at any width: intervals against a limit, lines over a count.

Positions on a scale go from 0, its left end, to 1.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from satisfice.layout.escape import html_text, tag
from satisfice.layout.numbers import fixed, plain, rounded, whole_percent

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


MARKS = (
    '<svg class="marks" width="0" height="0" aria-hidden="true"><defs>'
    '<path id="mark-pass" d="M-5,0 0,-5 5,0 0,5Z"/><path id="mark-fail" d="M-4,-4 4,4M-4,4 4,-4"/>'
    '<circle id="mark-open" r="4"/><path id="mark-left" d="M7,-4 1,0 7,4"/><path id="mark-right" d="M-7,-4 -1,0 -7,4"/>'
    "</defs></svg>"
)
"""The estimate by what is decided, told apart without colours: a diamond passes, a cross fails, a disc is open."""


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two numbers."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    decimals = max(0, -floor(log10(step)))
    return [round(place * step, decimals) for place in range(ceil(low / step), floor(high / step) + 1)]


def percent(position: float) -> str:
    """A position from 0 to 1 as a share of the width."""
    return f"{plain(100 * position, 1)}%"


def ground(scale: Scale, limit: float, tolerance: float, *, at_most: bool) -> str:
    """The background of tracks: what passes is shaded, what passes by the tolerance alone less so, the limit dashed."""
    at = scale.position(limit)
    ends = scale.passing(limit, tolerance, at_most=at_most)
    edge = percent(ends[1] if at_most else ends[0])
    shades = ["var(--band)", "var(--within)", "transparent"]
    stops = [percent(at), edge] if at_most else [edge, percent(at)]
    first, second, third = shades if at_most else reversed(shades)
    passing = f"linear-gradient(to right,{first} {stops[0]},{second} {stops[0]} {stops[1]},{third} {stops[1]})"
    dashes = f"repeating-linear-gradient(var(--ink) 0 3px,transparent 3px 5.5px) {percent(at)} 0/1.2px 100% no-repeat"
    return f"{dashes},{passing}"


def track(scale: Scale, mean: float, interval: tuple[float, float], kind: str) -> str:
    """An interval as a line with an arrow where it goes on beyond the scale, and its estimate as a mark."""
    span = scale.span(interval)
    parts = [tag("line", x1=percent(span.start), x2=percent(span.end))]
    parts += [_mark("left", 0.0)] * span.cut_at_start + [_mark("right", 1.0)] * span.cut_at_end
    return tag("svg", "".join([*parts, _mark(kind, scale.position(mean))]), class_=f"track {kind}", aria_hidden="true")


def _mark(kind: str, position: float) -> str:
    return tag("use", href=f"#mark-{kind}", x=percent(position))


def axis(scale: Scale) -> str:
    """The round numbers below or above tracks; those at an end are kept within the picture."""
    parts = []
    for value in ticks(scale.low, scale.high, 4):
        position = scale.position(value)
        anchor = "start" if position < 0.08 else "end" if position > 0.92 else "middle"
        parts.append(tag("line", x1=percent(position), x2=percent(position), y1="0", y2="4", class_="tick"))
        parts.append(tag("text", rounded(value, 10), x=percent(position), y="16", text_anchor=anchor, class_="tick"))
    return tag("svg", "".join(parts), class_="axis", height=18, aria_hidden="true")


DASHES = ("", "8 4", "2 4", "10 4 2 4", "16 5", "4 3", "12 3 3 3", "1 3")
"""By which lines are told apart without colours."""

HEIGHT = 220


class Curve(NamedTuple):
    """A line with its name, points (count, share from -1 to 1), and whether it passes, fails or is open."""

    name: str
    points: Sequence[tuple[float, float]]
    kind: str


def curves(lines: Sequence[Curve], most: float, words: tuple[str, str], below: str, title: str) -> str:
    """Lines between two ends that have `words`, over a count from 0 to `most`."""
    rows = ((0.0, words[0]), (0.5, "0"), (1.0, words[1]))
    grid = "".join(tag("line", x1="0", x2="100%", y1=percent(y), y2=percent(y), class_="grid") for y, _ in rows)
    drawn = "".join(
        tag(
            "polyline",
            points=" ".join(f"{plain(1000 * x / most)},{plain(500 * (1 - y))}" for x, y in line.points),
            class_=line.kind,
            stroke_dasharray=DASHES[place % len(DASHES)],
        )
        for place, line in enumerate(lines)
    )
    inside = tag("svg", drawn, viewBox="0 0 1000 1000", preserveAspectRatio="none", width="100%", height="100%")
    field = tag("svg", grid + inside, x="60", y="8", width="calc(100% - 76px)", height=HEIGHT - 52)
    labels = "".join(
        tag("text", html_text(word), x="52", y=12 + y * (HEIGHT - 52), text_anchor="end", class_="tick")
        for y, word in rows
    )
    return tag(
        "svg", field + labels + _below(most, below), class_="curves", height=HEIGHT, role="img", aria_label=title
    )


def _below(most: float, words: str) -> str:
    places = [
        tag("text", fixed(value, 0), x=percent(value / most), y="14", text_anchor="middle", class_="tick")
        for value in ticks(0, most, 4)
    ]
    inside = tag(
        "svg", "".join(places), x="60", y=HEIGHT - 44, width="calc(100% - 76px)", height="20", overflow="visible"
    )
    return inside + tag("text", html_text(words), x="50%", y=HEIGHT - 6, text_anchor="middle", class_="tick")


def legend(lines: Sequence[Curve]) -> str:
    """The lines by their dashes, with their names and where they came to."""
    items = []
    for place, line in enumerate(lines):
        dash = DASHES[place % len(DASHES)]
        swatch = tag("line", x1="0", x2="34", y1="5", y2="5", class_=f"line {line.kind}", stroke_dasharray=dash)
        drawn = tag("svg", swatch, width="34", height="10", aria_hidden="true", style="width:34px;display:inline-block")
        last = line.points[-1][1] if line.points else 0.0
        words = whole_percent(abs(last)) + (" against" if last < 0 else " for")
        items.append(tag("li", f"{drawn} {html_text(line.name)} {tag('span', words, class_='share')}"))
    return tag("ul", "".join(items), class_="legend")
