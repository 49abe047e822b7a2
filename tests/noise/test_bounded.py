"""Evidence from results in [0, 1]: capitals, their average, and the bound from two moments."""

from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from satisfice.arrays import Floats
from satisfice.noise.bernoulli import log_evidence_bernoulli
from satisfice.noise.betting import BETS, LOG_WEIGHTS, log_evidence_moments
from tests.helpers.running_capitals import bets_at, log_evidence_bounded, update_log_capitals, updated_log_capital


def capitals_after(values: Floats, theta: float) -> Floats:
    bets = bets_at(theta)
    capitals = np.zeros(bets.size)
    for value in values.tolist():
        update_log_capitals(capitals, value, theta, bets)
    return capitals


def evidence(values: Floats, theta: float) -> float:
    return log_evidence_bounded(capitals_after(values, theta), theta, LOG_WEIGHTS)


def moments(values: Floats, theta: float) -> float:
    return log_evidence_moments(values.size, values.sum(), (values**2).sum(), theta, BETS, LOG_WEIGHTS)


def test_it_averages_products() -> None:
    values = np.random.default_rng(1).beta(2, 3, size=40)
    for theta in (0.05, 0.3, 0.8):
        products = np.log(1 + np.outer(bets_at(theta), values - theta)).sum(axis=1)
        assert evidence(values, theta) == pytest.approx(logsumexp(products + LOG_WEIGHTS), abs=1e-11)


@pytest.mark.parametrize("theta", [0.01, 0.4, 0.97])
def test_it_is_a_martingale_at_theta_whatever_the_law(theta: float) -> None:
    rng = np.random.default_rng(2)
    bets = bets_at(theta)
    before = capitals_after(rng.beta(1, 2, size=30), theta)
    now = log_evidence_bounded(before, theta, LOG_WEIGHTS)
    two_points = [(theta / 2, 0.5), (3 * theta / 2, 0.5)] if theta <= 2 / 3 else [(1.0, theta), (0.0, 1 - theta)]
    three_points = [(0.0, (1 - theta) / 2), (theta, 0.5), (1.0, theta / 2)]
    for law in (two_points, three_points, [(theta, 1.0)]):
        assert sum(value * chance for value, chance in law) == pytest.approx(theta)
        after = 0.0
        for value, chance in law:
            capitals = before.copy()
            update_log_capitals(capitals, value, theta, bets)
            after += chance * exp(log_evidence_bounded(capitals, theta, LOG_WEIGHTS) - now)
        assert after == pytest.approx(1.0, abs=1e-12)


def test_zeros_and_ones_are_bernoulli_results() -> None:
    values = np.array([1.0, 0, 0, 1, 1, 1, 0, 1])
    for theta in (0.1, 0.6):
        known = log_evidence_bernoulli(8, 5, theta)
        assert evidence(values, theta) == pytest.approx(known, abs=1e-12)
        assert moments(values, theta) == pytest.approx(known, abs=1e-12)


def test_theta_outside_the_unit_interval() -> None:
    assert updated_log_capital(0.0, 0.0, -0.2, 1.0) == inf
    assert log_evidence_bounded(np.zeros(BETS.size), -0.2, LOG_WEIGHTS) == inf  # before the first pull
    assert evidence(np.array([0.0, 0.0]), 0.0) == pytest.approx(0.0, abs=1e-15)
    assert evidence(np.array([0.0, 1e-9, 0.0]), 0.0) == inf
    for theta in (1.0, 1.5):
        assert evidence(np.array([1.0, 1.0]), theta) == pytest.approx(0.0, abs=1e-15)
    assert moments(np.array([0.0]), -0.2) == inf
    assert moments(np.array([0.0, 0.3]), 0.0) == inf
    assert moments(np.array([0.0, 0.0]), 0.0) == 0.0
    assert moments(np.array([1.0, 0.3]), 1.0) == 0.0


unit = st.floats(0, 1, allow_subnormal=False)


@given(st.lists(unit, min_size=1, max_size=30), st.floats(1e-6, 1 - 1e-6))
def test_two_moments_give_a_lower_bound(results: list[float], theta: float) -> None:
    values = np.array(results)
    assert moments(values, theta) <= evidence(values, theta) + 1e-9


@given(st.lists(unit, min_size=1, max_size=30), st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6))
def test_decreasing_in_theta(results: list[float], one: float, other: float) -> None:
    values = np.array(results)
    low, high = sorted((one, other))
    assert evidence(values, high) <= evidence(values, low) + 1e-9
    assert moments(values, high) <= moments(values, low) + 1e-9


def test_equal_results_lose_nothing_to_the_bound() -> None:
    values = np.full(20, 0.4)
    assert moments(values, 0.3) == pytest.approx(evidence(values, 0.3), abs=1e-9)
    assert moments(values, 0.3) > log(20)
