"""Metrics in groups: a live search, the interpreted and the compiled simulator ask for the same; one group is none."""

from dataclasses import replace

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation.cell import Cell, run_cell, run_once
from tests.helpers.driving import search_of, stream_of

MEANS = np.array([[0.5, 0.5, 0.5, 0.25], [0.5, -0.25, 0.5, 0.5], [-0.5, 0.5, 0.25, 0.5], [0.5, 0.5, 0.5, -0.25]])
NOISES = {
    "normal": ("normal(1)",) * 4,
    "mixed": ("normal(1)", "bounded(-2, 2)", "normal", "spread(1)"),
    "undeclared": ("checked", "normal", "normal(1)", "normal"),
}
GROUPS = ("a", "b", "a", "c")


def cell_of(noise="normal", groups=GROUPS, *, passes=True, costs=None, budget=1500):
    thresholds = [
        f"m{place} >= 0 ~ 0.0625 : {one}{f' @ {group}' if group else ''}"
        for place, (one, group) in enumerate(zip(NOISES[noise], groups, strict=True))
    ]
    problem = sf.problem_of(thresholds, 0.1)
    means = MEANS if passes else MEANS[1:]
    arms = sf.arms_for(problem, means, sds=1.0)
    return Cell(sf.Instance.of(problem, arms, costs=costs), sf.Pandora(), sf.Evidence(), 1, budget, 5)


def live(cell):
    """How a live search on the stream of the cell ends, and the lines that it asks for."""
    rng, instance = stream_of(cell.seed), cell.instance
    search, problem = search_of(cell, rng), instance.problem
    names, results, order = list(instance.arm_names), np.empty(len(problem.metrics)), []
    size = len(problem.by_group)
    while len(order) < cell.max_evaluations and (name := search.ask()) is not None:
        group = problem.groups.index(search.wanted[0]) if problem.groups else 0
        order.append(names.index(name) * size + group)
        instance.arms.draw(rng, names.index(name), results)
        values = dict(zip(problem.metric_names, results.tolist(), strict=True))
        search.tell(name, {one: values[one] for one in problem.by_group[group].measured})
    verdict = search.verdict
    return str(verdict.outcome), -1 if verdict.arm is None else names.index(verdict.arm), order


def simulated(cell, engine="interpreted"):
    ending, found, order = run_once(cell, engine=engine)
    return OutcomeCode(ending).name, found, order.tolist()


CASES = [("normal", True, None), ("normal", False, {"a": 4.0, "b": 0.5, "c": 1.0}), ("mixed", True, 2.0)]


@pytest.mark.parametrize(("noise", "passes", "costs"), [*CASES, ("undeclared", True, None), ("mixed", False, None)])
def test_live_and_interpreted_are_the_same(noise, passes, costs):
    cell = cell_of(noise, passes=passes, costs=costs)
    asked = live(cell)
    assert asked == simulated(cell)
    assert len({line % 3 for line in asked[2]}) == 3


@pytest.mark.full
@pytest.mark.parametrize(("noise", "passes", "costs"), [*CASES, ("undeclared", True, None), ("mixed", False, None)])
def test_compiled_is_the_same(noise, passes, costs):
    cell = cell_of(noise, passes=passes, costs=costs)
    assert simulated(cell, "compiled") == simulated(cell)


@pytest.mark.full
def test_compiled_runs_are_the_interpreted_ones_and_all_of_them_end():
    cell = replace(cell_of(costs={"a": 4.0, "b": 0.5, "c": 1.0}), repetitions=10)
    one, other = (run_cell(cell, engine=engine) for engine in ("compiled", "interpreted"))
    for name in ("endings", "found", "totals", "spent", "arm_pulls"):
        assert np.array_equal(getattr(one.record, name), getattr(other.record, name))
    assert set(one.found.tolist()) == {0}


@pytest.mark.parametrize("noise", NOISES)
def test_one_group_is_as_good_as_none(noise):
    plain, grouped = (cell_of(noise, groups) for groups in (("",) * 4, ("all",) * 4))
    assert live(plain) == live(grouped)
    assert simulated(plain) == simulated(grouped)


def test_a_budget_of_money_ends_a_run():
    cell = replace(cell_of(costs={"a": 4.0, "b": 0.5, "c": 1.0}), max_cost=60.0)
    result = run_cell(cell, engine="interpreted")
    assert OutcomeCode(int(result.endings[0])).name == "UNDECIDED"
    assert 55.0 < result.spent[0] <= 60.0
    assert 0.0 <= result.p_values[0] <= 1.0
