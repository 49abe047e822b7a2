"""Many workers against one on the same instances: evaluations used and asked for, and the time over the ideal."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.bar import Bar
from benchmarks.evaluations.family import chosen_members
from benchmarks.workers.floor import floor_of
from satisfice.rules import RuleLike
from satisfice.simulation.campaign import Progress, plan_cells, run_campaign
from satisfice.simulation.summary import CellSummary
from satisfice.stopping import StoppingLike

INSTANCES = ("synthetic", "medical", "several good", "hundred arms", "coins at 0.9", "unequal noise")
WORKERS = (8, 32, 64)
PLAIN, LATE = "lognormal(1)", "lognormal(1) + 0.5% x 30"
AT = 32
"""For how many workers there are bars."""
MOST_USED, MOST_ASKED, MOST_TIME = 1.3, 1.6, {PLAIN: 1.5, LATE: 2.0}


class Row(NamedTuple):
    """Workers on an instance, over one worker: evaluations used, asked for, and the time over one's time a worker.

    `floor` is the least time in which so many workers can make one worker's evaluations, over the same.
    """

    instance: str
    durations: str
    workers: int
    one: float
    used: float
    asked: float
    time: float
    wrong: float
    floor: float = 1.0


def rows_of(
    names: Sequence[str],
    rule: RuleLike,
    stopping: StoppingLike,
    workers: Sequence[int] = WORKERS,
    durations: Sequence[str] = (PLAIN, LATE),
    *,
    repetitions: int,
    seed: int,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Iterator[Row]:
    """A row for each instance, durations and number of workers."""
    for member in chosen_members(names):
        for lasting in durations:
            cells = plan_cells(
                [member.instance],
                [rule],
                stopping=stopping,
                repetitions=repetitions,
                max_evaluations=member.max_evaluations,
                seed=seed,
                workers=workers,
                durations=lasting,
            )
            one, *many = run_campaign(cells, threads=threads, on_progress=on_progress).summaries
            for each in many:
                row = _row(one, each)
                yield row._replace(floor=floor_of(row.one, row.workers, lasting, member.instance, seed=seed))


def _row(one: CellSummary, many: CellSummary) -> Row:
    if many.timing is None:
        raise TypeError("the cells were made with durations")
    timing, ideal = many.timing, one.mean / many.timing.workers
    ratios = many.mean / one.mean, timing.asked / one.mean, timing.time / ideal
    return Row(one.instance, timing.durations, timing.workers, one.mean, *ratios, many.wrong)


def bars(rows: Sequence[Row]) -> list[Bar]:
    """The worst instance with 32 workers, beside what is asked of it."""
    found = []
    for durations, most_time in MOST_TIME.items():
        some = [row for row in rows if row.workers == AT and row.durations == durations]
        asked: dict[str, tuple[Callable[[Row], float], float]] = {
            "used": (lambda row: row.used, MOST_USED),
            "asked": (lambda row: row.asked, MOST_ASKED),
            "time": (lambda row: row.time, most_time),
        }
        for what, (number, most) in asked.items() if some else ():
            worst = max(some, key=number)
            found.append(Bar(f"{what}, {durations}", number(worst), most, False, "", worst.instance))
    return found
