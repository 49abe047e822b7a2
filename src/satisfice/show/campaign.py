"""What people see of a campaign: progress and tables."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import environ
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from satisfice.layout.escape import visible
from satisfice.layout.numbers import compact, counted, fixed, rounded, written
from satisfice.show.sentence import say, screen
from satisfice.show.table import plain_table
from satisfice.simulation.campaign import Progress as CampaignProgress
from satisfice.simulation.results import timing_cells, tolerance_text
from satisfice.simulation.summary import CellSummary, Spending

TELLER = Callable[[CampaignProgress], None]


@contextmanager
def campaign_progress(*, quiet: bool = False) -> Iterator[TELLER]:
    """A progress bar on standard error with rate and time left; nothing when nobody is watching."""
    console = screen(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda progress: None
        return
    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        BarColumn(bar_width=16),
        RunsDone(table_column=Column(no_wrap=True)),
        EvaluationRate(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as bar:
        task = bar.add_task("compiling", total=None, rate=0.0)
        recent: deque[tuple[float, int]] = deque(maxlen=50)  # of the last blocks: compiling is not simulating

        def tell(now: CampaignProgress) -> None:
            recent.append((monotonic(), now.evaluations))
            (start, before), (end, after) = recent[0], recent[-1]
            bar.update(
                task,
                description=visible(f"{min(now.cells_done + 1, now.cells)}/{now.cells} {now.label}"),
                completed=now.repetitions_done,
                total=now.repetitions,
                rate=(after - before) / (end - start) if end > start else 0.0,
            )

        yield tell


class RunsDone(ProgressColumn):
    """Runs made and to be made; how many there are is told with the first of them."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{fixed(task.completed, 0)}/{fixed(task.total, 0)} runs")


class EvaluationRate(ProgressColumn):
    """Simulated evaluations a second, in millions."""

    def render(self, task: Task) -> Text:
        return Text(f"{fixed(task.fields['rate'] / 1e6, 1)} M/s" if task.fields["rate"] else "")


NUMBERS: dict[str, Callable[[CellSummary], str]] = {
    "mean": lambda row: fixed(row.mean, 0),
    "sd": lambda row: fixed(row.sd, 0),
    "median": lambda row: fixed(row.median, 0),
    "90 %": lambda row: fixed(row.quantile_90, 0),
    "99 %": lambda row: fixed(row.quantile_99, 0),
    "wrong %": lambda row: rate(row.wrong, row.wrong_high),
    "timed\nout %": lambda row: rate(row.timed_out, row.timed_out_high),
}
"""The columns of a campaign's table, after those that say what differs."""

TIMED: dict[str, Callable[[CellSummary], str]] = {
    "asked": lambda row: timing_cells(row.timing)[1],
    "time": lambda row: timing_cells(row.timing)[2],
}
"""Further columns where evaluations have durations."""

EXPENDABLE = ("sd", "90 %", "99 %")
"""Columns that a narrow screen does without, the first one first."""


COST_NUMBERS: dict[str, Callable[[Spending], str]] = {
    "cost, mean": lambda cost: compact(cost.mean),
    "sd": lambda cost: compact(cost.sd),
    "median": lambda cost: compact(cost.median),
    "90 %": lambda cost: compact(cost.quantile_90),
    "99 %": lambda cost: compact(cost.quantile_99),
}
"""The columns of a second table, where it is known what evaluations cost."""


def print_summaries(summaries: Sequence[CellSummary], out: Path | None) -> None:
    """A line for each cell, and where the files are. What is the same in all cells stands above, not in a column."""
    labels: dict[str, list[str]] = {
        "instance": [row.instance for row in summaries],
        "error\nrate": [written(row.error_rate) for row in summaries],
        "tolerance": [tolerance_text(row.tolerance) for row in summaries],
        "stopping": [row.stopping for row in summaries],
    }
    timed = [row.timing for row in summaries if row.timing is not None]
    if timed:
        labels |= {"workers": [f"{each.workers:,}" for each in timed], "durations": [each.durations for each in timed]}
    common = {name.replace("\n", " "): texts[0] for name, texts in labels.items() if len(set(texts)) == 1}
    varying = {name: texts for name, texts in labels.items() if len(set(texts)) > 1}
    name = common.pop("instance", "all instances")
    console = screen()
    say(console, f"{name}: evaluations until the answer, {counted(summaries[0].repetitions, 'run')} of each rule")
    say(console, ", ".join(f"{what} {text}" for what, text in common.items()))
    left_out = _print_what_fits(console, summaries, varying)
    if all(row.cost is not None for row in summaries):
        console.print(_cost_table(summaries, varying))
    say(console, "in brackets: the upper end of a 95 % interval")
    if timed:
        say(console, "mean: evaluations used for the answer; time: until the answer, in mean evaluations")
    if left_out:
        say(console, f"no room for {', '.join(left_out)}: widen the window, or use --json")
    if out is not None:
        say(console, f"kept in {out}: results.parquet, summary.csv, pulls_per_arm.csv, evaluations.png")


def _print_what_fits(
    console: Console, summaries: Sequence[CellSummary], varying: dict[str, list[str]]
) -> tuple[str, ...]:
    """Print as many columns as the screen has room for, all of them into a file; return what was left out."""
    on_screen = console.is_terminal or "COLUMNS" in environ
    for count in range(len(EXPENDABLE) + 1):
        table = _summary_table(summaries, varying, without=EXPENDABLE[:count])
        needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
        if needed <= console.width or not on_screen:
            break
    screen(width=max(console.width, needed)).print(table)  # whole numbers, even if a terminal breaks the lines
    return EXPENDABLE[:count]


def _summary_table(summaries: Sequence[CellSummary], varying: dict[str, list[str]], without: tuple[str, ...]) -> Table:
    columns = NUMBERS if summaries[0].timing is None else NUMBERS | TIMED
    shown = {name: text for name, text in columns.items() if name not in without}
    rows = [
        (row.rule, *(texts[index] for texts in varying.values()), *(text(row) for text in shown.values()))
        for index, row in enumerate(summaries)
    ]
    return plain_table(("rule", *varying, *shown), rows, left=range(1 + len(varying)))


def _cost_table(summaries: Sequence[CellSummary], varying: dict[str, list[str]]) -> Table:
    rows = [
        (row.rule, *(texts[index] for texts in varying.values()), *(text(row.cost) for text in COST_NUMBERS.values()))
        for index, row in enumerate(summaries)
        if row.cost is not None
    ]
    return plain_table(("rule", *varying, *COST_NUMBERS), rows, left=range(1 + len(varying)))


def rate(estimate: float, high: float) -> str:
    """A rate in percent, and the upper end of its 95 % interval."""
    return f"{_percent(estimate)} (<{_percent(high)})"


def _percent(share: float) -> str:
    """Two digits, and 100 as itself."""
    percent = 100 * share
    return rounded(percent, 2)


def print_reproduction(made: Any, out: Path) -> None:
    """How near the printed numbers we are, table by table."""
    console = screen()
    for line in made.summary().split("\n"):
        say(console, line)
    say(console, f"Tables and figures are in {out}.")
