"""Drawings as SVG text: intervals against thresholds, evidence over time, evaluations of each configuration.

Colours come from the page's style sheet, so that one file is right on light and on dark screens.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

from satisfice.html_report.history import Line
from satisfice.layout.escape import html_text
from satisfice.layout.scale import scale_of
from satisfice.problem.metric import Direction, Metric
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT

ROW, LABEL, WIDTH = 20, 190, 920
CLASSES = {ACCEPT: "pass", REJECT: "fail"}


def tag(name: str, text: str = "", **attributes: object) -> str:
    """An element; attribute names are written with _ for - and without a _ at the end."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html_text(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}>{text}</{name}>" if text else f"<{name}{written}/>"


def drawing(body: str, width: float, height: float, title: str) -> str:
    return tag(
        "svg",
        tag("title", html_text(title)) + body,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        style=f"max-width:{width:.0f}px",
    )


def text(x: float, y: float, words: str, class_: str = "", anchor: str = "start") -> str:
    return tag("text", html_text(words), x=f"{x:.1f}", y=f"{y:.1f}", class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=class_)


def arrow_head(x: float, y: float, length: float, kind: str) -> str:
    """Where an interval goes on beyond the picture."""
    points = f"{x + length:.1f},{y - 4:.1f} {x:.1f},{y:.1f} {x + length:.1f},{y + 4:.1f}"
    return tag("polyline", points=points, class_=f"path {kind}")


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two numbers."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [place * step for place in range(ceil(low / step), floor(high / step) + 1)]


def intervals(metric: Metric, index: int, statuses: Sequence[ArmStatus]) -> str:
    """Each configuration's estimate and interval of one metric; what passes is shaded."""
    estimates = [(status.means[index], status.intervals[index]) for status in statuses if status.pulls]
    scale = scale_of(estimates, *metric.shown_limit)
    left, right, bottom = LABEL, WIDTH - 20, 14 + ROW * len(statuses)

    def x(position: float) -> float:
        return left + position * (right - left)

    at_most = metric.direction is Direction.AT_MOST
    start, end = map(x, scale.passing(*metric.shown_limit, at_most=at_most))
    limit = x(scale.position(metric.shown_limit[0]))
    parts = [
        tag("rect", x=f"{start:.1f}", y="4", width=f"{end - start:.1f}", height=f"{bottom - 4}", class_="band"),
        line(limit, 4, limit, bottom, "limit"),
    ]
    for row, status in enumerate(statuses):
        y, kind = 14 + ROW * row + ROW / 2 - 3, CLASSES.get(status.decision, "open")
        parts.append(text(left - 10, y + 4, _short(status.name), anchor="end"))
        if status.pulls:
            span, mean = scale.span(status.intervals[index]), x(scale.position(status.means[index]))
            parts.append(line(x(span.start), y, x(span.end), y, f"whisker {kind}"))
            parts += [arrow_head(left, y, 5, kind)] * span.cut_at_start
            parts += [arrow_head(right, y, -5, kind)] * span.cut_at_end
            parts.append(tag("circle", cx=f"{mean:.1f}", cy=f"{y:.1f}", r="4", class_=f"dot {kind}"))
    for value in ticks(*scale, 8):
        parts.append(text(x(scale.position(value)), bottom + 16, f"{value:g}", "tick", "middle"))
    return drawing("".join(parts), WIDTH, bottom + 24, f"{metric}: estimates and intervals")


def evidence(lines: Sequence[Line], evaluations: int) -> str:
    """How far each configuration came: up to passing, down to failing."""
    left, right, top, bottom = 90, WIDTH - LABEL, 14, 294
    middle, most = (top + bottom) / 2, max(1, evaluations)

    def place(count: float, share: float) -> tuple[float, float]:
        return left + count / most * (right - left), middle - share * (middle - top)

    parts = [line(left, y, right, y, "grid") for y in (top, middle, bottom)]
    parts += [text(left - 8, y + 4, words, "tick", "end") for y, words in ((top, "passes"), (bottom, "fails"))]
    for value in ticks(0, most, 8):
        parts.append(text(place(value, 0)[0], bottom + 18, f"{value:,.0f}", "tick", "middle"))
    parts.append(text((left + right) / 2, bottom + 36, "evaluations of the whole study", "tick", "middle"))
    labels: list[float] = []
    for one in sorted(lines, key=lambda one: -one.points[-1][1] if one.points else 0.0):
        if not one.points:
            continue
        last = one.points[-1][1]
        kind = "pass" if last >= 1 else "fail" if last <= -1 else "open"
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in one.points))
        parts.append(tag("polyline", points=path, class_=f"path {kind}"))
        y = max([place(0, last)[1] + 4, *(label + 13 for label in labels[-1:])])
        labels.append(y)
        parts.append(text(right + 6, y, _short(one.name), f"label {kind}"))
    return drawing("".join(parts), WIDTH, max([bottom + 44, *labels]) + 6, "evidence over time")


def pulls(statuses: Sequence[ArmStatus]) -> str:
    """How many evaluations each configuration had."""
    left, right = LABEL, WIDTH - 70
    most = max((status.pulls for status in statuses), default=1) or 1
    parts = []
    for row, status in enumerate(statuses):
        y, width = 4 + ROW * row, status.pulls / most * (right - left)
        kind = CLASSES.get(status.decision, "open")
        parts.append(text(left - 10, y + 14, _short(status.name), anchor="end"))
        parts.append(tag("rect", x=left, y=y + 3, width=f"{max(width, 1):.1f}", height=ROW - 6, class_=f"bar {kind}"))
        parts.append(text(left + width + 6, y + 14, f"{status.pulls:,}", "tick"))
    return drawing("".join(parts), WIDTH, 8 + ROW * len(statuses), "evaluations of each configuration")


def _short(name: str, most: int = 28) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
