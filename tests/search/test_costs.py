"""Costs in a search: what steers the choice, what is expected, and what a budget has room for."""

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import BrokenContract, InvalidInstance, InvalidProblem
from satisfice.rules import RULES
from satisfice.search.costs import Costs, left_of, opening_order, weights_of
from satisfice.simulation.campaign import plan_cells
from satisfice.simulation.cell import Cell, run_cell
from satisfice.testing import check_rule

PROBLEM = sf.problem_of(["a >= 0 ~ 0.1 : normal(1)"], 0.05)


def test_equal_costs_are_no_costs():
    assert weights_of([7.0, 7.0, 7.0]).tolist() == [1.0]
    assert weights_of(None).tolist() == [1.0]
    assert weights_of([7.0, 8.0]).tolist() == [7.0, 8.0]


def test_cheaper_arms_are_opened_first():
    order = np.array([3, 1, 0, 2])
    assert opening_order(np.array([5.0, 1.0, 2.0, 1.0]), order).tolist() == [3, 1, 2, 0]
    assert opening_order(np.ones(1), order).tolist() == [3, 1, 0, 2]
    search = sf.Search(PROBLEM, "abcd", costs=[5.0, 1.0, 2.0, 1.0])
    asked = []
    for _ in range(14):
        asked.append(search.ask())
        search.tell(asked[-1], {"a": -1.0})
    assert asked[:3] == ["b", "d", "c"]
    assert asked.index("a") > 3  # five times as dear: the others are looked at again before


def test_among_equal_arms_the_cheap_one_is_evaluated():
    costs = [10.0, 1.0, 30.0]
    search = sf.Search(PROBLEM, "xyz", costs=costs)
    rng = np.random.default_rng(1)
    while (arm := search.ask()) is not None:
        search.tell(arm, {"a": rng.normal(0.5)})
    assert search.verdict.arm == "y"
    assert search.pulls.tolist()[0] <= 3
    assert search.pulls.tolist()[2] <= 3


class ByMargin(NamedTuple):
    """A margin rule that knows nothing of costs."""

    doubt: float = 1.0

    def bonus(self, pulls, setting):
        return self.doubt / pulls**0.5

    def margin_priority(self, margins, tolerances, arm, pulls, bonus):
        return margins[arm, 0] + bonus


@pytest.mark.parametrize("rule", [*(RULES[name]() for name in RULES if name != "pandora"), ByMargin()], ids=repr)
def test_rules_that_do_not_count_money_choose_as_without_costs(rule):
    """But for the order of the first evaluations."""

    def order(costs):
        rng, search = np.random.default_rng(5), sf.Search(PROBLEM, "abc", rule=rule, costs=costs)
        tape = {arm: rng.normal(0.1, 1.0, 60).tolist() for arm in "abc"}
        asked = []
        while (arm := search.ask()) is not None and len(asked) < 60:
            asked.append(arm)
            search.tell(arm, {"a": tape[arm].pop()})
        return asked

    assert order([1.0, 2.0, 3.0]) == order(None)


def test_priorities_in_money():
    rule = sf.Pandora()
    assert rule.in_money(-3.7, 1.0) == -3.7
    assert rule.in_money(-3.0, 2.5) == -7.5
    assert np.isfinite(rule.in_money(-1e300, 1e14))


class Wrong(ByMargin):
    """Says another priority where evaluations cost 1."""

    def in_money(self, priority, cost):
        return priority * cost + 1.0


class Overflows(ByMargin):
    def in_money(self, priority, cost):
        return priority * cost * 1e300


@pytest.mark.parametrize("rule", [Wrong(), Overflows()])
def test_priorities_in_money_are_checked(rule):
    with pytest.raises(BrokenContract, match="must be finite, and the priority where the cost is 1"):
        check_rule(rule)


