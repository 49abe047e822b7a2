"""How near is near enough: what a full run is measured by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from satisfice.paper.as_published import Estimate
from satisfice.paper.comparison import ComparisonRow, z_score
from satisfice.paper.evidence import Evidence
from satisfice.paper.printed import Statistic


@dataclass(frozen=True)
class Target:
    """A bound on the distance between ours and printed, and the row that is farthest off, with its z."""

    claim: str
    limit: float
    unit: str
    worst: float
    z: float | None
    place: str

    @property
    def met(self) -> bool:
        return abs(self.worst) <= self.limit


@dataclass(frozen=True)
class _Criterion:
    claim: str
    instance: str
    statistic: Statistic
    rules: tuple[str, ...]
    limit: float
    unit: str
    distance: Callable[[ComparisonRow], float | None]


ALL_RULES = ("MultiAPT", "MultiHDoC", "MultiLUCB", "MultiTUCB")

CRITERIA = (
    _Criterion(
        "synthetic means", "synthetic", Statistic.STOPPING_TIME, ALL_RULES, 4.5, "standard errors", lambda row: row.z
    ),
    _Criterion("synthetic sds", "synthetic", Statistic.SD, ALL_RULES, 10.0, "%", lambda row: row.difference_percent),
    _Criterion(
        "medical means of MultiAPT and MultiLUCB",
        "medical",
        Statistic.STOPPING_TIME,
        ("MultiAPT", "MultiLUCB"),
        3.0,
        "%",
        lambda row: row.difference_percent,
    ),
    _Criterion(
        "medical error rates of MultiAPT",
        "medical",
        Statistic.ERROR_RATE_PERCENT,
        ("MultiAPT",),
        2.0,
        "points",
        lambda row: row.difference,
    ),
    _Criterion(
        "medical means of MultiHDoC and MultiTUCB",
        "medical",
        Statistic.STOPPING_TIME,
        ("MultiHDoC", "MultiTUCB"),
        20.0,
        "%",
        lambda row: row.difference_percent,
    ),
)


LONG_RUN_LIMIT = 10.0


def targets(rows: Sequence[ComparisonRow], evidence: Evidence) -> tuple[Target, ...]:
    """Every target that this run says something about; misprints are left aside."""
    measured = [target for criterion in CRITERIA if (target := _measured(criterion, rows)) is not None]
    return (*measured, *_long_run_target(rows, evidence))


def _long_run_target(rows: Sequence[ComparisonRow], evidence: Evidence) -> list[Target]:
    means = {(run.planned.sweep.name, run.planned.value, run.planned.rule): run.mean for run in evidence.long_runs}
    distances = [
        (100.0 * (mean.value / row.printed - 1.0), z_score(mean, Estimate(row.printed, row.printed_error)), row.place)
        for row in rows
        if row.statistic is Statistic.STOPPING_TIME and row.printed and row.printed_error is not None
        if (mean := means.get((row.sweep.name, row.value, row.rule))) is not None
    ]
    if not distances:
        return []
    return [Target("the same, from long runs", LONG_RUN_LIMIT, "%", *max(distances, key=lambda one: abs(one[0])))]


def _measured(criterion: _Criterion, rows: Sequence[ComparisonRow]) -> Target | None:
    distances = [
        (distance, row.z, row.place)
        for row in rows
        if row.sweep.name.startswith(criterion.instance)
        and row.statistic is criterion.statistic
        and row.rule in criterion.rules
        and not row.misprint
        and (distance := criterion.distance(row)) is not None
    ]
    if not distances:
        return None
    worst = max(distances, key=lambda one: abs(one[0]))
    return Target(criterion.claim, criterion.limit, criterion.unit, *worst)
