"""Judging one result at a time, without tables: the very decisions of a judge with whole tables."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import DEFAULT_RULE
from satisfice.search.absorb import fold
from satisfice.search.live import in_plain_numbers
from satisfice.search.state import new_state, parts_of
from satisfice.stopping import at_hand, judge_of

PROBLEMS = {
    "known": ["a >= 0 ~ 0.1 : normal(1)", "b <= 0 : subgaussian(2)"],
    "unknown": ["a >= 0 ~ 0.1", "b <= 0"],
    "mixed": [
        "a >= 0",
        "b <= 0.5 ~ 0.02 : bernoulli",
        "c >= 1 : bounded(0, 4)",
        "d <= 0 : normal(1)",
        "e <= 3 : poisson",
    ],
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
            case "poisson":
                columns.append(rng.poisson(3 * np.exp(shift), size))
            case _:
                columns.append(rng.normal(metric.threshold + shift, 1, size))
    return np.column_stack(columns).astype(float)


@pytest.mark.parametrize("goal", [sf.Goal.ANY, pytest.param(sf.Goal.ALL, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "stopping", [sf.Evidence(), sf.AlphaBoundary(), sf.TransferredEvidence()], ids=["evidence", "alpha", "transfer"]
)
@pytest.mark.parametrize("name", PROBLEMS)
def test_as_with_tables(name, stopping, goal):
    if isinstance(stopping, sf.AlphaBoundary) and name != "known":
        pytest.skip("needs known scales")
    problem = sf.problem_of(PROBLEMS[name], 0.2, goal=goal)
    standard = problem.standardisation()
    decided = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        judge = judge_of(stopping, problem, 3)
        whole = judge.extended(400)
        parts = in_plain_numbers(parts_of(DEFAULT_RULE, at_hand(judge), problem, 3, np.zeros(0)))
        live = parts.judge if parts.judge.room() > 400 else parts.judge.extended(400)
        state = new_state(parts, extra=max(1, parts.noise.extra))
        memory = state.memory.copy()
        for pulls, row in enumerate(results(problem, rng, 399), start=1):
            state.results[:] = np.array(standard.slopes) * (row - np.array(standard.thresholds))
            shortfall = fold(state, parts.noise, 1) / pulls
            sums = state.deficits, state.more
            accepts = whole.accepts(*sums, memory, 1, pulls, shortfall)
            rejects = whole.rejects(*sums, 1, pulls, shortfall)
            assert live.accepts(*sums, state.memory, 1, pulls, shortfall) == accepts
            assert live.rejects(*sums, 1, pulls, shortfall) == rejects
            np.testing.assert_array_equal(memory, state.memory)
            decided |= {("accepts", bool(accepts)), ("rejects", bool(rejects))}
    assert len(decided) == 4, "the test never saw a decision"
