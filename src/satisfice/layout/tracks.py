"""Intervals against a limit as SVG whose letters keep their size: lengths are shares of whatever width there is."""

from math import ceil, floor, log10

from satisfice.layout.markup import tag
from satisfice.layout.numbers import plain, rounded
from satisfice.layout.scale import Scale

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
