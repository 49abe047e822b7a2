"""Studies whose configurations cost up to a hundred times as much as each other: what is spent, knowing it or not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.cell import Cell, run_cell
from satisfice.stopping import DEFAULT_STOPPING

CHOSEN, HELD_OUT = 1, 2
"""Seeds: instances of the first were looked at while the rule was made, those of the second are for judging it."""

RATE, BUDGET = 0.05, 200_000
BAR = 0.5
"""Of the money of the default rule that knows no costs, on the average of instances of a kind."""


class Family(NamedTuple):
    """A kind of instance: arms, metrics, how many arms are good, and by how many standard deviations, at least and at
    most, means pass; those of the other arms miss one limit by as much."""

    name: str
    arms: int
    metrics: int
    good: int
    low: float = 0.2
    high: float = 0.6
    coins: bool = False


FAMILIES = (
    Family("two good of five", 5, 2, 2),
    Family("three good of ten", 10, 2, 3),
    Family("all ten good, by the same", 10, 2, 10, 0.3, 0.3),
    Family("five good of twenty", 20, 3, 5),
    Family("ten good of fifty", 50, 2, 10, 0.2, 0.8),
    Family("ten good of a hundred", 100, 2, 10, 0.3, 0.8),
    Family("three good of ten, zeros and ones", 10, 1, 3, 0.2, 0.4, coins=True),
)


class Spent(NamedTuple):
    """What studies of an instance cost on average: knowing costs, not knowing them, and learning them as they go."""

    family: str
    aware: float
    blind: float
    learning: float | None = None

    @property
    def ratio(self) -> float:
        return self.aware / self.blind


def instance_of(family: Family, rng: np.random.Generator) -> sf.Instance:
    """An instance of a kind, with costs from 1 to 100, evenly spread on the scale of logarithms."""
    margins = rng.uniform(family.low, family.high, (family.arms, family.metrics))
    for arm in rng.permutation(family.arms)[family.good :]:
        margins[arm, rng.integers(family.metrics)] *= -1
    costs = rng.permutation(np.geomspace(1.0, 100.0, family.arms))
    noise, limit, sd = ("bernoulli", 0.7, 0.7) if family.coins else ("normal(1)", 0.0, 1.0)
    problem = sf.problem_of([f"m{place} >= {limit} ~ 0.05 : {noise}" for place in range(family.metrics)], RATE)
    return sf.Instance.of(problem, sf.arms_for(problem, limit + sd * margins), name=family.name, costs=costs)


def spent_on(instance: sf.Instance, repetitions: int, learned: int = 0) -> Spent:
    """What the default rule spends with costs and without, and what it spends if evaluations report them."""
    aware, blind = (
        run_cell(Cell(one, DEFAULT_RULE, DEFAULT_STOPPING, repetitions, BUDGET, 3), threads=2)
        for one in (instance, replace(instance, costs=None))
    )
    without = float(blind.arm_pulls @ _costs(instance)) / repetitions
    reported = [money_while_learning(instance, run) for run in range(learned)]
    with_costs = 0.0 if aware.spent is None else float(aware.spent.mean())
    return Spent(instance.name, with_costs, without, float(np.mean(reported)) if reported else None)


def money_while_learning(instance: sf.Instance, run: int, noise: float = 0.5) -> float:
    """What one live search spends whose evaluations report lognormal costs, with that deviation of the logarithm."""
    rng = np.random.default_rng([11, run])
    search = sf.Search(instance.problem, instance.arm_names, reports_cost=True)
    names, metrics = list(instance.arm_names), instance.problem.metric_names
    results, costs, spent = np.empty(len(metrics)), _costs(instance), 0.0
    while (arm := search.ask()) is not None:
        place = names.index(arm)
        instance.arms.draw(rng, place, results)
        cost = float(costs[place] * np.exp(noise * rng.standard_normal() - noise**2 / 2))
        search.tell(arm, dict(zip(metrics, results.tolist(), strict=True)), cost=cost)
        spent += cost
    return spent


def spendings(seed: int, repetitions: int, draws: int, learned: int = 0) -> Iterator[Spent]:
    """Of so many instances of each kind, drawn by a seed."""
    for family in FAMILIES:
        rng = np.random.default_rng([seed, family.arms, family.good])
        few = learned if family.arms <= 20 else 0
        for _ in range(draws):
            yield spent_on(instance_of(family, rng), repetitions, few)


def average(ratios: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(ratios))))


def _costs(instance: sf.Instance) -> np.ndarray:
    return np.ones(len(instance.arm_names)) if instance.costs is None else instance.costs
