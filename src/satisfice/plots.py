"""Figures. A plot never simulates: it shows what was computed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satisfice.errors import UnwritableFolder
from satisfice.problem.problem import Problem
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT

if TYPE_CHECKING:
    from satisfice.simulation.summary import CellSummary

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
"""Colours that differ for colour-blind readers too (Okabe and Ito 2008)."""


def new_figure(width: float, height: float, columns: int = 1) -> tuple[Any, list[Any]]:
    """A figure with so many panels side by side; no window, no global state."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(1, columns, squeeze=False)
    for panel in panels[0]:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(panels[0])


def save_figure(figure: Any, path: Path) -> None:
    """Save as the file's ending says (.png, .pdf, .svg)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise UnwritableFolder(f"The figure cannot be written to {path}: {error.strerror or error}.") from None


def plot_campaign(summaries: "Sequence[CellSummary]") -> Any:
    """Evaluations until the answer for each cell: mean, median, and the range up to the 90 and 99 % quantiles."""
    rows = list(reversed(summaries))
    figure, (panel,) = new_figure(8, 1.4 + 0.42 * len(rows))
    for height, row in enumerate(rows):
        panel.plot([row.median, row.quantile_99], [height, height], color=BLUE, linewidth=1.5)
        panel.plot([row.median, row.quantile_90], [height, height], color=BLUE, linewidth=6, solid_capstyle="butt")
        panel.plot(row.median, height, "|", color="black", markersize=14, label="median" if height == 0 else None)
        panel.plot(row.mean, height, "o", color=ORANGE, label="mean" if height == 0 else None)
    panel.set_yticks(range(len(rows)), [_label(row, summaries) for row in rows])
    panel.set_ylim(-0.6, len(rows) - 0.4)
    panel.set_xlim(left=0)
    panel.set_xlabel("evaluations until the answer (thick: up to 90 %, thin: up to 99 % of the runs)")
    panel.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return figure


def plot_plan(rows: "Sequence[tuple[str, CellSummary, float | None]]", budget: int) -> Any:
    """Evaluations until the answer in each scenario, on a logarithmic scale, with its limit and the budget."""
    figure, (panel,) = new_figure(9, 1.5 + 0.42 * len(rows))
    for height, (_, runs, limit) in enumerate(reversed(rows)):
        first = height == 0
        panel.plot([runs.median, runs.quantile_99], [height, height], color=BLUE, linewidth=1.5)
        panel.plot([runs.median, runs.quantile_90], [height, height], color=BLUE, linewidth=6, solid_capstyle="butt")
        panel.plot(runs.median, height, "|", color="black", markersize=14, label="median" if first else None)
        panel.plot(runs.mean, height, "o", color=ORANGE, label="mean" if first else None)
        if limit:
            panel.plot(limit, height, "D", color=GREY, markersize=4)
    panel.plot([], [], "D", color=GREY, markersize=4, linestyle="none", label="limit")
    panel.axvline(budget, color=GREY, linestyle=":", label="budget")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set_yticks(range(len(rows)), [name for name, _, _ in reversed(rows)])
    panel.set_ylim(-0.6, len(rows) - 0.4)
    panel.set_xlabel("evaluations until the answer (thick: up to 90 %, thin: up to 99 % of the runs)")
    panel.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, columnspacing=1.2)
    return figure


def plot_search(problem: Problem, statuses: Sequence[ArmStatus], found: str | None) -> Any:
    """Each arm's estimates with intervals that hold at all times, against the thresholds; the arm found is green."""
    names = [status.name for status in statuses]
    figure, panels = new_figure(3.6 * len(problem.metrics) + 1, 1.4 + 0.34 * len(names), len(problem.metrics))
    for index, (metric, panel) in enumerate(zip(problem.metrics, panels, strict=True)):
        shown = [metric.threshold, *(status.means[index] for status in statuses if status.pulls)]
        lowest, highest = min(shown), max(shown)
        edge = metric.threshold - metric.tolerance if metric.direction == ">=" else metric.threshold + metric.tolerance
        margin = 0.25 * (highest - lowest or 1)
        view = (lowest - margin, highest + margin)
        panel.axvspan(
            *((edge, view[1]) if metric.direction == ">=" else (view[0], edge)), color=GREEN, alpha=0.12, lw=0
        )
        panel.axvline(metric.threshold, color=GREY, linewidth=1)
        for height, status in enumerate(reversed(statuses)):
            colour = (
                GREEN
                if status.name == found or status.decision == ACCEPT
                else ORANGE
                if status.decision == REJECT
                else BLUE
            )
            if status.pulls == 0:
                continue
            mean, far = status.means[index], 2 * (view[1] - view[0])  # what reaches beyond the picture is cut off
            interval = status.intervals[index]
            panel.errorbar(
                mean,
                height,
                xerr=[[min(mean - interval.low, far)], [min(interval.high - mean, far)]],
                fmt="o",
                markersize=4,
                color=colour,
                capsize=2,
            )
        panel.set_xlim(*view)
        panel.set_title(f"{metric.name} {metric.direction} {metric.threshold:g}", fontsize=10)
        panel.set_yticks(range(len(names)), list(reversed(names)) if index == 0 else [""] * len(names))
    return figure


def _label(row: "CellSummary", rows: "Sequence[CellSummary]") -> str:
    """The rule, and whatever else differs between the rows."""
    parts = [row.rule]
    if len({other.instance for other in rows}) > 1:
        parts.append(row.instance)
    if len({other.error_rate for other in rows}) > 1:
        parts.append(f"error rate {row.error_rate:g}")
    if len({other.tolerance for other in rows}) > 1:
        parts.append(f"tolerance {row.tolerance}")
    return ", ".join(parts)
