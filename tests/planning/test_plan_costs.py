"""Plans with money: what studies cost, by scenario, and what evaluations of each kind of configuration cost."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidInstance, InvalidProblem, UnknownName
from satisfice.planning.plan import planned_costs, spread_costs
from satisfice.planning.scenarios import SCENARIOS, ArmCounts

THRESHOLDS = ["speed >= 0.5 ~ 0.1 : normal(1)"]
FEW = ["one clearly passes", "half clearly pass"]


def made(configs=5, **options):
    given = {"repetitions": 12, "scenarios": FEW, "seed": 1, "engine": "interpreted"}
    return sf.plan(THRESHOLDS, configs, **(given | options))


def test_money_is_planned_beside_evaluations():
    plan = made(cost="2 * size", configs=sf.grid(size=[1, 2, 3, 4, 50]))
    for each, cell in zip(plan.scenarios, plan.result.cells, strict=True):
        assert sorted(cell.cell.instance.costs) == [2.0, 4.0, 6.0, 8.0, 100.0]
        assert each.runs.cost.mean == pytest.approx(cell.spent.mean())
        assert each.as_dict()["cost"]["quantile_90"] == each.runs.cost.quantile_90
    assert str(plan).splitlines()[0].split("  ")[-3:] == ["found %", "none %", "undecided %"]
    assert "cost, 90 %" in str(plan)
    assert "cost" not in str(made())
    assert made().as_dict()["max_cost"] is None


def test_a_cost_that_is_the_same_for_all_is_only_a_unit():
    plain, priced = made(), made(cost=0.25)
    for one, other in zip(plain.scenarios, priced.scenarios, strict=True):
        assert one.runs.mean == other.runs.mean
        assert other.runs.cost.mean == pytest.approx(0.25 * one.runs.mean)


def test_a_budget_of_money_leaves_studies_undecided():
    plan = made(cost=1.0, max_cost=12)
    assert plan.as_dict()["max_cost"] == 12
    assert all(each.runs.maximum <= 12 for each in plan.scenarios)
    assert plan.scenarios[0].runs.timed_out > 0.5


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("count", [1, 2, 3, 10, 37])
def test_each_kind_has_cheap_and_dear_ones(name, count):
    costs = np.geomspace(1.0, 100.0, count)
    kinds = SCENARIOS[name](count, 1)
    given = spread_costs(list(np.random.default_rng(1).permutation(costs)), kinds)
    assert sorted(given.tolist()) == costs.tolist()
    if count > 2 and kinds in (ArmCounts(clearly_pass=1), ArmCounts(just_pass=1)):
        assert given[-1] == np.sort(costs)[count // 2]


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"cost": "usd"}, InvalidProblem, "Evaluations report their cost as 'usd', and a plan cannot know it before"),
        ({"cost": "2 * size"}, UnknownName, "No parameter of '1'"),
        ({"cost": -1}, InvalidProblem, "The cost must be a number of more than 0"),
        ({"cost": 1, "max_cost": 0}, InvalidInstance, "max_cost must be a number of more than 0"),
        ({"max_cost": 3}, InvalidInstance, "have no costs"),
    ],
)
def test_what_makes_no_sense_is_refused(given, error, sentence):
    with pytest.raises(error, match=sentence):
        made(**given)


def test_names_alone_are_enough_for_a_table_of_costs():
    assert planned_costs({"b": 2, "a": 1}, ["a", "b"], sf.problem_of(THRESHOLDS)) == (1.0, 2.0)
