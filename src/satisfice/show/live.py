"""The table of a study: configurations, estimates and intervals against thresholds, evidence, what runs now.

Intervals as a drawing of letters.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from satisfice.layout.colours import FAIL, FAINT, OPEN, PASS
from satisfice.layout.escape import visible
from satisfice.layout.numbers import SIGNS, compact, counted, duration, with_interval
from satisfice.layout.tracks import Scale, scale_of
from satisfice.noise.process import Interval
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.search.diagnostics import Check
from satisfice.search.hints import Hint
from satisfice.search.verdict import ArmStatus, Outcome, Verdict
from satisfice.show.forecast import CostOf, forecast, leaning
from satisfice.show.sentence import plain
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.study.ledger import StudyCost


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


@dataclass(frozen=True)
class Moment:
    """What there is to see of a study at one moment; times are in seconds, `evaluating` counts pulls by config.

    `cost` is what was spent, `expected_cost` what one more evaluation of a config costs, where that is known.
    """

    name: str
    problem: Problem
    verdict: Verdict
    statuses: Sequence[ArmStatus]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evaluating: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    evaluations_now: int = 0
    max_evaluations: int | None = None
    failures: int = 0
    checks: Sequence[Check] = ()
    hints: Sequence[Hint] = ()
    cost: StudyCost | None = None
    expected_cost: CostOf = lambda config: None


class Layout(NamedTuple):
    """How much of a study is shown: cells of a drawn interval, intervals in digits, cells of the bar, room between."""

    tracks: int
    intervals: bool
    digits: int
    bar: int
    room: int


LAYOUTS = (
    Layout(13, True, 2, 12, 2),
    Layout(9, True, 2, 8, 1),
    Layout(0, True, 2, 8, 2),
    Layout(0, True, 2, 6, 1),
    Layout(0, True, 1, 6, 1),
    Layout(9, False, 2, 6, 1),
    Layout(0, False, 2, 6, 1),
    Layout(0, False, 2, 0, 1),
)
"""From rich to poor: the first that fits is taken."""


def live_view(moment: Moment, console: Console, *, height: int | None = None) -> RenderableType:
    """The table and the lines below it, as wide and as high as the screen allows."""
    footer = footer_lines(moment)
    rows = max(3, (height or console.height) - len(footer) - 3)
    return Group(study_table(moment, console, rows=rows), *footer)


def study_table(moment: Moment, console: Console, *, rows: int = 1000) -> RenderableType:
    """The richest table that the screen has room for, and what it leaves out."""
    shown, rest = interesting(moment, rows)
    for layout in LAYOUTS:
        table = _table(moment, shown, layout)
        if console.measure(table, options=console.options.update(max_width=10_000)).maximum <= console.width:
            break
    return Group(table, Text(rest_sentence(rest), style=FAINT.terminal)) if rest else table


def interesting(moment: Moment, rows: int) -> tuple[list[ArmStatus], list[ArmStatus]]:
    """The rows worth their place, and the rest: what passes or runs, then by how near it is to a decision."""
    if len(moment.statuses) <= rows:
        return list(moment.statuses), []

    def interest(status: ArmStatus) -> tuple[float, ...]:
        return (
            status.decision == ACCEPT,
            status.name in moment.evaluating,
            status.decision == KEEP and status.pulls > 0,
            min(status.accept_progress, default=0.0) if status.decision == KEEP else 0.0,
            status.pulls,
        )

    ordered = sorted(moment.statuses, key=interest, reverse=True)
    return ordered[: rows - 1], ordered[rows - 1 :]


def _table(moment: Moment, shown: Sequence[ArmStatus], layout: Layout) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, layout.room, 0, 0))
    keys = parameter_columns(moment.parameters)
    for key in keys or ["config"]:
        table.add_column(plain(key), no_wrap=True, vertical="bottom")
    table.add_column("runs", justify="right", no_wrap=True, vertical="bottom")
    tracks = []
    for index, metric in enumerate(moment.problem.metrics):
        table.add_column(
            Text(f"{metric.label}\n{SIGNS[metric.comparison]} {metric.limit_text}"),
            justify="right",
            no_wrap=True,
        )
        estimates = [(status.means[index], status.intervals[index]) for status in moment.statuses]
        tracks.append(Track(metric, scale_of(estimates, *metric.shown_limit), layout.tracks))
        if layout.tracks:
            table.add_column("", no_wrap=True)
    if layout.bar:
        table.add_column("evidence", no_wrap=True, vertical="bottom")
    table.add_column("", no_wrap=True)
    for status in shown:
        faint = FAINT.terminal if status.decision == REJECT else ""
        table.add_row(*_cells(moment, status, keys, tracks, layout), style=faint)
    return table


def _cells(
    moment: Moment, status: ArmStatus, keys: Sequence[str], tracks: Sequence[Track], layout: Layout
) -> list[RenderableType]:
    parameters = moment.parameters.get(status.name, {})
    cells: list[RenderableType] = [plain(str(parameters[key])) for key in keys] or [plain(status.name)]
    cells.append(f"{status.pulls:,}")
    for index, track in enumerate(tracks):
        mean, interval = status.means[index], status.intervals[index]
        known = isfinite(mean)
        passes = status.decision == ACCEPT  # decided by one side at a lower level than the interval's
        style = PASS.terminal if passes else track.colour(interval) if known else ""
        text = with_interval(mean, interval, layout.digits) if layout.intervals else compact(mean, 3)
        cells.append(Text(text if known else "-", style=style))
        if layout.tracks:
            cells.append(Text(track.drawn(mean, interval) if known else "", style=style))
    if layout.bar:
        cells.append(evidence_bar(status, layout.bar))
    cells.append(state(status, moment.evaluating.get(status.name, 0)))
    return cells


def parameter_columns(parameters: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The parameters that stand in columns of their own: those of a grid, whose names only repeat them."""
    found: list[list[str]] = []
    for name, each in parameters.items():
        words = sorted(each, key=lambda key: name.find(f"{key}="))
        if not each or name != " ".join(f"{key}={each[key]}" for key in words):
            return []
        found.append(words)
    return found[0] if found and all(one == found[0] for one in found) else []


