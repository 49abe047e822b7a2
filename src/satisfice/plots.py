"""Figures. A plot never simulates: it shows what was computed."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satisfice.errors import writing
from satisfice.extras import need
from satisfice.layout.colours import BLUE, FAIL, GREY, INK, OPEN, ORANGE, PASS
from satisfice.layout.escape import figure_text
from satisfice.layout.numbers import counted, written
from satisfice.layout.tracks import Scale, Span, scale_of
from satisfice.problem.metric import Direction
from satisfice.problem.problem import Problem
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT

if TYPE_CHECKING:
    from satisfice.simulation.summary import CellSummary


def new_figure(width: float, height: float, columns: int = 1) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, one for each column; no window, no global state."""
    need("A figure", "matplotlib")
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    class ShownFigure(Figure):
        """Shows itself in a notebook, also where nobody imported pyplot."""

        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=110)
            return buffer.getvalue()

    figure = ShownFigure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(1, columns, squeeze=False)
    for panel in panels[0]:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(panels[0])


def save_figure(figure: Any, path: Path) -> None:
    """Save as the file's ending says (.png, .pdf, .svg)."""
    with writing("The figure", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)


def plot_campaign(summaries: "Sequence[CellSummary]") -> Any:
    """Evaluations until the answer for each cell: mean, median, and the range up to the 90 and 99 % quantiles."""
    rows = list(reversed(summaries))
    figure, (panel,) = new_figure(8, 1.4 + 0.42 * len(rows))
    _plot_runs(panel, rows, [_label(row, summaries) for row in rows])
    panel.set_xlim(left=0)
    panel.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return figure


def plot_plan(rows: "Sequence[tuple[str, CellSummary, float | None]]", budget: int) -> Any:
    """Evaluations until the answer in each scenario, on a logarithmic scale, with its limit and the budget."""
    figure, (panel,) = new_figure(9, 1.5 + 0.42 * len(rows))
    _plot_runs(panel, [runs for _, runs, _ in reversed(rows)], [name for name, _, _ in reversed(rows)])
    for height, (_, _, limit) in enumerate(reversed(rows)):
        if limit:
            panel.plot(limit, height, "D", color=GREY, markersize=4)
    panel.plot([], [], "D", color=GREY, markersize=4, linestyle="none", label="limit")
    panel.axvline(budget, color=GREY, linestyle=":", label="budget")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, columnspacing=1.2)
    return figure


def _plot_runs(panel: Any, rows: "Sequence[CellSummary]", labels: Sequence[str]) -> None:
    """A line for each row, from the bottom: median, mean, and how far 90 % and 99 % of the runs reach."""
    for height, row in enumerate(rows):
        panel.plot([row.median, row.quantile_99], [height, height], color=BLUE, linewidth=1.5)
        panel.plot([row.median, row.quantile_90], [height, height], color=BLUE, linewidth=6, solid_capstyle="butt")
        panel.plot(row.median, height, "|", color=INK.light, markersize=14, label="median" if height == 0 else None)
        panel.plot(row.mean, height, "o", color=ORANGE, label="mean" if height == 0 else None)
    panel.set_yticks(range(len(rows)), list(map(figure_text, labels)))
    panel.set_ylim(-0.6, len(rows) - 0.4)
    panel.set_xlabel("evaluations until the answer (thick: up to 90 %, thin: up to 99 % of the runs)")


def plot_search(problem: Problem, statuses: Sequence[ArmStatus], found: str | None) -> Any:
    """Each arm's estimates with intervals that hold at all times, against the thresholds; the arm found passes."""
    names = [figure_text(status.name) for status in reversed(statuses)]
    figure, panels = new_figure(3.6 * len(problem.metrics) + 1, 1.4 + 0.34 * len(names), len(problem.metrics))
    for index, (metric, panel) in enumerate(zip(problem.metrics, panels, strict=True)):
        estimates = [(status.means[index], status.intervals[index]) for status in statuses if status.pulls]
        scale = scale_of(estimates, *metric.shown_limit)
        passing = scale.passing(*metric.shown_limit, at_most=metric.direction is Direction.AT_MOST)
        panel.axvspan(*map(scale.value, passing), color=PASS.light, alpha=0.12, lw=0)
        panel.axvline(metric.shown_limit[0], color=GREY, linewidth=1)
        for height, status in enumerate(reversed(statuses)):
            if status.pulls:
                passes = status.name == found or status.decision == ACCEPT
                colour = (PASS if passes else FAIL if status.decision == REJECT else OPEN).light
                panel.plot(status.means[index], height, "o", markersize=4, color=colour)
                _plot_span(panel, scale, scale.span(status.intervals[index]), height, colour)
        panel.set_xlim(*scale)
        panel.set_ylim(-0.6, len(names) - 0.4)
        panel.set_title(figure_text(metric.limited), fontsize=10)
        panel.set_yticks(range(len(names)), names if index == 0 else [""] * len(names))
    return figure


def _plot_span(panel: Any, scale: Scale, span: Span, height: int, colour: str) -> None:
    """An interval as a line with a bar at each end, or an arrow head where it is cut off."""
    ends = scale.value(span.start), scale.value(span.end)
    panel.plot(ends, [height, height], color=colour, linewidth=1.5)
    for end, cut, arrow in ((ends[0], span.cut_at_start, "<"), (ends[1], span.cut_at_end, ">")):
        panel.plot(end, height, arrow if cut else "|", markersize=4, color=colour, clip_on=False)


def _label(row: "CellSummary", rows: "Sequence[CellSummary]") -> str:
    """The rule, and whatever else differs between the rows."""
    parts = [row.rule]
    if len({other.instance for other in rows}) > 1:
        parts.append(row.instance)
    if len({other.error_rate for other in rows}) > 1:
        parts.append(f"error rate {written(row.error_rate)}")
    if len({other.tolerance for other in rows}) > 1:
        parts.append(f"tolerance {row.tolerance}")
    if row.timing is not None:
        parts.append(counted(row.timing.workers, "worker"))
    return ", ".join(parts)
