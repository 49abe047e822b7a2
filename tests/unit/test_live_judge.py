"""Judging one result at a time: the very decisions of a judge with whole tables."""

import numpy as np
import pytest
from satisfice.stopping.live import LiveJudge

import satisfice as sf
from satisfice.arrays import fold, fold_squares
from satisfice.stopping import judge_of

PROBLEMS = {
    "known": ["a >= 0 ~ 0.1 : normal(1)", "b <= 0 : subgaussian(2)"],
    "unknown": ["a >= 0 ~ 0.1", "b <= 0"],
    "mixed": ["a >= 0", "b <= 0.5 ~ 0.02 : bernoulli", "c >= 1 : bounded(0, 4)", "d <= 0 : normal(1)"],
}


def results(problem, rng, size):
    """Draws around the thresholds; half of the time every mean passes."""
    columns = []
    passing = rng.random() < 0.5
    for metric in problem.metrics:
        shift = abs(rng.normal(0, 0.5)) if passing else rng.normal(0, 0.5)
        shift *= -1 if metric.direction == "<=" else 1
        match str(metric.noise).split("(")[0]:
            case "bernoulli":
                columns.append(rng.random(size) < np.clip(0.5 + shift, 0.05, 0.95))
            case "bounded":
                columns.append(4 * rng.beta(np.exp(2 * shift), 3, size))
            case _:
                columns.append(rng.normal(metric.threshold + shift, 1, size))
    return np.column_stack(columns).astype(float)


@pytest.mark.parametrize("goal", sf.Goal)
@pytest.mark.parametrize("stopping", [sf.Evidence(), sf.AlphaBoundary()], ids=["evidence", "alpha"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_as_with_tables(name, stopping, goal):
    problem = sf.problem_of(PROBLEMS[name], 0.2, goal=goal)
    if isinstance(stopping, sf.AlphaBoundary) and name != "known":
        pytest.skip("needs known scales")
    standard = problem.standardisation()
    decided = set()
    for seed in range(16):
        rng = np.random.default_rng(seed)
        whole = judge_of(stopping, problem, 3).extended(400)
        live = LiveJudge(stopping, problem, 3)
        deficits, squares = np.zeros((3, len(problem.metrics))), np.zeros((3, len(problem.metrics)))
        latched = np.zeros_like(deficits)
        for pulls, row in enumerate(results(problem, rng, 399), start=1):
            folded = np.array(standard.slopes) * (row - np.array(standard.thresholds))
            shortfall = fold(deficits, 1, folded) / pulls
            fold_squares(squares, 1, folded)
            accepts = whole.accepts(deficits, squares, latched, 1, pulls, shortfall)
            rejects = whole.rejects(deficits, squares, 1, pulls, shortfall)
            assert live.accepts(deficits, squares, 1, pulls, shortfall) == accepts
            assert live.rejects(deficits, squares, 1, pulls, shortfall) == rejects
            np.testing.assert_array_equal(latched, live.memory)
            decided |= {("accepts", bool(accepts)), ("rejects", bool(rejects))}
    assert len(decided) == 4, "the test never saw a decision"
