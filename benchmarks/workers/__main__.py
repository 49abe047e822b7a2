"""What many workers cost and gain: python -m benchmarks.workers [-n 1000] [-i synthetic] [--workers 32] [-r RULE]"""

import sys
from statistics import geometric_mean

import typer

from benchmarks.bar import Bar
from benchmarks.workers.measure import INSTANCES, LATE, PLAIN, WORKERS, Row, bars, rows_of
from satisfice.cli import options
from satisfice.errors import SatisficeError
from satisfice.layout.text_table import text_table
from satisfice.rules import DEFAULT_RULE
from satisfice.show.campaign import campaign_progress
from satisfice.stopping import DEFAULT_STOPPING

NAMES = options.option(
    "NAME", "An instance of the benchmark's family, or a group of it; repeat.", "--instances", "-i", shown="six of them"
)
NUMBERS = options.option("N", "How many workers; repeat.", "--workers", "-w", shown="8, 32, 64")
LASTING = options.option("TEXT", "Durations; repeat.", "--durations", shown=f"{PLAIN}; {LATE}")
RUNS = options.option("N", "Runs of each.", "--repetitions", "-n", default=1000, min=1)
SEED = options.option("N", "Seed of all randomness.", default=1, min=0)
HEADS = ("instance", "durations", "workers", "one worker", "used", "asked", "time", "floor", "wrong %")


def workers(
    instances: list[str] | None = NAMES,
    count: list[int] | None = NUMBERS,
    durations: list[str] | None = LASTING,
    rule: str | None = options.RULE_NAME,
    stopping: str | None = options.STOPPING_NAME,
    repetitions: int = RUNS,
    seed: int = SEED,
    threads: int | None = options.THREADS,
) -> None:
    """Many workers over one: evaluations used, asked for, and the time over the ideal (one's evaluations a worker).

    The floor is the least time for all of one worker's evaluations, over the same: the last of them has to end. Only
    a run that need not wait for all of them is quicker.
    """
    with campaign_progress() as tell:
        rows = list(
            rows_of(
                instances or INSTANCES,
                rule or DEFAULT_RULE,
                stopping or DEFAULT_STOPPING,
                count or WORKERS,
                durations or (PLAIN, LATE),
                repetitions=repetitions,
                seed=seed,
                threads=threads,
                on_progress=tell,
            )
        )
    print(text_table(HEADS, [*map(line, rows), *means(rows)], left=(0, 1)))
    print(text_table(("worst of them with 32 workers", "bar", "", "on"), map(bar_line, bars(rows))))


def line(row: Row) -> tuple[str, ...]:
    ratios = (f"{ratio:.2f}" for ratio in (row.used, row.asked, row.time, row.floor))
    return row.instance, row.durations, str(row.workers), f"{row.one:,.0f}", *ratios, f"{100 * row.wrong:.2g}"


def means(rows: list[Row]) -> list[tuple[str, ...]]:
    """A line for each number of workers and durations: the geometric means over the instances."""
    found = []
    for kind in dict.fromkeys((row.durations, row.workers) for row in rows):
        some = [row for row in rows if (row.durations, row.workers) == kind]
        columns = zip(*((row.used, row.asked, row.time, row.floor) for row in some), strict=True)
        ratios = (f"{geometric_mean(column):.2f}" for column in columns)
        found.append(("geometric mean", kind[0], str(kind[1]), "", *ratios, ""))
    return found


def bar_line(bar: Bar) -> tuple[str, ...]:
    return bar.what, bar.wanted, f"{bar.shown}{'' if bar.met else ' (missed)'}", bar.details


def main() -> None:
    """Run the command; what is wrong with its input is told in a sentence, with exit code 2."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(workers)
    try:
        app(prog_name="python -m benchmarks.workers")
    except SatisficeError as error:
        print(f"benchmarks.workers: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
