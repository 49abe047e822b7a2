"""The cheap bounds on evidence, by which most results are known not to decide, are never below the evidence."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise.kinds import SLACK


@pytest.mark.parametrize("declared", ["normal(1.2)", "bernoulli"])
def test_no_evidence_is_above_its_bound(declared: str) -> None:
    noise, rng = sf.problem_of([f"passed >= 0.7 ~ 0.05 : {declared}"]).noise(1), np.random.default_rng(4)
    for _ in range(2000):
        pulls = int(np.exp(rng.uniform(0.0, 10.0)))
        passed = rng.binomial(pulls, rng.uniform(0.4, 1.0))
        deficit = pulls * 0.7 - passed
        sums = 0, pulls, deficit, np.array([0.3 * pulls]), 1.0
        assert noise.within(*sums) <= noise.most_within(*sums) + SLACK
        assert noise.below(*sums) <= noise.most_below(*sums) + SLACK


@pytest.mark.parametrize("limit", [0.0, 1e-6, 0.3, 4.0, 1e5])
@pytest.mark.parametrize("direction", ["<=", ">="])
def test_nor_is_that_of_counts_and_it_is_enough_where_it_is_enough(limit: float, direction: str) -> None:
    problem = sf.problem_of([f"errors {direction} {limit} ~ {0.1 * limit} : poisson"])
    noise, slope, rng = problem.noise(1), problem.standardisation().slopes[0], np.random.default_rng(4)
    decided = 0
    for _ in range(1000):
        pulls = int(np.exp(rng.uniform(0.0, 10.0)))
        total = rng.poisson(pulls * limit * np.exp(rng.uniform(-1.0, 1.0)) + rng.integers(2))
        sums = 0, pulls, slope * (total - pulls * limit), np.zeros(0), 1.0
        within, below = noise.within(*sums), noise.below(*sums)
        assert within <= noise.most_within(*sums) + SLACK
        assert below <= noise.most_below(*sums) + SLACK
        for need in (0.1, 3.0, within, below):
            assert noise.enough_within(*sums, need) == (within >= need)
            assert noise.enough_below(*sums, need) == (below >= need)
        decided += within >= 3.0
        decided += below >= 3.0
    assert 10 <= decided <= 1990
