"""What the repetitions of a cell say in numbers."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.catalogue import rule_label
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.cell import CellResult
from satisfice.simulation.trial import FOUND, NONE


@dataclass(frozen=True)
class Timing:
    """What workers take: evaluations asked for until the answer, used or not, and the time in mean evaluations."""

    workers: int
    durations: str
    asked: float
    time: float
    time_median: float
    time_90: float
    time_99: float


@dataclass(frozen=True)
class Spending:
    """What a run costs, in the unit of the costs: its mean over all runs, and how it is distributed."""

    mean: float
    standard_error: float
    sd: float
    median: float
    quantile_90: float
    quantile_99: float
    maximum: float


@dataclass(frozen=True)
class CellSummary:
    """Evaluations until the answer, and how often the answer was wrong or did not come.

    Evaluations are those that the answer uses; they count every repetition, one that ran out of budget with what it had
    made by then. Rates come with Clopper-Pearson 95 % intervals. `pulls_per_arm` holds the mean for each arm. `timing`
    is there where evaluations have durations, and `cost`, of all evaluations asked for, where that is known.
    """

    instance: str
    rule: str
    stopping: str
    error_rate: float
    tolerance: float | tuple[float, ...]
    repetitions: int
    mean: float
    standard_error: float
    sd: float
    median: float
    quantile_90: float
    quantile_99: float
    maximum: int
    found: float
    none: float
    wrong: float
    wrong_low: float
    wrong_high: float
    timed_out: float
    timed_out_low: float
    timed_out_high: float
    pulls_per_arm: tuple[float, ...]
    timing: Timing | None = None
    cost: Spending | None = None

    def as_dict(self) -> dict[str, Any]:
        """All in plain values, those of the timing beside the others."""
        values = asdict(self)
        return values | (values.pop("timing") or {})


def summarise(result: CellResult) -> CellSummary:
    """The summary of one cell."""
    cell = result.cell
    count = cell.repetitions
    pulls = result.pulls
    sd = float(pulls.std(ddof=1)) if count > 1 else 0.0
    wrong_low, wrong_high = rate_interval(int(result.wrong.sum()), count)
    late_low, late_high = rate_interval(int(result.timed_out.sum()), count)
    quantile_90, quantile_99 = np.quantile(pulls, [0.9, 0.99])
    return CellSummary(
        instance=cell.instance.name,
        rule=rule_label(cell.rule),
        stopping=rule_label(cell.stopping),
        error_rate=cell.instance.problem.error_rate,
        tolerance=common_tolerance(cell),
        repetitions=count,
        mean=float(pulls.mean()),
        standard_error=sd / count**0.5,
        sd=sd,
        median=float(np.median(pulls)),
        quantile_90=float(quantile_90),
        quantile_99=float(quantile_99),
        maximum=int(pulls.max()),
        found=_share(result.endings, FOUND),
        none=_share(result.endings, NONE),
        wrong=float(result.wrong.mean()),
        wrong_low=wrong_low,
        wrong_high=wrong_high,
        timed_out=float(result.timed_out.mean()),
        timed_out_low=late_low,
        timed_out_high=late_high,
        pulls_per_arm=tuple((result.arm_pulls / count).tolist()),
        timing=_timing(result),
        cost=None if result.spent is None else spending_of(result.spent),
    )


def _timing(result: CellResult) -> Timing | None:
    cell, times = result.cell, result.times
    if cell.durations is None:
        return None
    quantiles = np.quantile(times, [0.5, 0.9, 0.99]).tolist()
    return Timing(cell.workers, str(cell.durations), float(result.asked.mean()), float(times.mean()), *quantiles)


def spending_of(spent: Floats) -> Spending:
    """The summary of what runs have cost."""
    sd = float(spent.std(ddof=1)) if len(spent) > 1 else 0.0
    median, high, highest = np.quantile(spent, [0.5, 0.9, 0.99]).tolist()
    return Spending(float(spent.mean()), sd / len(spent) ** 0.5, sd, median, high, highest, float(spent.max()))


def common_tolerance(cell: Any) -> float | tuple[float, ...]:
    """The tolerance, if it is the same for all metrics, else one for each."""
    tolerances = tuple(metric.tolerance for metric in cell.instance.problem.metrics)
    return tolerances[0] if len(set(tolerances)) == 1 else tolerances


def _share(endings: Integers, ending: int) -> float:
    return float((endings == ending).mean())
