"""Our numbers beside the printed ones: the cells that a reproduction runs, and what chance or another reading
explains."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import hypot, sqrt
from typing import Literal

import numpy as np

from satisfice.errors import InvalidInstance
from satisfice.given import is_whole
from satisfice.paper.article import (
    BUDGET,
    MEDICAL,
    SYNTHETIC_AS_PRINTED,
    Doubt,
    Parameter,
    PrintedTable,
    Statistic,
    Sweep,
    printed_number,
)
from satisfice.paper.released_programs import (
    RULES_AS_RELEASED,
    Estimate,
    PublishedStatistics,
    published_failures,
    published_statistics,
    published_times,
    rate_error,
)
from satisfice.rules import MultiLUCB, SamplingRule
from satisfice.simulation.campaign import plan_cells
from satisfice.simulation.cell import Cell, CellResult
from satisfice.simulation.instance import Instance

Repetitions = int | Literal["paper"] | None

Place = tuple[str, float, str]
"""The name of a sweep, its value, and a rule."""

LONG_RUNS = {
    "synthetic": {"MultiTUCB": 4},
    "medical": {"MultiAPT": 4, "MultiHDoC": 10, "MultiTUCB": 10},
}
"""Where a table's repetitions leave much to chance, and how many times over a long run repeats them there.

The standard deviations of MultiTUCB, the means of MultiAPT, whose runs often use up the budget, and everything about
the rules with very heavy tails on the medical instance.
"""

MOST_TIME_OUTS = 50
"""Repetitions on the instance as printed: all of them use up the budget, and more would tell nothing new."""


class Part(StrEnum):
    """What a cell is run for."""

    TABLE = "table"
    LUCB_OF_THE_TEXT = "MultiLUCB of the text"
    PRINTED_INSTANCE = "synthetic instance as printed"
    LONG_RUN = "long run"


@dataclass(frozen=True)
class Planned:
    """A cell with its place: the part and sweep it belongs to, the sweep's value, and the rule's name."""

    part: Part
    sweep: Sweep
    value: float
    rule: str
    cell: Cell

    @property
    def place(self) -> Place:
        """Which number of each of the sweep's tables it is about."""
        return self.sweep.name, self.value, self.rule


@dataclass(frozen=True)
class Ran:
    """A planned cell and what it did."""

    planned: Planned
    result: CellResult


def planned_cells(sweeps: Sequence[Sweep], repetitions: Repetitions, seed: int) -> tuple[Planned, ...]:
    """All cells for these sweeps; `repetitions` is a number for all, "paper" for the paper's, None for a quick look."""
    return tuple(planned for sweep in sweeps for planned in _plan_sweep(sweep, _count(sweep, repetitions), seed))


def _count(sweep: Sweep, repetitions: Repetitions) -> int:
    if repetitions is None:
        return sweep.quick_repetitions
    if repetitions == "paper":
        return sweep.paper_repetitions
    if not is_whole(repetitions, 1):
        raise InvalidInstance(f"repetitions must be a whole number of at least 1, or 'paper', got {repetitions!r}.")
    return repetitions


def _plan_sweep(sweep: Sweep, count: int, seed: int) -> Iterator[Planned]:
    ends = (sweep.values[0], sweep.values[-1])
    text_lucb = {"MultiLUCB": MultiLUCB()}
    yield from _cells(Part.TABLE, sweep, sweep.instance, sweep.values, RULES_AS_RELEASED, count, seed)
    yield from _cells(Part.LUCB_OF_THE_TEXT, sweep, sweep.instance, ends, text_lucb, count, seed)
    if sweep.instance is not MEDICAL:
        few = min(count, MOST_TIME_OUTS)
        yield from _cells(Part.PRINTED_INSTANCE, sweep, SYNTHETIC_AS_PRINTED, ends, RULES_AS_RELEASED, few, seed)
    for rule, batches in LONG_RUNS[sweep.title.lower()].items():
        rules = {rule: RULES_AS_RELEASED[rule]}
        yield from _cells(Part.LONG_RUN, sweep, sweep.instance, sweep.values, rules, batches * count, seed)


def _cells(
    part: Part,
    sweep: Sweep,
    instance: Instance,
    values: Sequence[float],
    rules: Mapping[str, SamplingRule],
    count: int,
    seed: int,
) -> Iterator[Planned]:
    cells = plan_cells(
        [instance],
        list(rules.values()),
        stopping="alpha",
        error_rates=values if sweep.parameter is Parameter.DELTA else None,
        tolerances=values if sweep.parameter is Parameter.EPSILON else None,
        repetitions=count,
        max_evaluations=BUDGET,
        seed=seed,
    )
    places = [(value, rule) for value in values for rule in rules]
    for (value, rule), cell in zip(places, cells, strict=True):
        yield Planned(part, sweep, value, rule, cell)


