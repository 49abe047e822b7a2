"""Noise scales of the arms' own: declared in order, used for evidence, beliefs, intervals and simulated arms."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidThreshold
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.trial import FOUND


def test_written_and_read():
    (metric,) = sf.problem_of(["a >= 0 ~ 0.1 : normal(1, 2.5, 4)"]).metrics
    assert metric.noise == sf.Normal((1.0, 2.5, 4.0))
    assert (str(metric.noise), metric.noise.scale) == ("normal(1, 2.5, 4)", 4.0)
    assert sf.Metric("a", 0.0, noise=sf.SubGaussian([1, 2])).noise == sf.SubGaussian((1, 2))
    with pytest.raises(InvalidThreshold, match="every noise scale must be positive and finite, got 0"):
        sf.problem_of(["a >= 0 : normal(1, 0)"])
    with pytest.raises(InvalidProblem, match="one noise scale for all arms or one for each of 3, got 2"):
        sf.Search(sf.problem_of(["a >= 0 : normal(1, 2)"]), ["x", "y", "z"])


@pytest.mark.parametrize("stopping", [sf.Evidence(), sf.TransferredEvidence()])
def test_scaling_one_arm_alone_changes_nothing(stopping):
    """An arm whose results, margin and noise are all three times as large is pulled and decided the same."""
    plain = sf.problem_of(["a >= 0 : normal(1)"], 0.1)
    own = sf.problem_of(["a >= 0 : normal(1, 3, 1)"], 0.1)
    runs = [
        run_cell(Cell(sf.Instance.of(problem, arms), sf.Pandora(), stopping, 60, 5_000, 3))
        for problem, arms in (
            (plain, sf.gaussian_arms([[-0.5], [0.4], [-0.3]], 1.0)),
            (own, sf.gaussian_arms([[-0.5], [1.2], [-0.3]], [[1.0], [3.0], [1.0]])),
        )
    ]
    assert np.array_equal(runs[0].pulls, runs[1].pulls)
    assert np.array_equal(runs[0].found, runs[1].found)


def test_compiled_as_interpreted_and_arms_drawn_as_declared():
    problem = sf.problem_of(["a >= 0 ~ 0.1 : normal(1, 4)", "b <= 0 : subgaussian(2, 1)"], 0.1)
    arms = sf.arms_for(problem, [[0.5, -0.5], [0.9, -1.5]])
    cell = Cell(sf.Instance.of(problem, arms), sf.Pandora(), sf.Evidence(), 1, 3_000, 1)
    plain, fast = run_once(cell), run_once(cell, engine="compiled")
    assert plain[:2] == fast[:2]
    assert np.array_equal(plain[2], fast[2])
    search = sf.Search(problem, ["x", "y"])
    rng = np.random.default_rng(1)
    for _ in range(200):
        search.fold(0, (rng.normal(0.0, 1.0), 0.0))
        search.fold(1, (rng.normal(0.0, 4.0), 0.0))
    narrow, wide = (status.intervals[0] for status in search.statuses())
    assert 3 < (wide.high - wide.low) / (narrow.high - narrow.low) < 5
    assert search.warnings() == ()
    for _ in range(200):
        search.fold(0, (rng.normal(0.0, 3.0), 0.0))
    assert [words.split(":")[0] for words in search.warnings()] == ["a of x"]


def test_the_wrong_arm_is_accepted_as_rarely_as_promised():
    """Means exactly at the limit, the noisier arm with its own scale; with the other's it would be accepted often."""
    arms = sf.gaussian_arms([[-0.2], [-0.2]], [[1.0], [3.0]])
    for scales, valid in (("1, 3", True), ("1, 1", False)):
        problem = sf.problem_of([f"a >= 0 ~ 0.2 : normal({scales})"], 0.2)
        result = run_cell(Cell(sf.Instance.of(problem, arms), sf.Pandora(), sf.Evidence(), 1_000, 2_000, 2))
        assert bool((result.endings == FOUND).mean() <= 0.2) is valid
