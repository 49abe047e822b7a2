"""Measure everything, print it, write RESULTS.md; the exit code is 1 if a bar is missed."""

import os
import platform
import sys
from pathlib import Path

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import compilation, simulator
from satisfice.comparison.bar import Bar

RESULTS = Path(__file__).parent / "RESULTS.md"


def machine() -> str:
    """What this was measured on."""
    model = (
        next(
            (
                line.split(":")[1].strip()
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if "model name" in line
            ),
            platform.processor(),
        )
        if Path("/proc/cpuinfo").exists()
        else platform.processor()
    )
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}"
    )


def markdown(bars: list[Bar]) -> str:
    """The results as a page."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Every figure is a ratio measured in one run on one machine; the best of several",
        "alternating rounds counts, since other programs only ever slow one down.",
        "",
        f"Machine: {machine()}.",
        "",
        "| what | bar | measured | details |",
        "|---|---|---|---|",
        *(
            f"| {bar.what} | {bar.wanted} | {bar.shown} {'' if bar.met else '(missed)'} | {bar.details} |"
            for bar in bars
        ),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    console = Console()
    bars: list[Bar] = []
    for measure in (*compilation.MEASURES, *simulator.MEASURES):
        with console.status(f"measuring: {measure.__doc__}"):
            bars += measure()
    table = Table(box=None, header_style="bold")
    for name in ("what", "bar", "measured", "details"):
        table.add_column(name)
    for bar in bars:
        table.add_row(bar.what, bar.wanted, f"[{'green' if bar.met else 'red'}]{bar.shown}[/]", bar.details)
    console.print(machine())
    console.print(table)
    RESULTS.write_text(markdown(bars))
    sys.exit(any(not bar.met for bar in bars))


main()
