"""Our numbers beside the printed ones, with what chance explains."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from satisfice.paper.cells import Part, Place, Planned, Ran
from satisfice.paper.experiments import Sweep
from satisfice.paper.printed_tables import Doubt, PrintedTable, Statistic, printed_number
from satisfice.paper.released_programs import (
    Estimate,
    PublishedStatistics,
    published_failures,
    published_statistics,
    published_times,
    rate_error,
)


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
