"""How simulated arms' results are distributed, as far as the declared noise leaves it open."""

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.process import Distribution
from satisfice.simulation.arms import CorrelatedArms, GaussianArms, RecordedArms, mixed_distribution
from satisfice.simulation.instance import Instance
from satisfice.simulation.protocol import Arms
from satisfice.theory.distributions import Distributions, empirical_distribution

DRAWN = 10_000
"""Results drawn of each arm of a kind that only its author knows."""


def distributions_of(instance: Instance) -> Distributions:
    """For each arm a distribution of each metric that leaves its spread open, and None for the others.

    Exact for the arms of this package; those of the user's own are drawn from, always with the same seed.
    """
    metrics = instance.problem.metrics
    opened = [index for index, metric in enumerate(metrics) if metric.process.open_spread]
    if not opened:
        return [[None] * len(metrics)] * len(instance.arm_names)
    return [_row(instance, arm, opened) for arm in range(len(instance.arm_names))]


def _row(instance: Instance, arm: int, opened: list[int]) -> list[Distribution | None]:
    arms = instance.arms
    row: list[Distribution | None] = [None] * len(instance.problem.metrics)
    drawn: Floats | None = None
    for metric in opened:
        if isinstance(arms, GaussianArms | CorrelatedArms):
            sd = arms.sds[min(arm, len(arms.sds) - 1), metric]
            row[metric] = Distribution(float(arms.means[arm, metric]), float(sd))
        elif isinstance(arms, RecordedArms):
            row[metric] = empirical_distribution(arms.rows[arms.starts[arm] : arms.starts[arm + 1], metric])
        elif (known := mixed_distribution(arms, instance.problem.metrics[metric], arm, metric)) is not None:
            row[metric] = known
        else:
            drawn = _drawn(arms, arm, len(row)) if drawn is None else drawn
            row[metric] = empirical_distribution(drawn[:, metric])
    return row


def _drawn(arms: Arms, arm: int, metrics: int) -> Floats:
    rng = np.random.default_rng(arm)
    table = np.empty((DRAWN, metrics))
    for row in table:
        arms.draw(rng, arm, row)
    return table