@dataclass(frozen=True)
class CellNumbers:
    """What a cell's runs say: the tables' statistics, and quantiles of the times that they are taken of.

    `plain_mean` is the mean number of pulls of all runs, one without an answer having used the whole budget.
    """

    published: PublishedStatistics
    repetitions: int
    plain_mean: float
    median: float
    quantile_90: float
    quantile_99: float
    longest: float
    timed_out_percent: float


@dataclass(frozen=True)
class ComparedNumber:
    """One number of a table: printed, ours, and the difference in percent and in standard errors (z).

    `difference` is ours less printed in the table's unit, `printed_error` the standard error of printed. None
    stands where there is nothing to compare: the paper has a dash, all our runs failed, or the printed number is zero.
    """

    table: str
    statistic: Statistic
    sweep: Sweep
    value: float
    rule: str
    printed: float | None
    doubt: Doubt | None
    ours: float | None
    standard_error: float | None
    printed_error: float | None
    difference: float | None
    difference_percent: float | None
    z: float | None
    numbers: CellNumbers

    @property
    def misprint(self) -> bool:
        return self.doubt is not None

    @property
    def place(self) -> Place:
        return self.sweep.name, self.value, self.rule

    @property
    def where(self) -> str:
        """The place in words."""
        return f"{self.rule}, {self.sweep.parameter.symbol} = {self.value:g}"


def numbers_of(ran: Ran) -> CellNumbers:
    """The numbers of one cell."""
    times = published_times(ran.result)
    median, quantile_90, quantile_99 = np.quantile(times, [0.5, 0.9, 0.99])
    return CellNumbers(
        published=published_statistics(times, published_failures(ran.result)),
        repetitions=times.size,
        plain_mean=float(ran.result.pulls.mean()),
        median=float(median),
        quantile_90=float(quantile_90),
        quantile_99=float(quantile_99),
        longest=float(times.max()),
        timed_out_percent=100.0 * float(ran.result.timed_out.mean()),
    )


def compared_numbers(tables: Sequence[PrintedTable], ran: Iterable[Ran]) -> tuple[ComparedNumber, ...]:
    """A row for every number of these tables."""
    cells = {one.planned.place: one for one in ran if one.planned.part is Part.TABLE}
    return tuple(
        compared_number(table, cells[table.sweep.name, value, rule])
        for table in tables
        for value in table.values
        for rule in table.rules
    )


def compared_number(table: PrintedTable, ran: Ran) -> ComparedNumber:
    """The row for one number of a table, from the cell that it is about."""
    planned, numbers = ran.planned, numbers_of(ran)
    printed = table.number(planned.value, planned.rule)
    ours = statistic_of(table.statistic, numbers.published)
    printed_error = difference = percent = z = None
    if printed is not None and ours is not None:
        difference = ours.value - printed
        percent = 100.0 * difference / printed if printed else None
        printed_error = _printed_error(table.statistic, planned, printed, numbers)
        z = z_score(ours, Estimate(printed, printed_error)) if printed_error is not None else None
    return ComparedNumber(
        table=table.name,
        statistic=table.statistic,
        sweep=table.sweep,
        value=planned.value,
        rule=planned.rule,
        printed=printed,
        doubt=table.doubt(planned.value, planned.rule),
        ours=ours.value if ours else None,
        standard_error=ours.standard_error if ours else None,
        printed_error=printed_error,
        difference=difference,
        difference_percent=percent,
        z=z,
        numbers=numbers,
    )


def z_score(ours: Estimate, theirs: Estimate) -> float | None:
    """The difference in units of its standard error; None where one run says nothing about chance."""
    error = hypot(ours.standard_error, theirs.standard_error)
    return (ours.value - theirs.value) / error if error > 0 else None


def statistic_of(statistic: Statistic, published: PublishedStatistics) -> Estimate | None:
    """The number that a kind of table shows."""
    return {
        Statistic.STOPPING_TIME: published.mean,
        Statistic.SD: published.sd,
        Statistic.ERROR_RATE_PERCENT: published.error_rate_percent,
    }[statistic]


def _printed_error(statistic: Statistic, planned: Planned, printed: float, numbers: CellNumbers) -> float | None:
    """The standard error of a printed number, from the printed sd and the paper's repetitions.

    The ratio of a standard error to the sd is taken from our runs: for a mean it is 1/sqrt(repetitions) without
    failures and more with them, for an sd it depends on the tails.
    """
    count = planned.sweep.paper_repetitions
    if statistic is Statistic.ERROR_RATE_PERCENT:
        return 100.0 * rate_error(printed / 100.0, count)
    sd = printed_number(planned.sweep, Statistic.SD, planned.value, planned.rule)
    ours = statistic_of(statistic, numbers.published)
    our_sd = numbers.published.sd
    if sd is None or ours is None or our_sd is None or our_sd.value == 0:
        return None
    return sd * (ours.standard_error / our_sd.value) * sqrt(numbers.repetitions / count)


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
