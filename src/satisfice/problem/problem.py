"""The question: which metrics must pass which thresholds, up to which tolerance, with which error rate.

Limits may be on sets of items, and metrics may be measured in groups.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem, InvalidResult, unknown_name
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted
from satisfice.noise.kinds import MetricNoise, NoiseTable, noise_table
from satisfice.problem.goal import Goal, GoalLike, checked_goal, wanted_by
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.units import Setting, Standardisation


def check_sets(metrics: Sequence[Metric]) -> None:
    """InvalidProblem unless all limits on a set are about the same one, and a metric of it has no other limits."""
    own = [metric for metric in metrics if metric.process.items(metric.noise)]
    sizes = sorted({metric.process.items(metric.noise) for metric in own})
    if len(sizes) > 1:
        raise InvalidProblem(
            f"All limits on a set of items must be about the same set, got sets of {' and '.join(map(str, sizes))}."
        )
    once = [metric for metric in own if metric.set_size]
    sampled = [metric for metric in own if not metric.set_size]
    if once and sampled:
        raise InvalidProblem(
            f"Items are drawn in one way for all limits on a set: each once for {once[0].label!r}, with replacement "
            f"for {sampled[0].label!r}. If any answer is sampled, write 'of {sizes[0]} sampled' for both."
        )
    names = {metric.name for metric in own}
    other = next((metric for metric in metrics if metric.name in names and metric not in own), None)
    if other is not None:
        raise InvalidProblem(
            f"{other.name!r} is measured of a set of {sizes[0]} items, so all limits on it are about the set. Write "
            f"'{other.limited} : {next(str(metric.noise) for metric in own if metric.name == other.name)}'."
        )


def check_groups(metrics: Sequence[Metric]) -> None:
    """InvalidProblem unless no metric has a group, or each has one, the same for all limits on one metric."""
    grouped = [metric for metric in metrics if metric.group]
    if not grouped:
        return
    alone = [metric for metric in metrics if not metric.group]
    if alone:
        raise InvalidProblem(
            f"Expected a group for every threshold once one has a group: {grouped[0].label!r} is of the group "
            f"{grouped[0].group!r}, and {alone[0].label!r} is of none. Write '{alone[0].limited} @ GROUP', or no "
            "groups at all."
        )
    groups: dict[str, str] = {}
    for metric in metrics:
        if groups.setdefault(metric.name, metric.group) != metric.group:
            raise InvalidProblem(
                f"Expected all limits on {metric.name!r} in one group, since it is measured once for them, got "
                f"{groups[metric.name]!r} and {metric.group!r}."
            )


def check_asked_only(metrics: Sequence[Metric], group: str, results: object) -> None:
    """InvalidResult where there are results of a group that was not asked for."""
    if not isinstance(results, Mapping):
        return
    others = [metric for metric in metrics if metric.group != group and metric.name in results]
    if others:
        names = ", ".join(dict.fromkeys(metric.name for metric in metrics if metric.group == group))
        raise InvalidResult(
            f"Expected results of the group {group!r} alone ({names}), which is what was asked for, but "
            f"{others[0].name!r} of the group {others[0].group!r} is there as well. What is measured unasked counts "
            "for nothing and costs as much: let the evaluation measure pull.groups only.",
            is_mistake=True,
        )


def only_group(problem: "Problem", results: object) -> int:
    """The number of the group whose results these are; InvalidResult where they are of none, or of several."""
    names = set(results) if isinstance(results, Mapping) else set()
    found = [place for place, group in enumerate(problem.by_group) if names & set(group.measured)]
    if len(found) == 1:
        return found[0]
    came = ", ".join(map(repr, sorted(map(str, names)))) or shown(results, 60)
    raise InvalidResult(
        f"Expected results of one of the groups {', '.join(map(repr, problem.groups))}, got {came}.", is_mistake=True
    )


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
