"""One search, two drivers, where evaluations cost differently: the same pulls, and money ends both at the same one."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.search.costs import left_of
from satisfice.simulation.cell import Cell
from satisfice.stopping import STOPPING_RULES
from tests.helpers.close_calls import close_call
from tests.helpers.driving import Run, assert_same, live_run, search_of, simulated_run, stream_of

COSTS = ([64.0, 1.0, 8.0, 0.5], [0.3, 0.1, 0.7, 30.0])
SEED, BUDGET = 21, 1500


def cells(rule: str, stopping: str, noise: str, goal: str, max_cost: float) -> list[Cell]:
    parts = RULES[rule](), STOPPING_RULES[stopping]()
    return [
        Cell(
            replace(close_call(noise, passes=turn % 2 == 0, goal=goal), costs=np.array(COSTS[turn // 2])),
            *parts,
            1,
            BUDGET,
            SEED,
            max_cost=max_cost,
        )
        for turn in range(4)
    ]


def run_within(cell: Cell, block: int) -> Run:
    """A live search that is asked as long as there is money left."""
    rng = stream_of(cell.seed, block)
    search, costs = search_of(cell, rng), cell.instance.costs
    results, order = np.empty(len(cell.instance.problem.metrics)), []
    while len(order) < cell.max_evaluations:
        left = left_of(cell.max_cost, sum(float(costs[arm]) for arm in order))
        arm = search.choose(len(order), left=left)
        if arm is None:
            break
        order.append(arm)
        cell.instance.arms.draw(rng, arm, results)
        search.fold(arm, tuple(results.tolist()))
    verdict, names = search.verdict, list(cell.instance.arm_names)
    return Run(str(verdict.outcome), None if verdict.arm is None else names.index(verdict.arm), order)


ROWS = [
    *product(RULES, ["evidence"], ["bounded"], ["any"], ["interpreted"]),
    *product(["pandora"], ["evidence"], ["normal", "unknown sd", "mixed, all"], ["any", "all"], ["compiled"]),
    *product(["pandora"], ["transfer"], ["normal"], ["any"], ["compiled"]),
]


@pytest.mark.parametrize(("rule", "stopping", "noise", "goal", "engine"), ROWS)
def test_a_search_is_the_simulated_run(rule, stopping, noise, goal, engine):
    for turn, cell in enumerate(cells(rule, stopping, noise, goal, float("inf"))):
        assert_same(live_run(cell, turn)[0], simulated_run(cell, turn, engine))


@pytest.mark.parametrize(
    ("rule", "engine"), [("pandora", "interpreted"), ("pandora", "compiled"), ("murphy", "interpreted")]
)
@pytest.mark.parametrize("max_cost", [72.9, 74.0, 90.0, 400.0])
def test_money_ends_both_at_the_same_pull(rule, engine, max_cost):
    ended = set()
    for turn, cell in enumerate(cells(rule, "evidence", "bounded", "any", max_cost)):
        one = run_within(cell, turn)
        assert_same(one, simulated_run(cell, turn, engine))
        ended.add(one.outcome)
        assert sum(cell.instance.costs[one.order]) <= max_cost * (1 + 1e-9)
    assert "UNDECIDED" in ended


def test_costs_that_differ_change_the_pulls():
    """Else the comparisons would say less than they seem to."""
    cell = cells("pandora", "evidence", "normal", "any", float("inf"))[0]
    blind = replace(cell, instance=replace(cell.instance, costs=None))
    assert live_run(cell)[0].order[4:] != live_run(blind)[0].order[4:]


def test_many_arms_of_different_costs():
    problem = sf.problem_of(["a >= 0 ~ 0.25 : normal", "b <= 0 ~ 0.125 : normal"], 0.1)
    rng = np.random.default_rng(8)
    means, costs = rng.normal([-0.6, 0.6], 0.6, (100, 2)), rng.permutation(np.geomspace(1.0, 100.0, 100))
    instance = sf.Instance.of(problem, sf.gaussian_arms(means, 1.0), costs=costs)
    for turn in range(3):
        cell = Cell(instance, sf.Pandora(), sf.Evidence(), 1, 400, SEED)
        assert_same(live_run(cell, turn)[0], simulated_run(cell, turn, "interpreted"))
