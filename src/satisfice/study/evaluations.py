"""Evaluations as records: what was asked, and what came of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from satisfice.problem.problem import Problem
from satisfice.study.events import Event, Kind
from satisfice.study.policy import FailureKind, Then, policy_of_content
from satisfice.study.spec import Spec

COST = "evaluation_cost"
"""The column of what evaluations cost."""


@dataclass(frozen=True)
class Evaluation:
    """One evaluation with its results, or with the reason why it failed.

    Times are in seconds since 1970. `late` means that it came after the verdict and does not count. A failed
    evaluation has results where failures count as worst results. `cost` is what it cost, if that is known, and `also`
    are the results that no limit is about. `groups` are those whose metrics were to be measured; the results of others
    are None. `item` is that of the set that was evaluated, if it was one.
    """

    number: int
    config: str
    arm_number: int
    attempt: int
    results: dict[str, float]
    failure: str | None
    late: bool
    asked_at: float
    told_at: float
    worker: str | None
    cost: float | None = None
    also: dict[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    item: int | None = None


def result_columns(spec: Spec) -> list[str]:
    """The names of the results: of what is measured, and of the same of the baseline where it is compared with."""
    return names_of(spec.problem())


def line_of(spec: Spec, asked: dict[str, Any]) -> int:
    """The line of an ask: its config, or its config and group."""
    return int(asked["arm"] * max(1, len(spec.groups)) + sum(map(spec.groups.index, asked.get("groups", []))))


def names_of(problem: Problem) -> list[str]:
    """The names of the results of a problem, or of one of its groups."""
    return [*problem.measured, *(f"{name} of the baseline" for name in problem.compared)]


def evaluations_of(spec: Spec, events: Iterable[Event]) -> Iterator[Evaluation]:
    """The evaluations in a log, in the order in which they were settled; failures that were tried again included."""
    nothing: dict[str, Any] = dict.fromkeys(result_columns(spec))
    problem, policy = spec.problem(), spec.policy
    open_pulls: dict[int, dict[str, Any]] = {}
    ended = False
    for event in events:
        content = event.content
        if event.kind == Kind.VERDICT:
            ended = True
        elif event.kind == Kind.POLICY:
            policy = policy_of_content(content["policy"])
        elif event.kind == Kind.ASKED:
            open_pulls[content["number"]] = content
        elif event.kind == Kind.REISSUED:
            open_pulls[content["number"]] = {**open_pulls[content["number"]], **content}
        elif event.kind in (Kind.TOLD, Kind.FAILED):
            asked = open_pulls[content["number"]]
            settled = event.kind == Kind.TOLD or content["then"] == Then.WORST
            told = [*content["values"], *content.get("baseline", ())] if event.kind == Kind.TOLD else None
            group = line_of(spec, asked) % len(problem.by_group)
            asks = problem.by_group[group]
            values = told if told is not None else policy.worst_values(asks, asked["arm_number"]) if settled else None
            yield Evaluation(
                number=content["number"],
                config=spec.names[asked["arm"]],
                arm_number=asked["arm_number"],
                attempt=content["attempt"],
                results=nothing if values is None else nothing | dict(zip(names_of(asks), values, strict=True)),
                failure=content.get("reason"),
                late=ended,
                asked_at=asked["at"],
                told_at=content["at"],
                worker=asked["worker"],
                cost=cost_in(spec, line_of(spec, asked), content),
                also=content.get("also", {}),
                groups=tuple(asked.get("groups", ())),
                item=spec.items.of(content["number"], asked["arm_number"], group),
            )
            if settled:
                del open_pulls[content["number"]]


def cost_in(spec: Spec, line: int, content: dict[str, Any]) -> float | None:
    """What an evaluation cost: as reported, or as declared if it was made at all."""
    if spec.costs is None or spec.costs.by_config is None:
        return content.get("cost")
    return None if content.get("failure") == FailureKind.NOT_MEASURED else spec.costs.by_config[line]
