"""Thresholds to copy, for metrics of which nothing is declared: what results of a few evaluations suggest."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from satisfice.command.output import Found
from satisfice.errors import SatisficeError
from satisfice.layout.numbers import counted
from satisfice.noise.checked import is_undeclared
from satisfice.noise.propose import Kind, Proposal, proposed
from satisfice.problem.declaration import check_limits
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.problem import problem_of
from satisfice.statistics import MEAN

MOST_OTHERS = 6
"""More metrics that no limit is about get no suggestion."""


class Seen:
    """Results by metric and configuration, those that a limit is about and the others."""

    def __init__(self) -> None:
        self.results: dict[str, dict[str, list[object]]] = {}
        self.beside: dict[str, dict[str, list[object]]] = {}

    def add(self, config: str, found: Found) -> None:
        for kept, values in ((self.results, found.results), (self.beside, found.beside)):
            for name, value in values.items():
                kept.setdefault(name, {}).setdefault(config, []).append(value)

    def proposal(self, name: str) -> Proposal | None:
        """What suits a metric, if it was seen often enough."""
        by_config = self.results.get(name) or self.beside.get(name) or {}
        return proposed(name, list(by_config.values()))


def suggestions(metrics: Sequence[Metric], seen: Seen) -> Iterator[str]:
    """A line for each metric of which nothing is declared: a threshold to copy, and when it is right."""
    open_ones = [(metric, seen.proposal(metric.name)) for metric in metrics if _is_open(metric)]
    lines = [(_threshold(metric, one), one.sentence(metric.name)) for metric, one in open_ones if one is not None]
    others = [(name, seen.proposal(name)) for name in seen.beside if name not in seen.results]
    rest = [(one.threshold(name, "<= LIMIT"), one.sentence(name)) for name, one in others if one is not None]
    shown = [*lines, *rest[:MOST_OTHERS]]
    if not shown:
        return
    yield f"to copy, as {counted(len(shown), 'metric')} looked so far:"
    for threshold, why in shown:
        yield f"  -t '{threshold}'"
        yield f"     {why}"


def _is_open(metric: Metric) -> bool:
    return metric.statistic == MEAN and not metric.beside_baseline and is_undeclared(metric.noise)


def _threshold(metric: Metric, proposal: Proposal) -> str:
    """The limit with what is proposed; where that cannot be, such as a limit of 0 on a coin, exact or as it was."""
    if proposal.statistic:
        rest = metric.with_noise_written("").removeprefix(metric.label)
        return f"{proposal.statistic}({metric.name}){rest}"
    exact = replace(metric, tolerance=0.0, tolerance_ratio=0.0).with_noise_written(str(Kind.EXACT))
    declared = exact if proposal.kind is Kind.EXACT else metric.with_noise_written(proposal.declaration)
    for text in (declared, exact):
        try:
            check_limits(problem_of([as_metric(text)]))
        except SatisficeError:
            continue
        return text
    return metric.with_noise_written("")
