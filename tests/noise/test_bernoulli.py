"""Evidence from results of 0 and 1: likelihood ratios, a martingale at theta, whole numbers of ones, any theta."""

from math import exp, inf, log

import numpy as np
import pytest
from scipy.special import logsumexp, xlogy
from scipy.stats import binom

import satisfice as sf
from satisfice.noise.bernoulli import BernoulliBy, log_tail
from satisfice.noise.bernoulli import log_evidence_bernoulli as evidence
from satisfice.noise.bernoulli import ones_needed_bernoulli as needed
from satisfice.noise.betting import BETS, LOG_WEIGHTS, bet_at
from tests.helpers.running_capitals import bets_at

THETAS = (1e-300, 1e-9, 0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12)


def test_the_grid() -> None:
    assert np.exp(LOG_WEIGHTS).sum() == pytest.approx(1.0, abs=1e-15)
    assert (np.diff(BETS) > 0).all()
    for theta in THETAS:
        bets = bets_at(theta)
        assert ((bets > 0) & (bets * theta <= 0.99 + 1e-15)).all()
        assert bets.tolist() == [bet_at(theta, bet) for bet in BETS.tolist()]
    assert (bets_at(0.0) == 0).all()
    assert (bets_at(1.0) == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        BETS[0] = 1.0


@pytest.mark.parametrize("theta", [0.01, 0.3, 0.85])
def test_it_averages_likelihood_ratios(theta: float) -> None:
    means = theta + bets_at(theta) * theta * (1 - theta)
    for pulls, ones in ((1, 0), (1, 1), (20, 9), (400, 160)):
        zeros = pulls - ones
        ratios = xlogy(ones, means / theta) + xlogy(zeros, (1 - means) / (1 - theta))
        assert evidence(pulls, ones, theta) == pytest.approx(logsumexp(LOG_WEIGHTS + ratios), abs=1e-10)


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize(("pulls", "ones"), [(0, 0), (1, 1), (10, 0), (10, 7), (300, 100)])
def test_it_is_a_martingale_at_theta_and_falls_below(theta: float, pulls: int, ones: int) -> None:
    now = evidence(pulls, ones, theta)
    up, down = exp(evidence(pulls + 1, ones + 1, theta) - now), exp(evidence(pulls + 1, ones, theta) - now)
    assert theta * up + (1 - theta) * down == pytest.approx(1.0, abs=1e-9)
    assert theta / 2 * up + (1 - theta / 2) * down <= 1.0 + 1e-12


def test_monotone_in_ones_and_theta() -> None:
    for theta in (0.001, 0.5, 0.99):
        assert (np.diff([evidence(50, ones, theta) for ones in range(51)]) > 0).all()
    grid = np.concatenate([np.geomspace(1e-12, 0.01, 200), np.linspace(0.01, 1, 400)[1:-1]])
    for pulls, ones in ((1, 0), (1, 1), (50, 0), (50, 20), (50, 50), (3000, 7)):
        values = [evidence(pulls, ones, theta) for theta in grid.tolist()]
        assert (np.diff(values) <= 1e-9).all(), (pulls, ones)


def test_theta_outside_the_unit_interval() -> None:
    for pulls, ones in ((0, 0), (5, 0), (5, 5)):
        assert evidence(pulls, ones, -0.01) == inf  # no mean is that low: refuted before the first pull
        assert evidence(pulls, ones, 1.0) == 0.0  # no mean is above that
        assert evidence(pulls, ones, 1.3) == 0.0
    for zero in (0.0, -0.0, -1e-17):
        assert evidence(9, 0, zero) == 0.0
        assert evidence(9, 1, zero) == inf
    assert needed(9, 5.0, -0.01) == 0
    assert needed(9, 5.0, 0.0) == 1
    assert needed(9, 5.0, 1.0) == 10


@pytest.mark.parametrize("theta", [0.001, 0.05, 0.5, 0.95])
@pytest.mark.parametrize("level", [log(20), log(1000), log(1e12)])
def test_the_inverse_is_the_smallest_number_that_suffices(theta: float, level: float) -> None:
    for pulls in (1, 2, 10, 137, 5000, 10**6, 10**9):
        ones = needed(pulls, level, theta)
        slack = 1e-12 * (24 + level) + 1e-14 * pulls
        if ones <= pulls:
            assert evidence(pulls, ones, theta) >= level
        if ones > 0:
            assert evidence(pulls, ones - 1, theta) < level + slack


def test_rare_failures() -> None:
    """Accepting 'failure rate below 1.5 %' is evidence of successes above 98.5 %: faultless runs do it in some 400."""
    level = log(267)
    clean = next(n for n in range(1, 1000) if evidence(n, n, 0.985) >= level)
    assert clean < 1.25 * level / -log(0.985)


@pytest.mark.parametrize("least", [0, 1, 7, 39, 40, 41])
@pytest.mark.parametrize("chance", [0.0, 0.001, 0.2, 0.97, 1.0])
def test_the_tail_of_a_binomial_is_that_of_scipy(least: int, chance: float) -> None:
    found = log_tail(40, least, chance)
    assert found <= 0.0
    assert found == pytest.approx(float(binom.logsf(least - 1, 40, chance)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("threshold", ["share(x <= 200) >= 0.75 ~ 0.05", "share(x > 200) <= 0.25 ~ 0.05"])
@pytest.mark.parametrize("sizes", [[1] * 12, [5, 1, 30], [40]])
def test_many_at_once_are_worth_what_they_are_one_by_one(threshold: str, sizes: list[int]) -> None:
    """For and against: independent numbers of one evaluation are as many zeros and ones."""
    rng = np.random.default_rng(sum(sizes))
    for chance in (0.3, 0.75, 0.95):
        search = sf.Search(sf.problem_of([f"{threshold} : independent"]), ["a", "b"])
        passed = 0
        for size in sizes:
            values = np.where(rng.random(size) < chance, 100.0, 300.0)
            passed += int((values < 200.0).sum())
            search.tell("a", {"x": values.tolist()})
        state, noise = search._state, search._parts.noise
        sums = 0, len(sizes), float(state.deficits[0, 0]), state.more[0, 0], 1.0
        assert noise.within(*sums) == pytest.approx(evidence(sum(sizes), passed, 0.7), abs=1e-9)
        assert noise.below(*sums) == pytest.approx(evidence(sum(sizes), sum(sizes) - passed, 0.25), abs=1e-9)


def test_a_budget_makes_the_model_of_so_many_results():
    assert sf.Bernoulli().process.by_budget(sf.Bernoulli(), 100, 0.05) == BernoulliBy(evaluations=100, error_rate=0.05)
