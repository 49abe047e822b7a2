"""What people see of the theory."""

from rich.console import Console
from rich.table import Table

from satisfice.core.theory import Bounds, UpperBound
from satisfice.simulation.instance import Instance
from satisfice.simulation.summary import CellSummary

MEANINGS = {
    "lower_bound_as_printed": "lower bound, as the paper prints it",
    "practical_limit": "limit for any method: characteristic time x ln(1/error rate)",
    "upper_bound": "MultiTUCB's upper bound in the paper, at its best eps0",
}
"""What `bounds` shows beside the simulated mean, from low to high."""


def print_bounds(computed: Bounds, instance: Instance, simulated: CellSummary | None) -> None:
    """The arms' standing, then each bound with its meaning, beside the simulated mean; what is missing, and why."""
    console = Console()
    console.print(f"{instance.name}: {computed.case}, error rate {computed.error_rate:g}", highlight=False)
    console.print(_arm_table(computed, instance))
    rows = {quantity: _bound_text(computed, quantity) for quantity in MEANINGS}
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("expected number of evaluations")
    table.add_column("", justify="right")
    for quantity in ("lower_bound_as_printed", "practical_limit"):
        table.add_row(MEANINGS[quantity], rows[quantity])
    if simulated is not None:
        mean = f"{simulated.mean:,.0f} ± {simulated.standard_error:,.0f}"
        table.add_row(f"MultiTUCB in {simulated.repetitions:,} simulated runs", mean)
    table.add_row(MEANINGS["upper_bound"], rows["upper_bound"])
    console.print(table)
    if computed.corollary_slope is not None and computed.characteristic_time is not None:
        console.print(
            f"as the error rate goes to 0, evaluations / ln(1/error rate): {computed.characteristic_time:,.1f} for the "
            f"best method, at most {computed.corollary_slope:,.1f} by the paper's corollary",
            highlight=False,
        )
    for reason in computed.reasons:
        console.print(f"no {reason.quantity.replace('_', ' ')}: {reason.sentence}", highlight=False)


def _arm_table(computed: Bounds, instance: Instance, most: int = 20) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("arm", "standing", "shortfall", "beyond tolerance"):
        table.add_column(name, justify="left" if name in {"arm", "standing"} else "right")
    arms = list(zip(instance.arm_names, computed.standings, computed.shortfalls, computed.excesses, strict=True))
    for name, standing, shortfall, excess in arms[:most]:
        table.add_row(name, str(standing), f"{shortfall:.4g}", f"{excess:.4g}")
    if len(arms) > most:
        table.add_row(f"... and {len(arms) - most} more", "", "", "")
    return table


def _bound_text(computed: Bounds, quantity: str) -> str:
    value = getattr(computed, quantity)
    if value is None:
        return "-"
    return f"{value.pulls:,.0f}" if isinstance(value, UpperBound) else f"{value:,.0f}"
