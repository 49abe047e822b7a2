"""The paper's figures, Figure 1 and those from finished comparisons; nothing here simulates."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import Any

from satisfice.extras import need
from satisfice.layout import colours
from satisfice.layout.colours import FAINT, GREEN, INK, ORANGE, PAPER, PASS
from satisfice.paper.article import SWEEPS, Parameter, Statistic, Sweep
from satisfice.paper.comparisons import ComparedNumber

THRESHOLDS = (0.5, 0.45)

FRONT = ((0.12, 0.95), (0.34, 0.86), (0.55, 0.75), (0.74, 0.6), (0.87, 0.36), (0.94, 0.13))
"""Arms that no other arm beats in both metrics; some of them miss a threshold."""

DOMINATED = ((0.6, 0.53), (0.2, 0.62), (0.33, 0.4), (0.42, 0.66), (0.12, 0.25), (0.62, 0.28), (0.75, 0.2), (0.4, 0.14))


def draw_sketch(axes: Any) -> None:
    """A Pareto front against the region beyond the thresholds, on matplotlib axes."""
    across, up = THRESHOLDS
    arms = (*FRONT, *DOMINATED)
    good = [arm for arm in arms if arm[0] >= across and arm[1] >= up]
    rest = [arm for arm in arms if arm not in good]
    axes.fill_between([across, 1.0], up, 1.05, color=GREEN, alpha=0.15, linewidth=0)
    axes.axvline(across, color=FAINT.light, linewidth=0.8, linestyle="--")
    axes.axhline(up, color=FAINT.light, linewidth=0.8, linestyle="--")
    axes.plot(*zip(*FRONT, strict=True), color=ORANGE, linewidth=1.2, label="Pareto front", zorder=1)
    axes.scatter(
        *zip(*rest, strict=True), s=22, facecolor=PAPER.light, edgecolor=INK.light, label="other arm", zorder=2
    )
    axes.scatter(*zip(*good, strict=True), s=34, marker="s", color=GREEN, label="good arm", zorder=3)
    axes.text(0.985, 1.02, "beyond both thresholds", ha="right", va="top", fontsize=7, color=PASS.light)
    axes.set(xlim=(0, 1.0), ylim=(0, 1.05))
    axes.set_xticks([across], [r"threshold $\xi_1$"])
    axes.set_yticks([up], [r"threshold $\xi_2$"], rotation=90, va="center")
    axes.set_xlabel("mean of metric 1")
    axes.set_ylabel("mean of metric 2")


COLUMN_WIDTH = 3.5
"""Inches: one column of a two-column page."""

STYLES = {
    "MultiAPT": (colours.BLUE, "s"),
    "MultiHDoC": (colours.ORANGE, "^"),
    "MultiLUCB": (colours.PINK, "D"),
    "MultiTUCB": (colours.GREEN, "o"),
}
"""Colour and marker of each rule."""

LEFT_OUT = {"medical_delta": ("MultiAPT",), "medical_epsilon": ("MultiAPT",)}
"""As in the paper: one rule that needs a hundred times as long would flatten all others."""

FORMATS = {"pdf": {"CreationDate": None}, "png": {"Software": None}}
"""File formats, with what keeps equal figures equal files."""

PRINTED = "printed (open)"

Drawing = Callable[[Any], None]


def figure_files(rows: Sequence[ComparedNumber]) -> Iterator[tuple[str, bytes]]:
    """Name and content of every figure that these rows allow, as PDF and as PNG."""
    for number, draw in _drawings(rows):
        figure = _on_paper(draw)
        for kind, metadata in FORMATS.items():
            content = BytesIO()
            figure.savefig(content, format=kind, dpi=220, metadata=metadata)
            yield f"figure_{number}.{kind}", content.getvalue()


def _drawings(rows: Sequence[ComparedNumber]) -> Iterator[tuple[int, Drawing]]:
    yield 1, draw_sketch
    for sweep in SWEEPS:
        of_sweep = [row for row in rows if row.sweep is sweep and row.statistic is Statistic.STOPPING_TIME]
        if of_sweep:
            yield sweep.figure, partial(_draw_sweep, sweep=sweep, rows=of_sweep)


def _on_paper(draw: Drawing) -> Any:
    need("A figure", "matplotlib")
    from matplotlib import rc_context  # noqa: PLC0415 - heavy
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy

    style: dict[Any, int] = {
        "font.size": 8,
        "axes.labelsize": 8,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "legend.fontsize": 7,
    }
    with rc_context(style):
        figure = Figure(figsize=(COLUMN_WIDTH, 2.9), layout="constrained")
        axes = figure.add_subplot()
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        draw(axes)
        _put_legend(figure, axes)
        figure.draw_without_rendering()  # fixes the layout while the style holds
    return figure


def _put_legend(figure: Any, axes: Any) -> None:
    """Above the axes, where it covers nothing; the rules first, which matplotlib lists after plain lines."""
    entries = sorted(zip(*axes.get_legend_handles_labels(), strict=True), key=lambda entry: entry[1] == PRINTED)
    figure.legend(
        *zip(*entries, strict=True),
        loc="outside upper center",
        ncols=3,
        frameon=False,
        handlelength=1.6,
        columnspacing=1.2,
    )


def _draw_sweep(axes: Any, sweep: Sweep, rows: Sequence[ComparedNumber]) -> None:
    """Ours as lines with 95 % error bars, printed numbers as open markers."""
    for rule, (colour, marker) in STYLES.items():
        if rule in LEFT_OUT.get(sweep.name, ()):
            continue
        lines = [row for row in rows if row.rule == rule]
        ours = [
            (row.value, row.ours / 1000, 1.96 * row.standard_error / 1000)
            for row in lines
            if row.ours is not None and row.standard_error is not None
        ]
        axes.errorbar(*_columns(ours), color=colour, marker=".", markersize=3, linewidth=1.1, capsize=2, label=rule)
        printed = [(row.value, row.printed / 1000) for row in lines if row.printed is not None and not row.misprint]
        axes.plot(*_columns(printed), linestyle="", marker=marker, markersize=5.5, markerfacecolor="none", color=colour)
        for row in lines:
            if row.misprint and row.printed is not None:
                _mark_misprint(axes, row.value, row.printed / 1000, colour)
    axes.plot(
        [], [], linestyle="", marker="o", markersize=5.5, markerfacecolor="none", color=colours.INK.light, label=PRINTED
    )
    axes.set_xlabel("error rate δ" if sweep.parameter is Parameter.DELTA else "tolerance ε")
    axes.set_ylabel("mean stopping time, thousands")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, sweep.values[-1] + sweep.values[0])
    axes.grid(axis="y", color=colours.RULE.light, linewidth=0.6)
    axes.set_axisbelow(True)


def _mark_misprint(axes: Any, value: float, printed: float, colour: str) -> None:
    axes.plot([value], [printed], marker="x", color=colour, linestyle="", markersize=5.5)
    axes.annotate(
        "misprint", (value, printed), (6, 0), textcoords="offset points", va="center", fontsize=6.5, color=colour
    )


def _columns(points: Sequence[tuple[float, ...]]) -> list[list[float]]:
    return [list(column) for column in zip(*points, strict=True)]
