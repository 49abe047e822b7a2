"""Why a config was accepted, rejected or left, in words, and the items of a set on which two configs differ."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import inf, isinf
from typing import Any

import numpy as np

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.layout.numbers import counted, percent, rounded
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.search.holding_up import HoldUp
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study.evaluations import Evaluation
from satisfice.study.spec import Spec


@dataclass(frozen=True)
class Explanation:
    """What is known of a config, and the metric that decides about it: the one that failed, or the weakest one."""

    config: str
    decision: str
    evaluations: int
    binding: str | None
    status: ArmStatus
    text: str

    def __str__(self) -> str:
        return self.text


def explained(
    problem: Problem, status: ArmStatus, ended_by: str = "", holds: HoldUp | None = None, known: str | None = None
) -> Explanation:
    """The status of a config in words.

    `ended_by` is a clause that says what ended the study, if something did, and `holds` what keeps an undecided config
    from being decided. `known` is why it was out before anything was evaluated.
    """
    decision = {ACCEPT: "accepted", REJECT: "rejected"}.get(status.decision, "undecided")
    left = bool(ended_by) and decision == "undecided"
    if not status.pulls:
        if known is not None:
            return Explanation(status.name, decision, 0, None, status, f"rejected before anything was run: {known}")
        never = f"not evaluated: {ended_by} first" if left else "not evaluated yet"
        if status.ahead:
            never = f"{decision} after {_counted(status)}"
        return Explanation(status.name, decision, status.ahead, None, status, never)
    place = _binding(problem, status) if holds is None else holds.place
    metric = problem.metrics[place]
    counted = _counted(status)
    known = _known(problem, status, place)
    if status.decision == REJECT:
        limit = metric.limit_text if metric.ratio or metric.is_match else _number(metric.threshold)
        text = f"rejected after {counted}: {metric.label} is {_beyond(metric)} {limit}{known and f' ({known})'}"
    elif status.decision == ACCEPT:
        text = (
            f"accepted after {counted}: every metric passes; closest to its threshold is {_against(metric)}"
            f"{known and f' ({known})'}"
        )
    else:
        how = f"left undecided after {counted}, when {ended_by}" if left else f"undecided after {counted}"
        why = f"{holds.words}; " if holds is not None and not left else ""
        text = f"{how}: {why}least certain is {_against(metric)} ({known})"
    return Explanation(
        status.name, decision, status.pulls + status.ahead, metric.label, status, text + _left_out(problem, status)
    )


def _beyond(metric: Metric) -> str:
    if metric.is_match:
        return "not"
    return "above" if metric.direction is Direction.AT_MOST else "below"


def _counted(status: ArmStatus) -> str:
    """How many evaluations there are, and how many of them were looked at before an earlier one had come."""
    count = status.pulls + status.ahead
    ahead = f" ({status.ahead} of them asked for after one that was still out, which cannot change it)"
    return f"{counted(count, 'evaluation')}{ahead if status.ahead else ''}"


def _left_out(problem: Problem, status: ArmStatus) -> str:
    """Which metrics were not measured at all, where they are measured in groups."""
    names = [metric.label for place, metric in enumerate(problem.metrics) if not status.count_of(place)]
    return f"; not measured: {', '.join(names)}" if names else ""


def _binding(problem: Problem, status: ArmStatus) -> int:
    """The place of the metric that decides: the most certain to fail of a rejected config, else the closest."""
    places = range(len(problem.metrics))
    if status.decision == REJECT and status.reject_progress:
        return max(places, key=lambda place: status.reject_progress[place])
    return min(places, key=lambda place: _margin(problem.metrics[place], status, place))


def _margin(metric: Metric, status: ArmStatus, place: int) -> float:
    """How far beyond its threshold the mean is, in half-widths of its interval; what is certain is not close."""
    if metric.process.certain:
        return inf
    interval = status.intervals[place]
    half = (interval.high - interval.low) / 2
    sign = 1.0 if metric.direction is Direction.AT_LEAST else -1.0
    margin = sign * (status.means[place] - metric.shown_limit[0])
    return margin / half if half > 0 and not isinf(half) else margin


def _known(problem: Problem, status: ArmStatus, place: int) -> str:
    if problem.metrics[place].process.certain:
        return "" if problem.metrics[place].is_match else f"{_number(status.means[place])} every time"
    interval = status.intervals[place]
    mean = status.means[place]
    rounding = 1e-12 * max(1.0, abs(problem.metrics[place].shown_limit[0]))
    times = " times the baseline's" if problem.metrics[place].is_part else ""
    estimate = f"estimate {_number(0.0 if abs(mean) < rounding else mean)}{times}"
    if isinf(interval.low) and isinf(interval.high):
        decided = status.decision in (ACCEPT, REJECT)
        return f"{estimate}, {'an interval, which has two sides, takes more' if decided else 'no interval yet'}"
    level = percent(1 - problem.error_rate, 4)
    selected = " after selection" if status.chosen_from > 1 else ""
    return f"{estimate}, {level} interval{selected} {_number(interval.low)} to {_number(interval.high)}"


def _against(metric: Metric) -> str:
    return (
        metric.limited
        if metric.ratio or metric.is_match
        else f"{metric.label} {metric.direction} {_number(metric.threshold)}"
    )


def _number(value: float) -> str:
    return rounded(value)


MOST_SHOWN = 20
"""More items are only counted in a sentence."""


@dataclass(frozen=True)
class DifferingItems:
    """The items on which a metric differs between two configs, of those that `both` were evaluated on.

    `higher` are those on which it is higher for the first config, the largest difference first, `lower` the others. Of
    an item that was drawn several times the mean counts.
    """

    metric: str
    configs: tuple[str, str]
    both: int
    higher: tuple[int, ...]
    lower: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        first, second = self.configs
        if not self.both:
            return f"{self.metric}: no item was evaluated with both {first} and {second}"
        total = len(self.higher) + len(self.lower)
        parts = [
            f"higher with {name} on {len(items)}: {_some(items)}"
            for name, items in ((first, self.higher), (second, self.lower))
            if items
        ]
        return "; ".join([f"{self.metric} differs on {total} of {self.both} items evaluated with both", *parts])


def differing_items(
    spec: Spec, evaluations: Iterable[Evaluation], first: str, second: str
) -> tuple[DifferingItems, ...]:
    """How two configs differ item by item, in each metric of the set."""
    for name in (first, second):
        if name not in spec.places:
            raise unknown_name("config", name, spec.names)
    if not spec.items.size:
        raise InvalidSpec("No limit of this study is on a set of items, so that there are none to compare.")
    metrics = list(dict.fromkeys(one.name for one in spec.problem().metrics if one.process.items(one.noise)))
    found: dict[tuple[str, str, int], list[float]] = {}
    for each in evaluations:
        if each.item is not None and each.failure is None and each.config in (first, second):
            for metric in metrics:
                if (value := each.results.get(metric)) is not None:
                    found.setdefault((metric, each.config, each.item), []).append(value)
    means = {key: float(np.mean(values)) for key, values in found.items()}
    return tuple(_compared(metric, (first, second), means, spec.items.size) for metric in metrics)


def _compared(
    metric: str, configs: tuple[str, str], means: dict[tuple[str, str, int], float], size: int
) -> DifferingItems:
    first, second = ({item: means.get((metric, name, item)) for item in range(size)} for name in configs)
    apart = {
        item: one - other for item, one in first.items() if one is not None and (other := second[item]) is not None
    }
    by_size = sorted(apart, key=lambda item: (-abs(apart[item]), item))
    higher = tuple(item for item in by_size if apart[item] > 0)
    return DifferingItems(metric, configs, len(apart), higher, tuple(item for item in by_size if apart[item] < 0))


def _some(items: Sequence[int]) -> str:
    more = len(items) - MOST_SHOWN
    return ", ".join(map(str, items[:MOST_SHOWN])) + (f" and {more:,} more" if more > 0 else "")
