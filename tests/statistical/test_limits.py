"""No rule that keeps its promise takes fewer evaluations on average than the proven limit.

A mean may lie below the limit by 3.5 of its standard errors: by chance once in four thousand comparisons.
"""

from dataclasses import replace

import pytest

import satisfice as sf
from satisfice.simulation.distributions import distributions_of
from satisfice.simulation.instance import Instance
from satisfice.theory import needs
from tests.helpers import cases

FEW = (("pandora", "evidence"), ("multitucb", "alpha"))
MORE = (("murphy", "evidence"), ("thompson", "evidence"), ("uniform", "evidence"), ("multilucb", "alpha"))
NEED_A_SCALE = {"multitucb", "multilucb", "uniform"}
REPETITIONS = 2000


def simulated(thresholds, means, **arms):
    problem = sf.problem_of(thresholds)
    return Instance.of(problem, sf.arms_for(problem, means, **arms))


INSTANCES = {
    "normal": cases.gaussian([[0.5, 1.5], [-0.5, 0.5]], [0.0, 0.0], tolerance=0.1),
    "normal, one arm": cases.gaussian([[0.3]], [0.0]),
    "normal, none good": cases.gaussian([[-0.5, 1.0], [1.0, -0.4], [-0.6, 1.0]], [0.0, 0.0]),
    "normal, none good, both metrics fail": cases.gaussian([[-0.5, -0.5], [-0.4, -0.6]], [0.0, 0.0]),
    "variance unknown": simulated(["a >= 0", "b >= 0"], [[1.0, 0.8], [-1.0, 2.0]], sds=1.0),
    "variance unknown, none good": simulated(["a >= 0"], [[-1.0], [-0.8]], sds=1.0),
    "coins": simulated(["loss <= 0.2 : bernoulli"], [[0.05], [0.5]]),
    "coins, none good": simulated(["loss <= 0.1 : bernoulli"], [[0.3], [0.2]]),
    "scales of the arms' own": simulated(["a >= 0 : normal(1, 30)"], [[0.8], [-2.0]]),
    "scales of the arms' own, none good": simulated(["a >= 0 : normal(1, 4)"], [[-0.5], [-2.0]]),
    "counts": simulated(["errors <= 4 : poisson"], [[2.5], [6.0]]),
    "counts, none good": simulated(["served >= 4 : poisson"], [[2.5], [3.0]]),
    "bounded": simulated(["a >= 0.5 : bounded(0, 1)"], [[0.7], [0.3]], concentration=3.0),
    "bounded, none good": simulated(["a >= 0.5 : bounded(0, 1)"], [[0.4], [0.3]], concentration=3.0),
}


@pytest.mark.parametrize("rules", [FEW, pytest.param(MORE, marks=pytest.mark.full)], ids=["few", "more"])
@pytest.mark.parametrize("error_rate", [0.2, pytest.param(0.02, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", INSTANCES)
def test_no_rule_is_below_the_proven_limit(name, error_rate, rules):
    instance = INSTANCES[name].asking(error_rate=error_rate)
    problem = instance.problem
    limit = needs(problem, instance.arms.means, distributions=distributions_of(instance)).proven_limit()
    assert limit > 1.0
    known = all(metric.noise.scale is not None for metric in problem.metrics)
    for rule, stopping in rules:
        if rule in NEED_A_SCALE and not known:
            continue
        options = {"rules": [rule], "stopping": stopping, "repetitions": REPETITIONS, "seed": 1}
        runs = sf.simulate(problem, instance.arms, **options).summaries[0]
        assert runs.timed_out == 0.0
        assert runs.wrong_low <= error_rate
        assert runs.mean + 3.5 * runs.standard_error > limit, rule


@pytest.mark.parametrize("name", INSTANCES)
def test_the_oracle_is_not_below_it_either_but_one_that_breaks_its_promise_is(name):
    instance = INSTANCES[name].asking(error_rate=0.02)
    limit = needs(instance.problem, instance.arms.means, distributions=distributions_of(instance)).proven_limit()
    floor = sf.oracle_floor(instance, repetitions=REPETITIONS, seed=1)
    assert floor.mean + 3.5 * floor.standard_error > limit
    if "both" not in name:  # there the oracle, which looks at one metric, has something to spare
        careless = sf.oracle_floor(replace(instance, problem=instance.problem.with_error_rate(0.5)), seed=1)
        assert careless.mean + 3.5 * careless.standard_error < limit
