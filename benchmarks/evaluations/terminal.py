"""What people see of a comparison: a table for each instance, and the bars."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import report
from benchmarks.evaluations.bars import bars, best_paper_row
from benchmarks.evaluations.measure import Comparison
from benchmarks.evaluations.member import Member
from satisfice.show.sentence import say
from satisfice.show.table import plain_table


def comparison_document(made: Comparison) -> dict[str, Any]:
    """Rows and bars in plain values."""
    return {
        "repetitions": made.repetitions,
        "seed": made.seed,
        "rows": [row.as_dict() for row in made.rows],
        "limits": [limit.as_dict() for limit in made.limits],
        "bars": [bar._asdict() | {"holds": bar.met} for bar in bars(made)],
    }


def print_comparison(made: Comparison, paths: Sequence[Path]) -> None:
    """Every instance with its contestants, then the bars, then where the files are."""
    console = Console()
    for member in made.members:
        _print_member(console, made, member)
    report.print_bars(bars(made))
    if paths:
        say(console, f"kept in {paths[0].parent}: {', '.join(path.name for path in paths)}")


def _print_member(console: Console, made: Comparison, member: Member) -> None:
    floor = made.limit(member.name).oracle
    shape = f"{len(member.instance.arm_names):,} arms, {len(member.instance.problem.metrics)} metrics"
    say(console, f"{member.name}: {shape}" + ("" if floor is None else f", an oracle needs {floor:,.0f}"))
    best = best_paper_row(made, member.name)
    rows = [
        (
            row.contestant,
            *(f"{number:,.0f}" for number in (row.mean, row.median, row.quantile_99)),
            f"{row.mean / best.mean:.2f}" if best is not None else "",
            f"{row.wrong:.1%}",
            f"{row.timed_out:.1%}",
        )
        for row in made.rows
        if row.instance == member.name
    ]
    console.print(plain_table(("contestant", "mean", "median", "99 %", "/ best paper", "wrong", "late"), rows))
    console.print()
