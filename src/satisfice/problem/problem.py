"""The question: which metrics must pass which thresholds, up to which tolerance, with which error rate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem, unknown_name
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted
from satisfice.noise.kinds import MetricNoise, NoiseTable, noise_table
from satisfice.problem.goal import Goal, GoalLike, checked_goal, wanted_by
from satisfice.problem.groups import check_groups
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.sets import check_sets
from satisfice.problem.units import Setting, Standardisation

NO_LIMIT = 1 << 62
"""More evaluations than there can be."""
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Problem:
    """Find an arm whose mean metrics all pass, with error at most `error_rate` (delta in the paper).

    With a number as the goal, find that many. With the goal ALL every arm is to be classified, and `error_rate` bounds
    the chance of one mistake or more.
    """

    metrics: tuple[Metric, ...]
    error_rate: float = 0.05
    goal: Goal | int = Goal.ANY

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", tuple(as_metric(metric) for metric in self.metrics))
        if not self.metrics:
            raise InvalidProblem("A problem needs at least one metric with a threshold, got none.")
        check_sets(self.metrics)
        sides = [f"{metric.label} {metric.comparison}" for metric in self.metrics]
        doubled = sorted({side for side in sides if sides.count(side) > 1})
        if doubled:
            raise InvalidProblem(
                f"Each statistic may have one limit on each side, got several for {', '.join(map(repr, doubled))}. "
                "Keep the stricter one."
            )
        check_groups(self.metrics)
        rate = self.error_rate
        if not is_number(rate) or not 0 < float(rate) < 1:
            raise InvalidProblem(
                f"The error rate must lie strictly between 0 and 1, got {shown(rate)}. Try 0.05 for an answer that is "
                "wrong at most once in twenty studies."
            )
        object.__setattr__(self, "error_rate", float(rate))
        object.__setattr__(self, "goal", checked_goal(self.goal))

    @cached_property
    def metric_names(self) -> tuple[str, ...]:
        """A name for each limit: the statistic, as in 'p95(latency_ms)', with its limit if it has two."""
        labels = [metric.label for metric in self.metrics]
        return tuple(metric.limited if labels.count(metric.label) > 1 else metric.label for metric in self.metrics)

    def metric(self, name: str) -> Metric:
        """The metric of that name, one of `metric_names`."""
        if name not in self.metric_names:
            raise unknown_name("metric", name, self.metric_names)
        return self.metrics[self.metric_names.index(name)]

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """The names of what an evaluation must return, in the order of the metrics."""
        return tuple(dict.fromkeys(metric.name for metric in self.metrics))

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The names of what an evaluation of the baseline must return beside it."""
        return tuple(dict.fromkeys(metric.name for metric in self.metrics if metric.beside_baseline))

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups of metrics that are measured apart from each other, in order; none where all are together."""
        return tuple(dict.fromkeys(metric.group for metric in self.metrics if metric.group))

    @cached_property
    def by_group(self) -> tuple["Problem", ...]:
        """What is asked of each group; the problem itself where there are none."""
        if not self.groups:
            return (self,)
        each = ([metric for metric in self.metrics if metric.group == group] for group in self.groups)
        return tuple(replace(self, metrics=tuple(metrics)) for metrics in each)

    @cached_property
    def items(self) -> int:
        """How many items there are, where results are of a set of them; else 0."""
        return max(metric.process.items(metric.noise) for metric in self.metrics)

    @cached_property
    def set_size(self) -> int:
        """How many items there are, where each is evaluated once; else 0."""
        return max(metric.set_size for metric in self.metrics)

    @cached_property
    def of_set(self) -> frozenset[str]:
        """What is measured of items that are evaluated once."""
        return frozenset(metric.name for metric in self.metrics if metric.set_size)

    def left_out(self, arm_number: int) -> frozenset[str]:
        """What an evaluation after `arm_number` others of its arm does not measure: a set whose items are used up."""
        return self.of_set if 0 < self.set_size <= arm_number else NOTHING

    @cached_property
    def most_evaluations(self) -> int:
        """After how many evaluations of an arm all is known; `NO_LIMIT` where something is measured without a set."""
        return self.set_size if all(metric.set_size for metric in self.metrics) else NO_LIMIT

    @property
    def two_sided(self) -> bool:
        """Whether results of some metric speak with two numbers."""
        return any(metric.two_sided for metric in self.metrics)

    def with_error_rate(self, error_rate: float) -> "Problem":
        return replace(self, error_rate=error_rate)

    def with_tolerance(self, tolerance: float | Sequence[float]) -> "Problem":
        """The same problem with one tolerance for all metrics, or one for each."""
        each = list(tolerance) if isinstance(tolerance, Iterable) else [tolerance] * len(self.metrics)
        if len(each) != len(self.metrics):
            raise InvalidProblem(
                f"Expected one tolerance, or one for each of the {counted(len(self.metrics), 'metric')}, got "
                f"{len(each)}."
            )
        metrics = tuple(replace(metric, tolerance=value) for metric, value in zip(self.metrics, each, strict=True))
        return replace(self, metrics=metrics)

    def standardisation(self) -> Standardisation:
        """Deficits in units in which all metrics have the largest noise scale, or their own where it is unknown."""
        limits = [metric.asked for metric in self.metrics]
        scales = [metric.noise.scale for metric in self.metrics]
        reference = max((scale for scale in scales if scale is not None), default=1.0)
        stretch = [1.0 if scale is None else reference / scale for scale in scales]
        return Standardisation(
            thresholds=tuple(limit.threshold for limit in limits),
            slopes=tuple(-factor if limit.at_least else factor for limit, factor in zip(limits, stretch, strict=True)),
            tolerances=tuple(limit.tolerance * factor for limit, factor in zip(limits, stretch, strict=True)),
            noise_scale=reference,
        )

    def noise_ratios(self, arms: int) -> Floats:
        """Each arm's noise scale over the metric's largest, (K, M), without rows where all arms have the same."""
        own = [metric.process.by_arm(metric.noise) for metric in self.metrics]
        for metric, scales in zip(self.metrics, own, strict=True):
            if scales and len(scales) != arms:
                raise InvalidProblem(
                    f"Metric {metric.name!r}: expected one noise scale for all arms or one for each of {arms}, got "
                    f"{len(scales)}."
                )
        if not any(own):
            return np.ones((0, len(own)))
        columns = [np.array(scales) / max(scales) if scales else np.ones(arms) for scales in own]
        return np.column_stack(columns)

    def noise(self, arms: int) -> NoiseTable:
        """What is declared about the metrics, as numbers."""
        standard = self.standardisation()
        rows = [
            MetricNoise(
                metric.noise,
                metric.asked.threshold,
                slope,
                tolerance,
                standard.noise_scale
                if metric.noise.scale is not None
                else abs(slope) * metric.process.scale_at(metric.noise, metric.asked.threshold),
                metric.two_sided,
            )
            for metric, slope, tolerance in zip(self.metrics, standard.slopes, standard.tolerances, strict=True)
        ]
        return noise_table(rows, self.noise_ratios(arms))

    def setting(self, arms: int) -> Setting:
        """What rules are told when there are that many arms."""
        return Setting(
            arms=arms,
            metrics=len(self.metrics),
            error_rate=float(self.error_rate),
            noise_scale=self.standardisation().noise_scale,
            wanted=wanted_by(self.goal, arms),
            find_all=self.goal is Goal.ALL,
        )


def problem_of(thresholds: Iterable[Metric | str], error_rate: float = 0.05, *, goal: GoalLike = Goal.ANY) -> Problem:
    """A problem from threshold strings or metrics."""
    return Problem(tuple(as_metric(threshold) for threshold in thresholds), error_rate, checked_goal(goal))
