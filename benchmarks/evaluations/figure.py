"""A comparison as a figure; nothing here simulates."""

from collections.abc import Sequence
from typing import Any

from benchmarks.evaluations.contestants import DEFAULT, ELIMINATION
from benchmarks.evaluations.measure import FIXED, Comparison
from benchmarks.evaluations.member import Group, Member
from satisfice.layout import colours

STYLES = {
    "MultiTUCB": (colours.GREEN, "o"),
    "MultiLUCB": (colours.PINK, "D"),
    "MultiHDoC": (colours.ORANGE, "^"),
    "MultiAPT": (colours.SKY, "s"),
    ELIMINATION.name: (colours.GREY, "v"),
    FIXED: (colours.PALE_GREY, "X"),
}
"""Colour and marker of each contestant."""

OURS = colours.BLUE


def figure(made: Comparison) -> Any:
    """Mean evaluations of every contestant, a line for each instance, and the default's range to its 99 % quantile."""
    from satisfice.plots import new_figure  # noqa: PLC0415 - loads matplotlib

    members = [member for member in made.members if member.group is not Group.SWEEPS] or list(made.members)
    drawn, (panel,) = new_figure(8.5, 1.6 + 0.27 * len(members))
    for height, member in enumerate(reversed(members)):
        _line(panel, made, member, height)
    panel.set_xscale("log")
    panel.set_yticks(range(len(members)), [member.name for member in reversed(members)])
    panel.set_ylim(-0.7, len(members) - 0.3)
    panel.set_xlabel("mean evaluations until the answer (bar: satisfice, median to 99 % quantile)")
    panel.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    panel.set_axisbelow(True)
    _legend(drawn, panel)
    return drawn


def _line(panel: Any, made: Comparison, member: Member, height: int) -> None:
    panel.axhline(height, color="#EEEEEE", linewidth=0.6, zorder=0)
    floor = made.limit(member.name).oracle
    if floor is not None:
        panel.plot(floor, height, "|", color="black", markersize=9)
    for name, (colour, marker) in STYLES.items():
        row = made.row(member.name, name)
        if row is not None:
            panel.plot(row.mean, height, marker, color=colour, markersize=5, linestyle="")
    ours = made.row(member.name, DEFAULT.name)
    if ours is not None:
        panel.plot([ours.median, ours.quantile_99], [height, height], color=OURS, linewidth=5, alpha=0.35)
        panel.plot(ours.mean, height, "o", color=OURS, markersize=6.5)


def _legend(drawn: Any, panel: Any) -> None:
    handles: Sequence[Any] = [
        *panel.plot([], [], "|", color="black", markersize=9, label="oracle"),
        *panel.plot([], [], "o", color=OURS, markersize=6.5, label=DEFAULT.name),
        *(
            handle
            for name, (colour, marker) in STYLES.items()
            for handle in panel.plot([], [], marker, color=colour, markersize=5, linestyle="", label=name)
        ),
    ]
    drawn.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
