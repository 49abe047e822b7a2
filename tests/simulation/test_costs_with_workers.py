"""Money and workers together: what is under way costs, and a budget of money is kept."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.campaign import plan_cells
from satisfice.simulation.cell import run_once

COSTS = [3.0, 1.0, 7.0, 2.0]
MEANS = [[0.8], [0.6], [0.2], [0.9]]


def problem():
    return sf.problem_of(["a <= 0.5 ~ 0.1 : bernoulli"])


def simulated(**more):
    asked = problem()
    return sf.simulate(asked, sf.arms_for(asked, MEANS), rules=["pandora"], costs=COSTS, repetitions=40, seed=3, **more)


@pytest.mark.parametrize("rule", ["pandora", "multitucb", "uniform"])
def test_one_worker_spends_as_without_a_clock(rule):
    asked = problem()
    arms = sf.arms_for(asked, MEANS)
    for max_cost in (None, 60.0):
        given = {
            "costs": COSTS,
            "max_cost": max_cost,
            "repetitions": 20,
            "engine": "interpreted",
            "max_evaluations": 200,
        }
        plain = sf.simulate(asked, arms, rules=[rule], **given).cells[0]
        timed = sf.simulate(asked, arms, rules=[rule], durations="constant", **given).cells[0]
        assert plain.spent.tolist() == timed.spent.tolist()
        assert plain.endings.tolist() == timed.endings.tolist()


def test_all_that_is_asked_for_costs():
    one, many = simulated(workers=8, durations="lognormal(1)").cells
    assert one.spent.sum() == pytest.approx(float(one.arm_pulls @ np.array(COSTS)))
    assert many.spent.sum() > float(many.arm_pulls @ np.array(COSTS))
    assert (many.asked > many.pulls).any()


def test_a_budget_of_money_is_kept_by_many_workers():
    _, many = simulated(workers=8, durations="lognormal(1)", max_cost=50.0).cells
    assert many.timed_out.any()
    assert many.spent.max() <= 50.0 * (1 + 1e-9)
    assert many.spent[many.timed_out].min() > 50.0 - max(COSTS)


def test_compiled_and_interpreted_runs_ask_alike():
    asked = problem()
    instance = sf.Instance.of(asked, sf.arms_for(asked, MEANS), costs=COSTS)
    _, cell = plan_cells([instance], ["pandora"], repetitions=1, max_evaluations=300, max_cost=80.0, workers=5)
    runs = [run_once(cell, engine=engine)[2].tolist() for engine in ("compiled", "interpreted")]
    assert runs[0] == runs[1]


@pytest.mark.full
def test_a_plan_shows_both():
    made = sf.plan(
        ["a <= 0 ~ 0.1 : normal(1)"], 4, goal=2, cost=2.5, max_cost=10_000.0, workers=3, repetitions=20, seed=1
    )
    assert made.heads == ("scenario", "workers", "used", "asked", "time", "90 %", "cost", "cost, 90 %")
    for each in made.scenarios:
        assert each.runs.cost.mean == pytest.approx(2.5 * each.runs.timing.asked)
        assert each.with_workers.cost.mean == pytest.approx(2.5 * each.with_workers.timing.asked)
        assert each.as_dict()["with_workers"]["cost"]["mean"] == each.with_workers.cost.mean
    assert len(str(made).splitlines()[-1].split()) >= 9
