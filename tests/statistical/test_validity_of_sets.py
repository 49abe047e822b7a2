"""Sets of items whose answers are sampled: how often a configuration that misses its limit is FOUND."""

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf
from satisfice.simulation.cell import Cell, run_cell

SIZE, LIMIT, ERROR_RATE = 200, 0.85, 0.05
TRUE = [0.83, 0.84, 0.845]


def chances(mean: float) -> np.ndarray:
    """How often each item is answered right: a few never, many nearly always, with that mean over all."""
    each = 1.0 - np.linspace(0.0, 1.0, SIZE) ** 4
    return 1.0 - (1.0 - each) * (1.0 - mean) / (1.0 - each.mean())


def shares_found(of: str, mean: float, studies: int, most: int) -> list[bool]:
    """Whether studies of one configuration end with FOUND, within that many evaluations."""
    problem, right = sf.problem_of([f"x >= {LIMIT} : bernoulli of {SIZE}{of}"], ERROR_RATE), chances(mean)
    found = []
    for seed in range(studies):
        search, rng = sf.Search(problem, ["a"], seed=seed), np.random.default_rng([seed, int(mean * 1e4)])
        while search.used < most and (asked := search.ask_item())[0] is not None:
            search.tell("a", {"x": float(rng.random() < right[asked[1]])})
        found.append(search.outcome is sf.Outcome.FOUND)
    return found


def low(found: list[bool]) -> float:
    """The lower end of a 99.9 % interval."""
    return float(binomtest(sum(found), len(found)).proportion_ci(0.999).low)


def test_the_items_have_the_mean_that_they_should():
    for mean in TRUE:
        assert chances(mean).mean() == pytest.approx(mean)
        assert 0.0 <= chances(mean).min() < 0.3
        assert chances(mean).max() <= 1.0


def test_sampled_items_keep_the_error_rate():
    assert low(shares_found(" sampled", 0.845, 150, 400)) <= ERROR_RATE


def test_items_that_are_taken_for_fixed_do_not_if_answers_are_sampled():
    """Why the verdict has an "if": it holds for answers that are always the same."""
    assert low(shares_found("", 0.845, 80, SIZE)) > 3 * ERROR_RATE


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mean", TRUE)
def test_sampled_items_keep_the_error_rate_in_many_studies(mean):
    """Of a live search; those of the simulation below are longer and more."""
    assert low(shares_found(" sampled", mean, 1_000, 500)) <= ERROR_RATE


@pytest.mark.full
@pytest.mark.parametrize("count", [1, 10])
@pytest.mark.parametrize("mean", TRUE)
def test_sampled_items_keep_the_error_rate_in_long_simulated_studies(mean, count):
    problem = sf.problem_of([f"x >= {LIMIT} : bernoulli of {SIZE} sampled"], ERROR_RATE)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[mean]] * count))
    result = run_cell(Cell(instance, sf.Pandora(), sf.TransferredEvidence(), 5_000, 20_000, 1))
    assert low((result.found >= 0).tolist()) <= ERROR_RATE


@pytest.mark.full
@pytest.mark.parametrize("mean", TRUE)
def test_items_that_are_taken_for_fixed_err_at_every_mean_below_the_limit(mean):
    assert low(shares_found("", mean, 400, SIZE)) > 2 * ERROR_RATE
