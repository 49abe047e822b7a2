"""Noise scales of the arms' own: declared in order, used for evidence, margins, intervals, limits and draws."""

from math import log

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidThreshold
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.trial import FOUND
from satisfice.theory import Side, best_bet, bounds, information, needs


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


@pytest.mark.parametrize("noise", ["normal", "subgaussian"])
def test_what_an_evaluation_says_depends_on_the_arms_own_scale(noise):
    (metric,) = sf.problem_of([f"a <= 10 ~ 1 : {noise}(2, 5)"]).metrics
    for arm, scale in ((0, 2.0), (1, 5.0)):
        alone = sf.Metric("a", 10.0, "<=", 1.0, type(metric.noise)(scale))
        assert metric.of_arm(arm) == alone
        assert information(metric.of_arm(arm), 8.0, Side.ACCEPT) == pytest.approx(3**2 / (2 * scale**2))
        assert information(metric.of_arm(arm), 11.0, Side.REJECT) == pytest.approx(1 / (2 * scale**2))
        assert best_bet(metric.of_arm(arm), 8.0, Side.ACCEPT) == best_bet(alone, 8.0, Side.ACCEPT)


def test_limits_are_those_of_the_arms_own_scales():
    problem = sf.problem_of(["a >= 0 : normal(1, 30)"], 0.1)
    assert needs(problem, [[2.0], [-2.0]]).characteristic_time() == pytest.approx(2 / 2**2)
    assert needs(problem, [[-2.0], [2.0]]).characteristic_time() == pytest.approx(2 * 30**2 / 2**2)
    assert needs(problem, [[-2.0], [-3.0]]).characteristic_time() == pytest.approx(2 / 2**2 + 2 * 30**2 / 3**2)
    assert needs(problem, [[2.0], [-2.0]]).practical_limit() == pytest.approx(0.5 * log(10))
    assert needs(problem, [[2.0], [-2.0]]).proven_limit() == pytest.approx(0.5 * 0.8 * log(9))


@pytest.mark.parametrize("means", [[[2.0], [-2.0]], [[-2.0], [-60.0]]], ids=["found", "none"])
def test_no_limit_is_above_what_was_measured(means):
    """The quiet arm decides in a few evaluations, however noisy the other one is."""
    problem = sf.problem_of(["a >= 0 : normal(1, 30)"], 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, means))
    found, floor = bounds(problem, means), sf.oracle_floor(instance, repetitions=2_000, engine="interpreted")
    runs = run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 300, 5_000, 1), engine="interpreted")
    measured = runs.pulls.mean() + 3.5 * runs.pulls.std() / np.sqrt(300)
    assert 0.5 < found.proven_limit < found.practical_limit < 10
    assert found.proven_limit <= floor.mean + 3.5 * floor.standard_error
    assert found.proven_limit <= measured
    assert floor.mean < measured < 40
