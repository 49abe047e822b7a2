"""The cheap bounds on evidence, by which most results are known not to decide, are never below the evidence.

Nor far above it, or they would spare nobody anything.
"""

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise.kinds import SLACK, ratio_of

LOOSE = 1.25
"""So far above clear evidence the bounds are: 2 F is taken for 2, a mixture for the larger of its two parts, whose
share is .3 at least, and logarithms are rounded by a few hundredths."""


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


DECLARED = {
    "normal(2)": (3.0, 2.0),
    "normal(1, 5)": (3.0, 5.0),
    "subgaussian(4, 0.25)": (3.0, 0.25),
    "normal": (3.0, 2.0),
    "checked": (3.0, 2.0),
}
"""By noise model: the threshold, and the spread of the second arm."""


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("declared", DECLARED)
def test_bounds_are_near_the_evidence_of_results(declared: str, at_most: bool) -> None:
    """Of results in another unit than the noise, of the second of two arms, whose noise may be its own."""
    threshold, sd = DECLARED[declared]
    problem = sf.problem_of([f"x {'<=' if at_most else '>='} {threshold} ~ 0.2 : {declared}"])
    noise, slope = problem.noise(2), problem.standardisation().slopes[0]
    ratio, rng, tight = ratio_of(noise, 1, 0), np.random.default_rng(8), 0
    for _ in range(60):
        pulls = int(np.exp(rng.uniform(1.5, 6.0)))
        results = threshold + sd * (rng.normal(0.0, 1.0, pulls) + rng.choice([-1.0, 0.0, 0.5, 1.0]))
        deficits, more = slope * (results - threshold), np.zeros(max(noise.extra, 1))
        for deficit in deficits.tolist():
            more[0] += deficit * deficit
            if noise.own_sums:
                noise.fold(0, more, deficit, 1.0)
        sums = 0, pulls, float(deficits.sum()), more, ratio
        for evidence, bound in ((noise.within, noise.most_within), (noise.below, noise.most_below)):
            found, most = evidence(*sums), bound(*sums)
            assert found <= most + SLACK
            if found > 3.0:
                assert most - found <= LOOSE
                tight += 1
    assert tight > 20


@pytest.mark.parametrize("threshold", ["passed >= 0.25 ~ 0.25", "passed <= 0.75 ~ 0.25", "passed <= 0.75 ~ 0.5"])
def test_no_bound_holds_where_evidence_is_beyond_doubt(threshold: str) -> None:
    """The end of the tolerance is the end of the range, or beyond it: one result that passes tells all."""
    problem = sf.problem_of([f"{threshold} : bernoulli"])
    noise, slope = problem.noise(1), problem.standardisation().slopes[0]
    for pulls in (1, 5):
        passing = 1.0 if ">=" in threshold else 0.0
        sums = 0, pulls, float(slope * pulls * (passing - problem.metrics[0].threshold)), np.zeros(1), 1.0
        assert noise.within(*sums) == noise.most_within(*sums) == np.inf
