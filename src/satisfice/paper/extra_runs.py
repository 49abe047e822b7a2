"""What cells say that were run only to explain the differences."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from satisfice.paper.cells import LONG_RUNS, Part, Planned, Ran
from satisfice.paper.differences import CellNumbers, numbers_of
from satisfice.paper.released_programs import (
    PublishedStatistics,
    published_failures,
    published_statistics,
    published_times,
)


@dataclass(frozen=True)
class TextLUCB:
    """MultiLUCB as the text defines it, beside the released rule and MultiTUCB in the same cell."""

    planned: Planned
    numbers: CellNumbers
    released: CellNumbers
    multitucb: CellNumbers


@dataclass(frozen=True)
class TimeOuts:
    """A rule on the synthetic instance as printed."""

    planned: Planned
    numbers: CellNumbers


@dataclass(frozen=True)
class LongRun:
    """Several times a table's repetitions: the tables' statistics of all, and how much those of one batch vary."""

    planned: Planned
    batch: int
    published: PublishedStatistics
    batches: tuple[PublishedStatistics, ...]

    @property
    def batch_means(self) -> tuple[float, ...]:
        return tuple(one.mean.value for one in self.batches if one.mean is not None)

    @property
    def batch_sds(self) -> tuple[float, ...]:
        return tuple(one.sd.value for one in self.batches if one.sd is not None)


@dataclass(frozen=True)
class ExtraRuns:
    """All that a reproduction runs besides the tables."""

    text_lucb: tuple[TextLUCB, ...]
    time_outs: tuple[TimeOuts, ...]
    long_runs: tuple[LongRun, ...]


def extra_runs_of(ran: Iterable[Ran]) -> ExtraRuns:
    """What the cells say that are not of a table."""
    parts: dict[Part, list[Ran]] = {part: [] for part in Part}
    for one in ran:
        parts[one.planned.part].append(one)
    table = {one.planned.place: one for one in parts[Part.TABLE]}
    return ExtraRuns(
        text_lucb=tuple(
            TextLUCB(one.planned, numbers_of(one), *(numbers_of(table[*_cell(one), rule]) for rule in BESIDE_LUCB))
            for one in parts[Part.LUCB_OF_THE_TEXT]
        ),
        time_outs=tuple(TimeOuts(one.planned, numbers_of(one)) for one in parts[Part.PRINTED_INSTANCE]),
        long_runs=tuple(_long_run(one) for one in parts[Part.LONG_RUN]),
    )


BESIDE_LUCB = ("MultiLUCB", "MultiTUCB")


def _cell(one: Ran) -> tuple[str, float]:
    return one.planned.sweep.name, one.planned.value


def _long_run(one: Ran) -> LongRun:
    planned = one.planned
    count = LONG_RUNS[planned.sweep.title.lower()][planned.rule]
    times, failed = published_times(one.result), published_failures(one.result)
    batches = list(zip(np.split(times, count), np.split(failed, count), strict=True))
    return LongRun(
        planned=planned,
        batch=times.size // count,
        published=published_statistics(times, failed),
        batches=tuple(published_statistics(*batch) for batch in batches),
    )