def evidence_bar(status: ArmStatus, width: int) -> Text:
    """How much of the evidence that a decision takes is there: for passing, or against it."""
    passing, failing = leaning(status)
    if status.decision != KEEP:
        passing, failing = float(status.decision == ACCEPT), float(status.decision == REJECT)
    share = min(1.0, max(passing, failing, 0.0))
    halves = round(share * width * 2)
    bar = "━" * (halves // 2) + "╸" * (halves % 2)
    paint = PASS if passing >= failing else FAIL
    if paint is FAIL:  # dashes, for those who see no colours
        bar = "╍" * ((halves + 1) // 2)
    return Text(bar, style=paint.terminal).append("─" * (width - len(bar)), style=FAINT.terminal)


def state(status: ArmStatus, running: int) -> Text:
    """What is decided, or what is going on."""
    if status.decision == ACCEPT:
        return Text("✓ passes", style=f"bold {PASS.terminal}")
    if status.decision == REJECT:
        return Text("✗ fails", style=FAIL.terminal)
    return Text(f"▸ {running} now" if running else "", style=OPEN.terminal)


def rest_sentence(rest: Sequence[ArmStatus]) -> str:
    """What is in the rows that have no place."""
    words = {REJECT: "fail", KEEP: "open", ACCEPT: "pass"}
    counts = Counter("not evaluated" if not one.pulls else words[one.decision] for one in rest)
    return f"and {len(rest):,} more: " + ", ".join(f"{count:,} {word}" for word, count in counts.most_common())


def footer_lines(moment: Moment) -> list[Text]:
    """How far the study is, and what is left as far as one can say."""
    done = moment.verdict.evaluations
    budget = f" of at most {moment.max_evaluations:,}" if moment.max_evaluations else ""
    made = f"{done:,}{budget} evaluations" if budget else counted(done, "evaluation")
    parts = [made, duration(moment.seconds)]
    if moment.verdict.wanted > 1:
        parts.append(f"{len(moment.verdict.accepted)} of {moment.verdict.wanted} found")
    rate = moment.evaluations_now / moment.seconds if moment.seconds > 1 else 0.0
    if rate:
        parts.append(f"{compact(rate, 2)}/s" if rate >= 0.1 else f"one in {duration(1 / rate)}")
    if moment.failures:
        parts.append(f"{moment.failures:,} failed")
    if moment.cost is not None:
        parts.append(f"cost {moment.cost}")
    left = forecast(moment.problem.goal, moment.statuses, moment.expected_cost)
    if left is not None and left.evaluations:
        money = "" if left.cost is None else f", cost {compact(left.cost)}"
        time = f", {duration(left.evaluations / rate)}" if rate else ""
        parts.append(f"about {left.evaluations:,} to go{money}{time}")
    lines = [Text(), Text(" · ".join(parts), style=FAINT.terminal, overflow="ellipsis", no_wrap=True)]
    lines += [
        Text(visible(one), style=OPEN.terminal, overflow="ellipsis", no_wrap=True) for one in held_up_lines(moment)
    ]
    if moment.checks:
        first, others = moment.checks[0], len(moment.checks) - 1
        more = f" (and {others:,} more)" if others else ""
        words = f"check: {first.metric} of {first.config} {first.words}{more}"
        lines.append(Text(visible(words), style=OPEN.terminal, overflow="ellipsis", no_wrap=True))
    running = [f"{name} ×{count}" if count > 1 else name for name, count in moment.evaluating.items()]
    if running:
        more = f" and {len(running) - 4} more" if len(running) > 4 else ""
        words = visible(f"evaluating {', '.join(running[:4])}{more}")
        lines.append(Text(words, style=OPEN.terminal, overflow="ellipsis", no_wrap=True))
    return lines


def held_up_lines(moment: Moment) -> list[str]:
    """What holds the study up, and hints what to declare."""
    closest = moment.verdict.closest if moment.verdict.outcome is Outcome.UNDECIDED else ""
    hints = [f"hint: {hint.words}" for hint in moment.hints if hint.words not in closest]
    return [f"closest: {closest}", *hints] if closest else hints
