"""Metrics declared independent: their evidence is multiplied, which is valid then and only then."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.trial import NONE

JOINT = sf.Evidence(independent_metrics=True)
FIVE = [f"m{place} >= 0 : normal(1)" for place in range(5)]


def cell(means, stopping, *, thresholds=FIVE, correlation=None, runs=400, budget=3_000):
    problem = sf.problem_of(thresholds, 0.2)
    arms = sf.arms_for(problem, means, sds=1.0, correlation=correlation)
    return Cell(sf.Instance.of(problem, arms), sf.Pandora(), stopping, runs, budget, 4)


def test_arms_that_fail_everywhere_are_rejected_sooner():
    apart, joint = (run_cell(cell([[-0.2] * 5] * 3, stopping)) for stopping in (sf.Evidence(), JOINT))
    assert (joint.endings == NONE).all()
    assert joint.pulls.mean() < 0.6 * apart.pulls.mean()


@pytest.mark.full
def test_a_good_arm_is_rejected_as_rarely_as_promised_if_they_are_independent():
    at_the_limit = [[0.0] * 5]
    honest = (run_cell(cell(at_the_limit, JOINT, runs=2_000)).endings == NONE).sum()
    assert rate_interval(int(honest), 2_000, 0.999)[0] <= 0.2
    assert honest > 2_000 * 0.2 / 20
    alike = np.full((5, 5), 0.99) + 0.01 * np.eye(5)
    lied = (run_cell(cell(at_the_limit, JOINT, correlation=alike, runs=2_000)).endings == NONE).sum()
    assert rate_interval(int(lied), 2_000, 0.999)[0] > 0.2, (
        "the declaration matters: this shows that the test has power"
    )


@pytest.mark.parametrize(
    "thresholds", [FIVE, ["a >= 0", "b <= 0.5 : bernoulli", "c >= 0.5 : bounded(0, 1)", "d <= 0 : normal(1)"]]
)
def test_compiled_as_interpreted(thresholds):
    means = [[-0.4] * 5 if thresholds is FIVE else [-0.5, 0.8, 0.3, 0.5]] * 2
    one = cell(means, JOINT, thresholds=thresholds, runs=1, budget=300)
    plain, fast = run_once(one), run_once(one, engine="compiled")
    assert plain[:2] == fast[:2] == (NONE, -1)
    assert np.array_equal(plain[2], fast[2])
