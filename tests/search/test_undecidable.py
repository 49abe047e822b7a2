"""A metric that nothing can decide yet, an undeclared size that is always the same, does not hold the search to it."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.cell import Cell, run_cell
from satisfice.stopping import DEFAULT_STOPPING

LATENCIES = (70.0, 80.0, 90.0, 95.0, 97.0, 105.0, 110.0, 120.0, 140.0)
BUDGET, RUNS = 4000, 20


def runs(sizes, spreads, latencies=LATENCIES):
    problem = sf.problem_of(["latency <= 100 ~ 2", "size <= 800"])
    sds = np.column_stack([np.full(len(latencies), 20.0), spreads])
    arms = sf.arms_for(problem, np.column_stack([latencies, sizes]), sds=sds)
    instance = sf.Instance.of(problem, arms, name="sizes")
    rows = [run_cell(Cell(instance, sf.Pandora(), DEFAULT_STOPPING, 1, BUDGET, seed)) for seed in range(RUNS)]
    return np.array([row.arm_pulls.reshape(-1)[: len(latencies)] for row in rows]), rows


def test_where_all_have_a_size_that_is_always_the_same_those_that_may_pass_share_the_evaluations():
    pulls, rows = runs(np.full(9, 750.0), np.zeros(9))
    assert all(row.timed_out.all() for row in rows)  # nothing else can be said
    shares = pulls / pulls.sum(axis=1, keepdims=True)
    assert shares.max() <= 0.3  # 0.96 as it was
    assert (shares[:, :4] >= 0.1).all()  # each that may pass
    assert (shares[:, 6:].sum(axis=1) <= 0.1).all()  # and none that does not


@pytest.mark.parametrize("constant", [1, 3])
def test_where_others_have_a_size_that_varies_one_of_them_is_found(constant):
    spreads = np.array([0.0] * constant + [30.0] * (9 - constant))
    pulls, rows = runs(np.full(9, 750.0), spreads)
    assert not any(row.timed_out.any() for row in rows)  # 65 % and all of them as it was
    assert np.median(pulls.sum(axis=1)) <= 400
    assert all(row.found[0] >= constant for row in rows)


def test_where_all_others_fail_they_are_rejected_meanwhile():
    pulls, _ = runs(np.full(9, 750.0), np.array([0.0] + [30.0] * 8), (70.0, *[104.0] * 8))
    shares = pulls / pulls.sum(axis=1, keepdims=True)
    assert shares[:, 0].mean() <= 0.6  # 0.95 as it was
    assert (pulls[:, 1:].min(axis=1) >= 50).all()
