"""Figure 1: what is looked for, a Pareto front or an arm beyond the thresholds."""

from typing import Any

from satisfice.layout.colours import FAINT, GREEN, INK, ORANGE, PAPER, PASS

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
