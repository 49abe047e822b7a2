"""Studies whose metrics can be measured apart: what is spent by measuring groups, and by measuring all every time."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.checks import Engine
from satisfice.stopping import DEFAULT_STOPPING

CHOSEN, HELD_OUT = 1, 2
"""Seeds: instances of the first were looked at while the choice of groups was made, those of the second judge it."""

RATE, BUDGET = 0.05, 500_000
BAR = 0.45
"""Of the money of measuring all, where one metric of four is tight: on the average of instances of that kind."""


class Family(NamedTuple):
    """A kind of instance: arms, how many are good, what one evaluation of each of its groups of one metric costs.

    Means of good arms pass by `wide` standard deviations, in the last metric by `tight`; those of the other arms miss
    one limit by as much as they pass it else.
    """

    name: str
    arms: int
    good: int
    costs: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    wide: tuple[float, float] = (0.4, 0.8)
    tight: tuple[float, float] = (0.1, 0.2)

    @property
    def metrics(self) -> int:
        return len(self.costs)


TIGHT = Family("one tight of four", 5, 1)
FAMILIES = (
    TIGHT,
    Family("one tight of four, three good of ten", 10, 3),
    Family("one tight of four, none good", 5, 0),
    Family("four alike", 5, 1, tight=(0.4, 0.8)),
    Family("a cheap and a dear metric, ten arms", 10, 2, (1.0, 100.0), (0.2, 0.6), (0.2, 0.6)),
    Family("cheap and dear, none good", 10, 0, (1.0, 100.0), (0.2, 0.6), (0.2, 0.6)),
    Family("three good of forty", 40, 3),
)


class Spent(NamedTuple):
    """What studies of an instance cost on average: measuring groups, and measuring all every time."""

    family: str
    apart: float
    together: float

    @property
    def ratio(self) -> float:
        return self.apart / self.together


def instance_of(family: Family, rng: np.random.Generator) -> sf.Instance:
    """An instance of a kind whose metrics are each a group."""
    margins = rng.uniform(*family.wide, (family.arms, family.metrics))
    margins[:, -1] = rng.uniform(*family.tight, family.arms)
    for arm in rng.permutation(family.arms)[family.good :]:
        margins[arm, rng.integers(family.metrics)] *= -1
    problem = sf.problem_of([f"m{place} >= 0 : normal(1) @ g{place}" for place in range(family.metrics)], RATE)
    costs = {f"g{place}": cost for place, cost in enumerate(family.costs)}
    return sf.Instance.of(problem, sf.arms_for(problem, margins), name=family.name, costs=costs)


def together(instance: sf.Instance) -> sf.Instance:
    """The same arms where every evaluation measures, and pays, all metrics."""
    problem = replace(instance.problem, metrics=tuple(replace(metric, group="") for metric in instance.problem.metrics))
    whole = np.zeros(0) if instance.costs is None else instance.costs.reshape(len(instance.arm_names), -1).sum(axis=1)
    return replace(instance, problem=problem, costs=whole)


def spent_on(instance: sf.Instance, repetitions: int, engine: Engine = "compiled", budget: int = BUDGET) -> Spent:
    """What the default rule spends on average, apart and together."""
    apart, whole = (
        run_cell(Cell(one, DEFAULT_RULE, DEFAULT_STOPPING, repetitions, budget, 3), threads=2, engine=engine)
        for one in (instance, together(instance))
    )
    return Spent(instance.name, float(apart.record.spent.mean()), float(whole.record.spent.mean()))


def spendings(seed: int, repetitions: int, draws: int) -> Iterator[Spent]:
    """Of so many instances of each kind, drawn by a seed."""
    for family in FAMILIES:
        rng = np.random.default_rng([seed, family.arms, family.good, family.metrics])
        for _ in range(draws):
            yield spent_on(instance_of(family, rng), repetitions)