def test_estimates_of_reported_costs():
    costs = Costs(3, reported=True)
    assert costs.expected(0) is None
    costs.note(1, None)
    assert costs.weights.tolist() == [1.0, 1.0, 1.0]
    costs.note(0, 4.0)
    assert [costs.expected(arm) for arm in range(3)] == [4.0, 4.0, 4.0]
    costs.note(1, 100.0)
    costs.note(1, 300.0)
    assert [costs.expected(arm) for arm in range(3)] == [4.0, 200.0, 102.0]
    assert costs.weights[1] == pytest.approx(200 ** (2 / 3) * 102 ** (1 / 3))
    costs.note(2, None)
    assert costs.weights[2] == pytest.approx(102.0)
    for _ in range(400):
        costs.note(0, 4.0)
    assert costs.weights[0] == pytest.approx(4.0, rel=0.02)


def test_an_arm_that_was_never_evaluated_weighs_what_the_others_cost_on_average():
    costs = Costs(4, reported=True)
    costs.note(0, 1.0)
    costs.note(1, 9.0)
    before = costs.weights.copy()
    costs.assume(np.array([True, True, True, False]))
    assert costs.weights.tolist() == [before[0], before[1], 5.0, before[3]]


def test_free_evaluations():
    costs = Costs(2, reported=True)
    costs.note(0, 0.0)
    assert (costs.expected(0), 0.0 < costs.weights[0] < 1e-6) == (0.0, True)
    costs.note(1, 5.0)
    costs.note(0, 0.0)
    assert 0.0 < costs.weights[0] < costs.weights[1]


def test_a_search_with_reported_costs_goes_on_where_it_was():
    """All of it is in its state."""

    def told(search, results):
        for value, cost in results:
            arm = search.ask()
            search.tell(arm, {"a": value}, cost=cost * (1 + 9 * (arm == "x")))
        return search

    rng = np.random.default_rng(3)
    results = list(zip(rng.normal(0, 1, 80).tolist(), rng.exponential(1.0, 80).tolist(), strict=True))
    whole = told(sf.Search(PROBLEM, "xyz", reports_cost=True), results)
    half = told(sf.Search(PROBLEM, "xyz", reports_cost=True), results[:40])
    other = sf.Search(PROBLEM, "xyz", reports_cost=True)
    other.restore({name: array.copy() for name, array in half.state().items()})
    told(other, results[40:])
    one, two = whole.state(), other.state()
    assert one.keys() == two.keys()
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)


@pytest.mark.parametrize("rule", RULES)
def test_a_choice_that_is_too_dear_is_no_ask(rule):
    """It leaves nothing behind: whoever has more money later asks as if it had not been refused."""
    names = [str(arm) for arm in range(70)]
    costs = np.linspace(1.0, 3.0, 70).tolist()
    rng = np.random.default_rng(2)
    search = sf.Search(PROBLEM, names, rule=rule, costs=costs, seed=9)
    for number in range(120):
        arm = search.choose(number)
        search.fold(arm, (float(rng.normal(-0.5)),))
    before = {name: array.copy() for name, array in search.state().items()}
    assert search.choose(120, left=0.5) is None
    assert all(np.array_equal(before[name], array, equal_nan=True) for name, array in search.state().items())
    assert search.choose(120, left=4.0) == search.choose(120)


@pytest.mark.parametrize("costs", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, float("nan")], ["1", "2"], [1.0, inf]])
def test_costs_that_cannot_be(costs):
    with pytest.raises(InvalidProblem, match="Expected costs as 2 numbers of more than 0"):
        sf.Search(PROBLEM, "xy", costs=costs)
    with pytest.raises(InvalidInstance, match="Expected costs as 2 numbers of more than 0"):
        sf.Instance.of(PROBLEM, sf.gaussian_arms([[0.1], [0.2]], 1.0), costs=costs)


