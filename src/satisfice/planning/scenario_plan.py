"""What a study would take in one scenario, as numbers and as lines of a table."""

from dataclasses import asdict, dataclass
from typing import Any

from satisfice.layout.numbers import fixed, rounded
from satisfice.simulation.results import time_text
from satisfice.simulation.summary import CellSummary, Timing


@dataclass(frozen=True)
class ScenarioPlan:
    """What the study would take in one scenario: `passing` configurations are good, `limit` is T* ln(1/error rate).

    Runs that ended without an answer count with the whole budget: their share is `runs.timed_out`. Where workers were
    asked for, `with_workers` are their runs beside those of one worker.
    """

    scenario: str
    passing: int
    limit: float | None
    runs: CellSummary
    with_workers: CellSummary | None = None

    def as_dict(self) -> dict[str, Any]:
        named = {"scenario": self.scenario, "passing": self.passing, "limit": self.limit}
        beside = {} if self.with_workers is None else {"with_workers": _numbers(self.with_workers)}
        return named | _numbers(self.runs) | beside


def _numbers(runs: CellSummary) -> dict[str, Any]:
    timing = runs.timing
    times = {} if timing is None else {"asked": timing.asked, "time": timing.time, "time_90": timing.time_90}
    return {
        "mean": runs.mean,
        "standard_error": runs.standard_error,
        "median": runs.median,
        "quantile_90": runs.quantile_90,
        "quantile_99": runs.quantile_99,
        "maximum": runs.maximum,
        "found": runs.found,
        "none": runs.none,
        "undecided": runs.timed_out,
        "wrong": runs.wrong,
        "cost": None if runs.cost is None else asdict(runs.cost),
    } | times


def table_line(each: ScenarioPlan, budget: int) -> tuple[str, ...]:
    """A line of the table; a number that the budget has cut off is marked with '+'."""
    runs = each.runs
    cut = runs.timed_out > 0

    def number(value: float, hit: bool) -> str:
        return f"{fixed(value, 0)}{'+' if hit else ''}"

    return (
        each.scenario,
        number(runs.mean, cut),
        number(runs.median, cut and runs.median >= budget),
        number(runs.quantile_90, cut and runs.quantile_90 >= budget),
        *_costs(runs),
        *_endings(runs),
    )


def timed_line(scenario: str, runs: CellSummary, timing: Timing) -> tuple[str, ...]:
    """Evaluations used and asked for, and the time until the answer, its mean and what 90 % of the runs keep to."""
    cut = "+" if runs.timed_out > 0 else ""
    return (
        scenario,
        f"{timing.workers:,}",
        *(f"{fixed(number, 0)}{cut}" for number in (runs.mean, timing.asked)),
        *(f"{time_text(time)}{cut}" for time in (timing.time, timing.time_90)),
        *_costs(runs),
        *_endings(runs),
    )


def _costs(runs: CellSummary) -> tuple[str, ...]:
    """What runs cost, where that is known: the mean, and what 90 % of them keep to."""
    cut = "+" if runs.timed_out > 0 else ""
    return () if runs.cost is None else (f"{rounded(runs.cost.mean)}{cut}", rounded(runs.cost.quantile_90))


def _endings(runs: CellSummary) -> tuple[str, ...]:
    """How many runs found one, found none or were cut off, in percent."""
    return tuple(fixed(100 * share, 0) for share in (runs.found, runs.none, runs.timed_out))
