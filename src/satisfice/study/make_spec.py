"""A spec from what a user gives: checked as a whole, once."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from satisfice.catalogue import Catalogue, fields_of
from satisfice.errors import InvalidSpec, unknown_name
from satisfice.given import is_number, shown
from satisfice.noise import SubGaussian
from satisfice.noise.process import goes_by_scale
from satisfice.problem.cost import CostLike, cost_of
from satisfice.problem.declaration import check_limits
from satisfice.problem.goal import GoalLike, checked_goal
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES, RuleLike
from satisfice.search.search import Search
from satisfice.search.start import check_steerable
from satisfice.stopping import STOPPING_RULES, StoppingLike
from satisfice.study import known_limits
from satisfice.study.configs import Configs, Parameters, checked_baseline, checked_configs, each_of
from satisfice.study.events import canonical
from satisfice.study.policy import check_budget, make_policy
from satisfice.study.spec import Spec, baseline_of, spec_of_content, whole_number
from satisfice.study.warm_start import EarlierResult, warm_start_from

MOST_SEEDS = 2**64


def make_spec(
    configs: Configs,
    thresholds: Iterable[Metric | str],
    *,
    error_rate: float,
    goal: GoalLike,
    rule: RuleLike,
    stopping: StoppingLike,
    seed: int,
    on_error: str,
    retries: int,
    worst: Mapping[str, float] | None,
    on_lost: str,
    max_evaluations: int | None,
    lease_seconds: float,
    baseline: str | Parameters | None = None,
    durations: Iterable[str] = (),
    warm_start: tuple[str, Iterable[EarlierResult]] | None = None,
    cost: CostLike | None = None,
    max_cost: float | None = None,
    min_evaluations: int = 1,
    strict: bool = False,
) -> Spec:
    """A spec from what a user gives, checked as a whole: a search is made of it once.

    `warm_start` are earlier results, and what they are called.
    """
    named = checked_configs(configs)
    known, measured = known_limits.split(tuple(as_metric(one) for one in each_of(thresholds)), named)
    if known and not measured:
        passing = [name for name, _ in named if name not in known_limits.ruled_out(list(map(str, known)), named)]
        raise InvalidSpec(
            "Every limit is on a parameter, so there is nothing to evaluate: "
            f"{', '.join(passing[:5]) + (', ...' if len(passing) > 5 else '') if passing else 'no configuration'} "
            f"{'passes' if len(passing) < 2 else 'pass'}. Add a limit on what is measured."
        )
    problem = Problem(measured, error_rate, checked_goal(goal))
    check_limits(problem)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < MOST_SEEDS:
        raise InvalidSpec(f"The seed must be a whole number, zero or more and below 2^64, got {shown(seed)}.")
    search = Search(problem, [name for name, _ in named], rule=rule, stopping=stopping, seed=seed)
    if warm_start is not None:
        check_steerable(search.rule, problem)
    priced = None if cost is None else cost_of(cost, named, problem.measured, problem.groups)
    policy = make_policy(
        problem,
        on_error=on_error,
        retries=retries,
        worst=worst,
        on_lost=on_lost,
        max_evaluations=max_evaluations,
        max_cost=max_cost,
        strict=strict,
    )
    check_budget(policy, priced=priced is not None)
    spec = Spec(
        configs=named,
        thresholds=tuple(_exact(metric) for metric in problem.metrics),
        error_rate=problem.error_rate,
        goal=problem.goal,
        rule=_described(search.rule, RULES),
        stopping=_described(search.stopping, STOPPING_RULES),
        seed=seed,
        policy=policy,
        lease_seconds=_seconds(lease_seconds),
        baseline=checked_baseline(baseline_of(baseline, named, problem)),
        durations=_durations(durations, problem),
        warm_start=warm_start_from(*warm_start, named, problem) if warm_start is not None else None,
        cost=None if priced is None else priced.said,
        min_evaluations=whole_number(min_evaluations, 1, "min_evaluations"),
        known=tuple(_exact(metric) for metric in known),
    )
    return spec_of_content(json.loads(canonical(spec.as_content())))


def _exact(metric: Metric) -> str:
    """The metric as a string that reads back as the same metric, in any process."""
    text = metric.exact()
    if text is None and metric.noise.scale is not None and goes_by_scale(metric.noise):
        text = replace(metric, noise=SubGaussian(metric.noise.scale)).exact()  # all that its evidence goes by
    if text is None:
        raise InvalidSpec(
            f"Metric {metric.name!r} cannot be written down so that it reads back the same: its noise {metric.noise} "
            "must be made of numbers, and its class importable as module:Class."
        )
    return text


def _durations(names: Iterable[str], problem: Problem) -> tuple[str, ...]:
    named = tuple(each_of(names))
    for name in named:
        if not isinstance(name, str) or name not in problem.measured:
            raise unknown_name("metric", name, problem.measured)
    return tuple(dict.fromkeys(named))


def _seconds(value: float) -> float:
    if not is_number(value) or not float(value) > 0:
        raise InvalidSpec(f"lease_seconds must be a positive number of seconds, got {shown(value)}.")
    return float(value)


def _described(value: object, known: Catalogue[Any]) -> dict[str, Any]:
    """A rule as the name under which it is found again, and its fields."""
    name = known.name_of(value)
    described = {"name": name, "fields": fields_of(value)}
    try:
        canonical(described)
    except (TypeError, ValueError) as error:
        raise InvalidSpec(f"The fields of the {known.kind} {name!r} must be writable as JSON: {error}.") from None
    return described