def test_simulated_money():
    """What is reported is pulls times costs, and what a budget of money leaves undecided says so."""
    costs = [30.0, 1.0, 8.0]
    arms = sf.gaussian_arms([[0.5], [0.4], [-0.3]], 1.0)
    instance = sf.Instance.of(PROBLEM, arms, costs=costs)
    free = run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 60, 10_000, 1), engine="interpreted")
    assert free.spent.sum() == pytest.approx(float(free.arm_pulls @ np.array(costs)))
    cut = run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 60, 10_000, 1, max_cost=80.0), engine="interpreted")
    assert cut.spent.max() <= left_of(80.0, 0.0)
    assert 0 < cut.timed_out.sum() < 60
    assert (cut.spent[cut.timed_out] > 80.0 - max(costs)).all()


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_equal_costs_change_nothing_but_the_unit(engine):
    arms = sf.gaussian_arms([[0.5], [0.4], [-0.3]], 1.0)
    plain, priced = (sf.Instance.of(PROBLEM, arms, costs=costs) for costs in (None, 0.3))
    one, two = (
        run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 40, 10_000, 1), engine=engine)
        for instance in (plain, priced)
    )
    assert np.array_equal(one.pulls, two.pulls)
    assert one.spent is None
    assert two.spent == pytest.approx(0.3 * two.pulls)
    cell = Cell(priced, sf.Pandora(), sf.Evidence(), 40, 10_000, 1, max_cost=9.0)
    assert run_cell(cell, engine=engine).pulls.max() == 30
    boundless = run_cell(replace(cell, max_cost=1e30), engine=engine)
    assert np.array_equal(boundless.pulls, one.pulls), "more evaluations than can be counted are affordable"


def test_a_campaign_with_costs(tmp_path):
    result = sf.simulate(
        PROBLEM,
        sf.gaussian_arms([[0.8], [0.5]], 1.0),
        costs=[50, 1],
        max_cost=90,
        repetitions=20,
        engine="interpreted",
        folder=tmp_path / "out",
    )
    summary = result.summaries[0]
    assert 1 < summary.cost.mean <= summary.cost.maximum <= 90.001
    assert summary.as_dict()["cost"]["median"] == summary.cost.median
    assert result.table().column("cost").to_pylist() == result.cells[0].spent.tolist()
    result.save(tmp_path / "saved")
    head = (tmp_path / "saved" / "summary.csv").read_text().splitlines()[0]
    assert '"cost_mean"' in head
    described = result.cells[0].cell.description()
    assert described["max_cost"] == 90.0
    assert "costs" in described


@pytest.mark.parametrize(
    ("costs", "most", "sentence"), [(None, 5.0, "have no costs"), (1.0, 0.0, "more than 0"), (1.0, "x", "more than 0")]
)
def test_budgets_of_money_that_cannot_be(costs, most, sentence):
    instance = sf.Instance.of(PROBLEM, sf.gaussian_arms([[0.8], [0.5]], 1.0), costs=costs)
    with pytest.raises(InvalidInstance, match=sentence):
        plan_cells([instance], ["pandora"], max_cost=most)


@pytest.mark.parametrize("unit", [1.0, 1024.0, 1 / 1024])
def test_dear_arms_are_not_looked_at_again_and_again_while_costs_are_learned(unit):
    """All pass alike: after one evaluation each the cheap one is tried on, and no look is owed to the others."""
    problem = sf.problem_of(["x >= 0 ~ 0.05 : normal(1)"], 0.05)
    rng, costs = np.random.default_rng(5), {"cheap": 1.0, "dear": 60.0, "dearest": 100.0}
    search, asked = sf.Search(problem, list(costs), reports_cost=True), dict.fromkeys(costs, 0)
    while (arm := search.ask()) is not None:
        asked[arm] += 1
        search.tell(arm, {"x": 0.25 + rng.standard_normal()}, cost=unit * costs[arm])
    assert asked["cheap"] > 40
    assert max(asked["dear"], asked["dearest"]) <= 4
