"""Simulated arms have the means, spreads and correlations that they were asked for.

Seeded; every comparison allows five standard errors, which chance exceeds once in 1.7 million.
"""

import numpy as np
import pytest

import satisfice as sf
from tests.helpers import cases

DRAWS = 20_000


def draws(arms, arm):
    rng = np.random.default_rng(17)
    results = np.empty((DRAWS, arms.means.shape[1]))
    for row in results:
        arms.draw(rng, arm, row)
    return results


def standard_errors(results):
    """Of the mean and of the variance, from the sample's own second and fourth moments."""
    centred = results - results.mean(axis=0)
    second, fourth = (centred**2).mean(axis=0), (centred**4).mean(axis=0)
    return np.sqrt(second / DRAWS), np.sqrt((fourth - second**2) / DRAWS)


def check(results, means, sds):
    of_means, of_variances = standard_errors(results)
    assert (np.abs(results.mean(axis=0) - means) <= 5 * of_means).all()
    assert (np.abs(results.var(axis=0) - np.square(sds)) <= 5 * of_variances).all()


def test_gaussian():
    means, sds = [[1.0, -2.0], [0.3, 50.0]], [[0.5, 3.0], [1.2, 10.0]]
    arms = sf.gaussian_arms(means, sds)
    for arm in range(2):
        check(draws(arms, arm), means[arm], sds[arm])


def test_correlated():
    correlation = np.array([[1, 0.6, -0.3], [0.6, 1, 0.1], [-0.3, 0.1, 1]])
    arms = sf.gaussian_arms([[0.0, 1.0, 2.0]], [1.0, 2.0, 0.5], correlation)
    results = draws(arms, 0)
    check(results, [0.0, 1.0, 2.0], [1.0, 2.0, 0.5])
    error = (1 - correlation**2) / np.sqrt(DRAWS)
    assert (np.abs(np.corrcoef(results.T) - correlation) <= 5 * error + 1e-12).all()


def test_correlation_keeps_its_sign_where_less_is_better():
    """Deficits of an at-least and of an at-most metric that rise together fall apart."""
    problem = sf.problem_of(["gain >= 0 : normal(1)", "cost <= 0 : normal(2)"])
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.0, 0.0]], correlation=0.8))
    found = np.corrcoef(draws(instance.deficits(), 0).T)[0, 1]
    assert abs(found + 0.8) <= 5 * (1 - 0.8**2) / np.sqrt(DRAWS)


@pytest.mark.parametrize("concentration", [0.5, 3.0, 200.0])
def test_mixed(concentration):
    """A coin, a Beta on [-1, 3] and a normal metric: Beta(a, b) has the variance ab / ((a + b)^2 (a + b + 1))."""
    problem = sf.problem_of(["coin >= 0.5 : bernoulli", "share >= 0 : bounded(-1, 3)", "score >= 0 : normal(2)"])
    means = np.array([[0.3, 0.2, 5.0], [0.9, 1.8, -2.0]])
    arms = sf.arms_for(problem, means, concentration=concentration)
    for arm, (chance, middle, _) in enumerate(means):
        share = (middle + 1) / 4
        beta_sd = 4 * np.sqrt(share * (1 - share) / (concentration + 1))
        results = draws(arms, arm)
        check(results, means[arm], [np.sqrt(chance * (1 - chance)), beta_sd, 2.0])
        assert set(results[:, 0]) == {0.0, 1.0}
        assert -1 <= results[:, 1].min() < results[:, 1].max() <= 3
        others = np.corrcoef(results.T)[np.triu_indices(3, 1)]
        assert (np.abs(others) <= 5 / np.sqrt(DRAWS)).all()


@pytest.mark.parametrize(
    ("noise", "mean", "declared"),
    [
        ("normal(2)", 5.0, 2.0),
        ("subgaussian(2)", 5.0, 2.0),
        ("spread(2)", 5.0, 2.0),
        ("poisson", 9.0, 3.0),
        ("normal", 5.0, None),
    ],
)
def test_each_noise_model_is_drawn_as_declared_or_with_a_spread_that_is_given(noise, mean, declared):
    """A declared scale is what results vary by, unless somebody says that it is less; counts vary as they must."""
    problem = sf.problem_of([f"a >= 0 : {noise}", "coin >= 0 : bernoulli"])
    if declared is not None:
        check(draws(sf.arms_for(problem, [[mean, 0.3]]), 0), [mean, 0.3], [declared, np.sqrt(0.21)])
    given = draws(sf.arms_for(problem, [[mean, 0.3]], sds=[0.5, 1.0]), 0)
    check(given, [mean, 0.3], [3.0 if noise == "poisson" else 0.5, np.sqrt(0.21)])


def test_recorded_rows_are_drawn_whole_and_equally_often():
    arms = cases.recorded().arms
    for arm, rows in ((0, 7), (1, 1), (2, 40)):
        results = draws(arms, arm)
        owned = arms.rows[arms.starts[arm] : arms.starts[arm + 1]]
        _, counts = np.unique(results, axis=0, return_counts=True)
        assert len(counts) == rows
        assert {tuple(row) for row in results} == {tuple(row) for row in owned}
        share = 1 / rows
        assert (np.abs(counts / DRAWS - share) <= 5 * np.sqrt(share * (1 - share) / DRAWS)).all()


def test_scales_declared_by_the_problem_are_those_of_the_draws():
    """arms_for takes the spread from the threshold strings, and deficits have one noise scale in all metrics."""
    instance = cases.unequal()
    standard = instance.problem.standardisation()
    results = draws(instance.deficits(), 2)
    _, of_variances = standard_errors(results)
    assert standard.noise_scale == 12
    assert (np.abs(results.var(axis=0) - 144) <= 5 * of_variances).all()
