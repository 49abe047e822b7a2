"""How simulated arms' results are distributed, as far as the declared noise leaves it open."""

from typing import Any

import numpy as np

from satisfice.problem.problem import Problem
from satisfice.simulation.arms import BETA, CorrelatedArms, GaussianArms, MixedArms, RecordedArms
from satisfice.simulation.instance import Instance
from satisfice.theory.distributions import Law, Laws, beta_law, empirical_law, needs_law, normal_law

DRAWN = 10_000
"""Results drawn of each arm of a kind that only its author knows."""


def laws_of(instance: Instance) -> Laws:
    """For each arm a law for each metric that needs one (normal of unknown scale, bounded), and None for the others.

    Exact for the arms of this package; those of the user's own are drawn from, always with the same seed.
    """
    arms, problem = instance.arms, instance.problem
    open_metrics = [index for index, metric in enumerate(problem.metrics) if needs_law(metric)]
    if not open_metrics:
        return [[None] * len(problem.metrics)] * len(instance.arm_names)
    return [_row(arms, problem, arm, open_metrics) for arm in range(len(instance.arm_names))]


def _row(arms: Any, problem: Problem, arm: int, open_metrics: list[int]) -> list[Law | None]:
    row: list[Law | None] = [None] * len(problem.metrics)
    known = isinstance(arms, GaussianArms | CorrelatedArms | MixedArms | RecordedArms)
    drawn = np.empty((0, len(row))) if known else _drawn(arms, arm, len(row))
    for metric in open_metrics:
        match arms:
            case GaussianArms() | CorrelatedArms():
                row[metric] = normal_law(arms.means[arm, metric], arms.sds[min(arm, len(arms.sds) - 1), metric])
            case MixedArms():
                row[metric] = _mixed(arms, arm, metric)
            case RecordedArms():
                row[metric] = empirical_law(arms.rows[arms.starts[arm] : arms.starts[arm + 1], metric])
            case _:
                row[metric] = empirical_law(drawn[:, metric])
    return row


def _mixed(arms: MixedArms, arm: int, metric: int) -> Law:
    low, spread = float(arms.low[arm, metric]), float(arms.spread[arm, metric])
    if arms.kinds[metric] == BETA:
        return beta_law(low, low + spread, float(arms.first[arm, metric]), float(arms.second[arm, metric]))
    return normal_law(arms.means[arm, metric], spread)


def _drawn(arms: Any, arm: int, metrics: int) -> Any:
    rng = np.random.default_rng(arm)
    table = np.empty((DRAWN, metrics))
    for row in table:
        arms.draw(rng, arm, row)
    return table
