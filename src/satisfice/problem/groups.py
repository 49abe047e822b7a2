"""Groups of metrics: what is measured together, where not every evaluation measures everything."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from satisfice.errors import InvalidProblem, InvalidResult
from satisfice.given import shown
from satisfice.problem.metric import Metric

if TYPE_CHECKING:
    from satisfice.problem.problem import Problem


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
