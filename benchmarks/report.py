"""Measured bars on a terminal and as a page: one way for all measurements of time."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial, update_wrapper
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.bar import Bar
from benchmarks.rounds import FULL, QUICK, Effort
from satisfice.layout import colours, markdown
from satisfice.show.sentence import plain
from satisfice.show.table import plain_table

COLUMNS = ("what", "bar", "measured", "rounds", "details")
WIDTH = 120
"""Of the table in a narrower terminal, or in none: in less, words would be broken."""
Measure = Callable[[Effort], Iterable[Bar]]
MeasureIn = Callable[[Path, Effort], Iterable[Bar]]


def arguments(description: str, *flags: str) -> argparse.Namespace:
    """What was asked for on the command line: --quick, and the flags of a measurement."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)  # sees that it runs, measures nothing
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


def machine(packages: Sequence[str]) -> str:
    """What this was measured on."""
    about = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":")[1].strip() for line in about.splitlines() if "model name" in line]
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores, {system}, {versions}"


def run(measures: Iterable[Measure], page: Path, opening: str, packages: Sequence[str], *, quick: bool) -> None:
    """Measure, print a table, write the page, and leave with exit code 1 if a bar is missed.

    A quick look writes no page and misses no bar.
    """
    console, here = Console(), machine(packages)  # before minutes are spent: a package may not be there
    console.print(here)
    bars: list[Bar] = []
    for measure in measures:
        with console.status(f"measuring: {measure.__doc__}"):
            bars += measure(QUICK if quick else FULL)
    print_bars(bars)
    if not quick:
        page.write_text(f"{opening}\nMachine: {here}.\n\n{bar_table(bars)}\n", encoding="utf-8")
        sys.exit(any(not bar.met for bar in bars))


def run_in_folder(
    measures: Iterable[MeasureIn], page: Path, opening: str, packages: Sequence[str], *, quick: bool
) -> None:
    """The same with measurements that need a folder: all have one, below BENCH_FOLDER if that is set."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        given = [update_wrapper(partial(measure, Path(folder)), measure) for measure in measures]
        run(given, page, opening, packages, quick=quick)


def print_bars(bars: Iterable[Bar]) -> None:
    """The bars on the terminal, wide enough for whole words."""
    Console(width=max(Console().width, WIDTH)).print(terminal_table(bars))


def terminal_table(bars: Iterable[Bar]) -> Table:
    """The bars for a terminal, missed ones in the colour of failing."""

    def coloured(bar: Bar) -> Text:
        return plain(bar.shown, (colours.PASS if bar.met else colours.FAIL).terminal)

    rows = [(bar.what, bar.wanted, coloured(bar), bar.spread_shown, bar.details) for bar in bars]
    return plain_table(COLUMNS, rows, left=range(len(COLUMNS)), wrapped=(0, 4))


def bar_table(bars: Iterable[Bar]) -> str:
    """The bars as Markdown."""
    rows = [
        (bar.what, bar.wanted, f"{bar.shown}{'' if bar.met else ' (missed)'}", bar.spread_shown, bar.details)
        for bar in bars
    ]
    return markdown.table(COLUMNS, rows, left=range(len(COLUMNS)))
