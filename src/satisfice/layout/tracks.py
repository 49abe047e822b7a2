"""Intervals against a limit as SVG whose letters keep their size: lengths are shares of whatever width there is."""

from math import ceil, floor, log10

from satisfice.layout.markup import tag
from satisfice.layout.scale import Scale, Span

MARKS = {"pass": "M-5,0 0,-5 5,0 0,5Z", "fail": "M-4,-4 4,4M-4,4 4,-4", "open": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0"}
"""The estimate by what is decided, told apart without colours: a diamond passes, a cross fails, a disc is open."""

HEIGHT = 20
"""Of a track, in pixels."""


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
    return f"{100 * position:.2f}%"


def background(scale: Scale, limit: float, tolerance: float, *, at_most: bool) -> str:
    """What passes is shaded, what passes by the tolerance alone less so, and the limit is a dashed line."""
    start, end = scale.passing(limit, 0.0, at_most=at_most)
    wide_start, wide_end = scale.passing(limit, tolerance, at_most=at_most)
    at = percent(scale.position(limit))
    shaded = (("within", wide_start, wide_end), ("band", start, end))
    bands = (
        tag("rect", x=percent(a), width=percent(max(0.0, b - a)), height="100%", class_=kind) for kind, a, b in shaded
    )
    return "".join(bands) + tag("line", x1=at, x2=at, y1="0", y2="100%", class_="limit")


def whisker(scale: Scale, mean: float, interval: tuple[float, float], kind: str) -> str:
    """An interval as a line with an arrow where it goes on beyond the scale, and its estimate as a mark."""
    span, y = scale.span(interval), HEIGHT // 2
    parts = [tag("line", x1=percent(span.start), x2=percent(span.end), y1=y, y2=y, class_=f"whisker {kind}")]
    parts += [_at(0.0, y, tag("path", d="M7,-4 1,0 7,4", class_=f"arrow {kind}"))] * span.cut_at_start
    parts += [_at(1.0, y, tag("path", d="M-7,-4 -1,0 -7,4", class_=f"arrow {kind}"))] * span.cut_at_end
    parts.append(_at(scale.position(mean), y, tag("path", d=MARKS[kind], class_=f"mark {kind}")))
    return "".join(parts)


def track(body: str, words: str) -> str:
    """One row of a limit; `words` say the same to who does not see it."""
    return tag("svg", body, class_="track", height=HEIGHT, role="img", aria_label=words)


def _at(position: float, y: float, body: str) -> str:
    return tag("svg", body, x=percent(position), y=y, overflow="visible")


def axis(scale: Scale) -> str:
    """The round numbers below or above tracks; those at an end are kept within the picture."""
    parts = []
    for value in ticks(scale.low, scale.high, 4):
        position = scale.position(value)
        anchor = "start" if position < 0.08 else "end" if position > 0.92 else "middle"
        parts.append(tag("line", x1=percent(position), x2=percent(position), y1="0", y2="4", class_="tick"))
        parts.append(tag("text", f"{value:,.10g}", x=percent(position), y="16", text_anchor=anchor, class_="tick"))
    return tag("svg", "".join(parts), class_="axis", height=18, aria_hidden="true")


def span_words(span: Span) -> str:
    """Where an interval is cut off, in words."""
    if span.cut_at_start and span.cut_at_end:
        return ", beyond both ends of the axis"
    return ", beyond the axis" if span.cut_at_start or span.cut_at_end else ""
