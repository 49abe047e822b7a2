"""The default, live and simulated, makes the very pulls of a naive twin that shares no code with it."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.cell import Cell
from satisfice.stopping import DEFAULT_STOPPING
from tests.equivalence import naive_default as naive
from tests.helpers.close_calls import close_call, facts_of
from tests.helpers.driving import Run, assert_same, live_run, simulated_run, stream_of

SEED, BUDGET = 5, 500


def many(thresholds, count, goal="any", spread=1.0):
    problem = sf.problem_of(thresholds, 0.1, goal=goal)
    means = np.random.default_rng(3).normal(-0.3, 0.5, (count, len(thresholds)))
    return sf.Instance.of(problem, sf.gaussian_arms(means, spread))


def plain(thresholds, means, goal="any", **given):
    problem = sf.problem_of(thresholds, 0.05, goal=goal)
    return sf.Instance.of(problem, sf.arms_for(problem, means, **given))


COINS = ["a >= 0.75 ~ 0.125 : bernoulli", "b <= 0.25 ~ 0.0625 : bernoulli"]
SHARES = ["a >= 0.5 ~ 0.0625 : bounded(0, 1)", "b <= 1 ~ 0.125 : bounded(0, 4)"]
KINDS = ["a >= 0 ~ 0.125", "b <= 0 ~ 0.25 : normal(2)", "c >= 0.5 ~ 0.125 : bernoulli", "d <= 1 : bounded(0, 2)"]
KINDS_MEANS = [[0.5, -1.0, 0.8, 0.6], [-1.0, 1.0, 0.4, 0.6], [0.5, -0.5, 0.3, 0.7]]
INSTANCES = {
    "normal": lambda: close_call("normal", passes=True),
    "normal, none": lambda: close_call("normal", passes=False),
    "normal, all": lambda: many(["a >= 0 ~ 0.25 : normal(1)"], 5, "all"),
    "undeclared": lambda: many(["a >= 0 ~ 0.25", "b <= 0 ~ 0.25"], 6),
    "undeclared, all": lambda: many(["a >= 0 ~ 0.25 : checked(0.05)"], 5, "all", 2.0),
    "unknown": lambda: many(["a >= 0 ~ 0.25 : normal", "b >= 0 ~ 0.25 : normal"], 6),
    "unknown, many": lambda: many(["a >= 0 ~ 0.125 : normal"], 30),
    "unknown, all": lambda: many(["a >= 0 ~ 0.25 : normal"], 5, "all", 2.0),
    "coins": lambda: plain(COINS, [[0.5, 0.1], [0.95, 0.05], [0.9, 0.6]]),
    "coins, all": lambda: plain(COINS, [[0.5, 0.1], [0.95, 0.05], [0.9, 0.6]], "all"),
    "shares": lambda: plain(SHARES, [[0.3, 0.5], [0.8, 0.3], [0.7, 2.5]]),
    "shares, all": lambda: plain(SHARES, [[0.3, 0.5], [0.8, 0.3], [0.7, 2.5]], "all", concentration=3.0),
    "normal, two": lambda: many(["a >= 0 ~ 0.25 : normal(1)"], 12, 2),
    "normal, too few": lambda: plain(["a >= 0 ~ 0.25 : normal(1)"], [[1.5], [-1], [-1.5], [1], [-2], [-1]], 3, sds=1.0),
    "undeclared, three": lambda: many(["a >= 0 ~ 0.25", "b <= 0 ~ 0.25"], 30, 3),
    "coins, both": lambda: plain(COINS, [[0.95, 0.05], [0.95, 0.1]], 2),
    "mixed, two": lambda: plain(KINDS, [*KINDS_MEANS, KINDS_MEANS[0]], 2, sds=[1.0, 2.0, 1.0, 1.0]),
    "one arm": lambda: plain(COINS, [[0.9, 0.1]]),
    "mixed": lambda: plain(KINDS, KINDS_MEANS, sds=[1.0, 2.0, 1.0, 1.0]),
    "mixed, all": lambda: plain(KINDS, KINDS_MEANS, "all", sds=[1.0, 2.0, 1.0, 1.0]),
}


def naive_run(instance, block: int) -> naive.Run:
    problem = instance.problem
    metrics = [facts_of(metric) for metric in problem.metrics]
    rng = stream_of(SEED, block)
    seed = int(rng.random() * 2**53)
    results = np.empty(len(metrics))

    def draw(arm: int) -> list[float]:
        instance.arms.draw(rng, arm, results)
        return results.tolist()

    return naive.run(metrics, len(instance.arm_names), problem.error_rate, problem.goal, draw, BUDGET, seed)


@pytest.mark.parametrize("block", [0, 1])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_default_is_the_naive_twin(name, block):
    instance = INSTANCES[name]()
    expected = naive_run(instance, block)
    assert expected.nearest > 1e-9, "a decision at rounding distance: take another seed"
    cell = Cell(instance, DEFAULT_RULE, DEFAULT_STOPPING, 1, BUDGET, SEED)
    live, _ = live_run(cell, block)
    assert_same(live, Run(*expected[:3]))
    assert_same(simulated_run(cell, block), live)


def test_the_instances_end_in_all_three_ways():
    assert {
        naive_run(INSTANCES[name](), 0).outcome for name in ("normal", "normal, none", "coins, all", "unknown")
    } == {
        "FOUND",
        "NONE",
        "UNDECIDED",
    }
