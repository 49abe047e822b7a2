"""What the configurations of a scenario cost: nobody knows which of those that are given are the ones that pass."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem
from satisfice.planning.scenarios import ArmCounts
from satisfice.problem.cost import CostLike, cost_of
from satisfice.problem.problem import Problem


def planned_costs(cost: CostLike, configs: Any, problem: Problem) -> tuple[float, ...]:
    """What one evaluation of each configuration costs, as `create_study` would read it; of each group, if any."""
    if isinstance(configs, Mapping):
        named = [(str(name), parameters or {}) for name, parameters in configs.items()]
    elif isinstance(configs, Sequence):
        named = [(str(name), {}) for name in configs]
    else:
        named = [(str(place + 1), {}) for place in range(int(configs))]
    found = cost_of(cost, named, problem.measured, problem.groups)
    if found.by_config is None:
        raise InvalidProblem(
            f"Evaluations report their cost as {found.metric!r}, and a plan cannot know it before. Give a guess: a "
            "number, numbers by configuration, or an expression of their parameters."
        )
    return found.by_config


def spread_costs(costs: Sequence[float], kinds: ArmCounts, groups: int = 1) -> Floats:
    """The costs for the arms of a scenario, in their order: each kind has cheap and dear ones, one alone the median.

    Small kinds choose first, at equal distances among what is left from the cheapest to the dearest. With groups of
    metrics an arm has a cost for each of the `groups`.
    """
    each = np.array(costs, dtype=np.float64).reshape(-1, groups)
    sizes = [len(each) - sum(kinds), kinds.just_fail, kinds.within_tolerance, kinds.just_pass, kinds.clearly_pass]
    starts = np.cumsum([0, *sizes])
    left, given = each[np.argsort(each.sum(axis=1), kind="stable")], np.empty_like(each)
    for kind in sorted(range(len(sizes)), key=lambda kind: sizes[kind]):
        size = sizes[kind]
        places = ((np.arange(size) + 0.5) * len(left) / max(size, 1)).astype(np.int64)
        given[starts[kind] : starts[kind] + size] = left[places]
        left = np.delete(left, places, axis=0)
    return given.reshape(-1)
