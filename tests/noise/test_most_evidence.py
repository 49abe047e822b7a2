"""The cheap bounds on evidence, by which most results are known not to decide, are never below the evidence."""

import numpy as np
import pytest

import satisfice as sf

SLACK = 1e-9
"""By so much the bound may be exceeded: the judges allow for it."""


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
