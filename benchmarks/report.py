"""Measurements on a terminal and as a page."""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from satisfice.comparison.bar import Bar

COLUMNS = ("what", "bar", "measured", "details")


def machine(packages: Sequence[str]) -> str:
    """What this was measured on."""
    about = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":")[1].strip() for line in about.splitlines() if "model name" in line]
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores, {system}, {versions}"


def run(measures: Iterable[Callable[[], Iterable[Bar]]], page: Path, opening: str, packages: Sequence[str]) -> None:
    """Measure, print a table, write the page, and leave with exit code 1 if a bar is missed."""
    console = Console()
    bars: list[Bar] = []
    for measure in measures:
        with console.status(f"measuring: {measure.__doc__}"):
            bars += measure()
    table = Table(box=None, header_style="bold")
    for name in COLUMNS:
        table.add_column(name)
    for bar in bars:
        table.add_row(bar.what, bar.wanted, f"[{'green' if bar.met else 'red'}]{bar.shown}[/]", bar.details)
    console.print(machine(packages))
    console.print(table)
    page.write_text(f"{opening}\nMachine: {machine(packages)}.\n\n{_markdown(bars)}")
    sys.exit(any(not bar.met for bar in bars))


def _markdown(bars: Iterable[Bar]) -> str:
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    rows += [(bar.what, bar.wanted, f"{bar.shown}{'' if bar.met else ' (missed)'}", bar.details) for bar in bars]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
