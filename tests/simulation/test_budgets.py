"""A run ends when its evaluations or its money are spent, not before, and says what it has spent."""

import numpy as np
import pytest

import satisfice as sf

PROBLEM = sf.problem_of(["x >= 0 : normal(1)"], 0.01)
UNCLEAR = sf.arms_for(PROBLEM, [[0.0], [0.0], [0.0]])


def runs_of(**given):
    return sf.simulate(PROBLEM, UNCLEAR, repetitions=6, seed=3, engine="interpreted", **given)


@pytest.mark.parametrize("rule", ["pandora", "multitucb", "thompson"])
@pytest.mark.parametrize("most", [1, 2, 25])
def test_of_evaluations(rule, most):
    made = runs_of(rules=[rule], max_evaluations=most)
    assert made.cells[0].record.totals.tolist() == [most] * 6
    assert made.summaries[0].mean == most


@pytest.mark.parametrize(("cost", "money", "evaluations"), [(1.0, 7.0, 7), (2.5, 25.0, 10), (2.5, 24.9, 9)])
def test_of_money_at_the_same_cost_for_all(cost, money, evaluations):
    made = runs_of(max_cost=money, costs=cost, max_evaluations=100)
    kept = made.cells[0].record
    assert kept.totals.tolist() == [evaluations] * 6
    np.testing.assert_allclose(kept.spent, cost * evaluations)


def test_of_money_at_costs_that_differ():
    kept = runs_of(max_cost=40.0, costs=[1.0, 2.0, 4.0], max_evaluations=100).cells[0].record
    assert kept.spent.sum() == pytest.approx(kept.arm_pulls @ [1.0, 2.0, 4.0])
    assert (kept.spent <= 40.0).all()
    assert (kept.spent > 36.0).all()


def test_the_same_seed_makes_the_same_runs_and_0_is_meant_where_none_is_given():
    first, again, other = (
        sf.simulate(PROBLEM, UNCLEAR, repetitions=6, engine="interpreted", max_evaluations=20, **given)
        for given in ({}, {"seed": 0}, {"seed": 1})
    )
    sums = [made.cells[0].record.guess_deficits.tolist() for made in (first, again, other)]
    assert sums[0] == sums[1] != sums[2]
