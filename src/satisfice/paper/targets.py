"""How near is near enough: what a full run is measured by."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from satisfice.paper.article import Statistic
from satisfice.paper.comparisons import ComparedNumber, ExtraRuns, LongRun, statistic_of, z_score
from satisfice.paper.released_programs import Estimate


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


class _Criterion(NamedTuple):
    claim: str
    instance: str
    statistic: Statistic
    rules: tuple[str, ...]
    limit: float
    unit: str
    long_run_limit: float | None = None


Distance = tuple[float, float | None, str]
"""How far off in the criterion's unit, its z, and where."""

DISTANCES: dict[str, Callable[[ComparedNumber], float | None]] = {
    "standard errors": lambda row: row.z,
    "%": lambda row: row.difference_percent,
    "points": lambda row: row.difference,
}
"""By unit."""

TIME, SD, ERRORS = Statistic.STOPPING_TIME, Statistic.SD, Statistic.ERROR_RATE_PERCENT
APT_AND_LUCB, HDOC_AND_TUCB = ("MultiAPT", "MultiLUCB"), ("MultiHDoC", "MultiTUCB")
ALL_RULES = (*APT_AND_LUCB, *HDOC_AND_TUCB)

CRITERIA = (
    _Criterion("synthetic means", "synthetic", TIME, ALL_RULES, 4.5, "standard errors"),
    _Criterion("synthetic sds", "synthetic", SD, ALL_RULES, 10.0, "%", long_run_limit=10.0),
    _Criterion("medical means of MultiAPT and MultiLUCB", "medical", TIME, APT_AND_LUCB, 3.0, "%", long_run_limit=3.0),
    _Criterion("medical error rates of MultiAPT", "medical", ERRORS, ("MultiAPT",), 2.0, "points"),
    _Criterion(
        "medical means of MultiHDoC and MultiTUCB", "medical", TIME, HDOC_AND_TUCB, 20.0, "%", long_run_limit=10.0
    ),
)


def targets(rows: Sequence[ComparedNumber], extra: ExtraRuns) -> tuple[Target, ...]:
    """Every target that this run says something about; misprints are left aside."""
    return tuple(target for criterion in CRITERIA for target in _measured(criterion, rows, extra))


def _measured(criterion: _Criterion, rows: Sequence[ComparedNumber], extra: ExtraRuns) -> Iterator[Target]:
    """How far off the tables are, and the same where long runs were made instead of the tables' own."""
    compared = [
        row
        for row in rows
        if row.sweep.name.startswith(criterion.instance)
        and row.statistic is criterion.statistic
        and row.rule in criterion.rules
        and not row.misprint
    ]
    distances = [(far, row.z, row.where) for row in compared if (far := DISTANCES[criterion.unit](row)) is not None]
    if distances:
        yield Target(criterion.claim, criterion.limit, criterion.unit, *max(distances, key=_far))
    runs = {run.planned.place: run for run in extra.long_runs}
    repeated = [(row, runs[row.place]) for row in compared if row.place in runs]
    if criterion.long_run_limit is None:
        return
    long = [distance for row, run in repeated if (distance := _long_run_distance(row, run)) is not None]
    if long:
        rules = " and ".join(sorted({row.rule for row, _ in repeated}))
        claim = f"{criterion.claim.partition(' of ')[0]} of {rules}, from long runs"
        yield Target(claim, criterion.long_run_limit, criterion.unit, *max(long, key=_far))


def _long_run_distance(row: ComparedNumber, run: LongRun) -> Distance | None:
    """In percent, and in standard errors."""
    ours = statistic_of(row.statistic, run.published)
    if ours is None or row.printed is None:
        return None
    z = None if row.printed_error is None else z_score(ours, Estimate(row.printed, row.printed_error))
    return 100.0 * (ours.value / row.printed - 1.0), z, row.where


def _far(distance: Distance) -> float:
    return abs(distance[0])
